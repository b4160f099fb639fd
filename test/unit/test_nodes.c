#include <hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redis/nodes.h"
#include "unit.h"

static struct nodes nodes;

static void start(void)
{
	const struct conn_conf conf = {.client_name = "test"};

	nodes_init(&nodes, &conf);
	nodes.root.conn.conf.url.server.port = 6379;
	snprintf(nodes.root.conn.conf.url.server.name, sizeof nodes.root.conn.conf.url.server.name,
		 "first");
	CHECK(nodes_make(&nodes) == 0);
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

	return nodes_find(&nodes, &host);
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
			nodes.cluster->at[7] = (uint16_t)(kept + 1);
	}
	CHECK(nodes.cluster->count == NODES_KEPT);
	CHECK(find(7) == kept);
	CHECK(find(5000) > 0 && nodes.cluster->count == NODES_KEPT);
	CHECK(!strcmp(nodes.root.conn.conf.url.server.name, "first"));
	nodes_close(&nodes);
}

static void keeps_those_with_calls(void)
{
	start();
	for (int n = 1; n < NODES_KEPT; n++)
		nodes.cluster->all[find(n)]->conn.pending = 1;
	CHECK(find(1000) == NODES_KEPT);
	nodes.cluster->all[5]->conn.pending = 0;
	CHECK(find(1001) == 5);
	for (int i = 1; i < nodes.cluster->count; i++)
		nodes.cluster->all[i]->conn.pending = 0;
	nodes_close(&nodes);
}

/* Any may be needed: a cluster may have many nodes. */
static void refuses_only_beyond_the_most(void)
{
	start();
	for (int n = 1; n < NODES_MAX; n++) {
		int i = find(n);
		CHECK(i == n);
		nodes.cluster->at[n] = (uint16_t)(i + 1);
	}
	CHECK(find(NODES_MAX) == -1);
	nodes.cluster->at[500] = 0;
	CHECK(find(NODES_MAX) == 500);
	nodes_close(&nodes);
}

static void root_keeps_its_own_hosts(void)
{
	const struct url_hosts *hosts = &nodes.root.conn.conf.url.hosts;

	start();
	for (int n = 1; n <= 100; n++) {
		const struct url_host host = numbered(n);
		nodes_also_here(&nodes, &host);
		nodes_also_here(&nodes, &host);
	}
	CHECK(hosts->count == URL_HOSTS - 1);
	CHECK(!strcmp(hosts->at[0].name, "first"));
	for (int i = 1; i < hosts->count; i++)
		CHECK(atoi(hosts->at[i].name + 1) > 86);
	nodes_close(&nodes);
}

int main(void)
{
	forgets_the_oldest();
	keeps_those_with_calls();
	refuses_only_beyond_the_most();
	root_keeps_its_own_hosts();
	return unit_end();
}
