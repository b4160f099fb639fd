#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/nodes.h"
#include "unit.h"

static struct conn root;

static void start(void)
{
	const struct conn_conf conf = {.client_name = "test"};

	conn_init(&root, &conf);
	root.conf.url.server.port = 6379;
	snprintf(root.conf.url.server.name, sizeof root.conf.url.server.name, "first");
	CHECK(nodes_make(&root) == 0);
}

static struct url_host numbered(int n)
{
	struct url_host host = {.port = 1};

	snprintf(host.name, sizeof host.name, "n%d", n);
	return host;
}

/* find returns the index of the n-th host's node. */
static int find(int n)
{
	const struct url_host host = numbered(n);

	return nodes_find(root.nodes, &host);
}

static void forgets_the_oldest(void)
{
	int kept = 0;

	start();
	for (int n = 1; n <= 5000; n++) {
		int i = find(n);
		CHECK(i > 0 && i < NODES_KEPT);
		if (n == 7)
			kept = i;
		if (kept)
			root.nodes->at[7] = (uint16_t)(kept + 1);
	}
	CHECK(root.nodes->count == NODES_KEPT);
	CHECK(find(7) == kept);
	CHECK(find(5000) > 0 && root.nodes->count == NODES_KEPT);
	CHECK(!strcmp(nodes_root(root.nodes)->conf.url.server.name, "first"));
	nodes_close(&root);
}

static void keeps_those_with_calls(void)
{
	start();
	for (int n = 1; n < NODES_KEPT; n++)
		root.nodes->all[find(n)]->conn->pending = 1;
	CHECK(find(1000) == NODES_KEPT);
	root.nodes->all[5]->conn->pending = 0;
	CHECK(find(1001) == 5);
	for (int i = 1; i < root.nodes->count; i++)
		root.nodes->all[i]->conn->pending = 0;
	nodes_close(&root);
}

/* Any may be needed: a cluster may have many nodes. */
static void refuses_only_beyond_the_most(void)
{
	start();
	for (int n = 1; n < NODES_MAX; n++) {
		int i = find(n);
		CHECK(i == n);
		root.nodes->at[n] = (uint16_t)(i + 1);
	}
	CHECK(find(NODES_MAX) == -1);
	root.nodes->at[500] = 0;
	CHECK(find(NODES_MAX) == 500);
	nodes_close(&root);
}

static void root_keeps_its_own_hosts(void)
{
	const struct url_hosts *hosts = &root.conf.url.hosts;

	start();
	for (int n = 1; n <= 100; n++) {
		const struct url_host host = numbered(n);
		nodes_also_here(root.nodes, &host);
		nodes_also_here(root.nodes, &host);
	}
	CHECK(hosts->count == URL_HOSTS - 1);
	CHECK(!strcmp(hosts->at[0].name, "first"));
	for (int i = 1; i < hosts->count; i++)
		CHECK(atoi(hosts->at[i].name + 1) > 86);
	nodes_close(&root);
}

int main(void)
{
	forgets_the_oldest();
	keeps_those_with_calls();
	refuses_only_beyond_the_most();
	root_keeps_its_own_hosts();
	return unit_end();
}
