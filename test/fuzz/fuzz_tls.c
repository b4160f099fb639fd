/* TLS with a server that keeps to it for a while, and with what may become of its bytes on the
 * way: what arrives is what was sent, or an end with a reason; without cause it does not end;
 * each step returns.
 *
 * The first two bytes are where one bit of the handshake is changed (65535: nowhere), then each two
 * are a step: what, and how much. */
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
/* its one symbol is an object's; here its code is to be seen by the fuzzer */
#include "redis/tls/openssl.c"

#define STEPS_MAX 64 /* of the handshake */
#define ROUNDS 4     /* at the end: the first may find a full socket, the second has room */
#define BYTES_MAX 70000

struct peer {
	SSL *ssl;
	BIO *in, *out;       /* its side of the wire, in memory */
	int fd;              /* of the socketpair */
	size_t sent, heard;  /* bytes of the pattern, told and understood */
	size_t written, read;/* the same, of the client */
	size_t repeat;       /* bytes of a write that the client must repeat; 0: none */
	bool moved;          /* where its bytes are in memory: here or there */
	size_t passed;       /* bytes on the wire, to the client */
	size_t updates;      /* of keys, by the server */
	long change_at;      /* a bit of this one is changed; -1: none */
	bool meddled, ended; /* the client need not understand what follows; cannot hear more */
	bool closed;         /* the server has sent close_notify, and then may drop what it hears */
};

static SSL_CTX *server;

/* self_signed: nobody verifies it. */
static void self_signed(SSL_CTX *context)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *certificate = X509_new();

	HOLDS(key && certificate);
	X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
	X509_gmtime_adj(X509_getm_notAfter(certificate), 86400);
	HOLDS(X509_set_pubkey(certificate, key) && X509_sign(certificate, key, EVP_sha256()));
	HOLDS(SSL_CTX_use_certificate(context, certificate) == 1 &&
	      SSL_CTX_use_PrivateKey(context, key) == 1);
	X509_free(certificate);
	EVP_PKEY_free(key);
}

/* at: the n-th byte of the pattern that both send. */
static char at(size_t n)
{
	return (char)(n * 7 + n / 251);
}

/* pass brings what the server has said to the client, in pieces as they come. */
static void pass(struct peer *p)
{
	char bytes[4096];
	int n;

	while ((n = BIO_read(p->out, bytes, sizeof bytes)) > 0) {
		if (p->change_at >= (long)p->passed && p->change_at < (long)p->passed + n) {
			bytes[p->change_at - (long)p->passed] ^= 4;
			p->meddled = true;
		}
		p->passed += (size_t)n;
		if (!p->ended && send(p->fd, bytes, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) != n)
			p->meddled = p->ended = true; /* the client has closed, or is full */
	}
}

static void hear(struct peer *p)
{
	char bytes[4096];
	ssize_t n;

	while ((n = recv(p->fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		HOLDS(BIO_write(p->in, bytes, (int)n) == n);
	/* for the client it ends before the server has heard its last bytes */
	SSL_do_handshake(p->ssl);
	for (size_t got;
	     SSL_is_init_finished(p->ssl) && SSL_read_ex(p->ssl, bytes, sizeof bytes, &got);)
		for (size_t i = 0; i < got; i++)
			HOLDS(bytes[i] == at(p->heard++));
	ERR_clear_error();
	HOLDS(p->heard <= p->written);
}

/* fault_of_openssl: it answers a key update only when the waiting write is complete (its issue
 * 8677). But the next key update makes it answer at once; this is not the write that waits, so the
 * connection ends, with a reason. Redis sends no key updates. */
static bool fault_of_openssl(const struct peer *p, const char *why)
{
	return p->updates > 1 && p->repeat > 0 &&
	       (strcmp(why, "bad length") == 0 || strcmp(why, "bad write retry") == 0);
}

static bool is_end(struct peer *p, enum tls_state state, const char *why)
{
	p->meddled = p->meddled || fault_of_openssl(p, why);
	HOLDS(state < TLS_LOST || p->meddled || p->ended || p->closed);
	if (state == TLS_BROKEN || state == TLS_REFUSED)
		HOLDS(why[0] != '\0' && strlen(why) < TLS_WHY_MAX &&
		      fuzz_printable(why, strlen(why)));
	return state == TLS_BROKEN || state == TLS_REFUSED || state == TLS_LOST;
}

/* meet: the handshake. Did it succeed? */
static bool meet(struct peer *p, void *client)
{
	char why[TLS_WHY_MAX] = "";

	for (int i = 0; i < STEPS_MAX; i++) {
		enum tls_state state = dq_tls_ops.greet(client, why);

		if (state == TLS_DONE)
			return true;
		if (is_end(p, state, why))
			return false;
		hear(p);
		pass(p);
	}
	HOLDS(p->meddled);
	return false;
}

/* listen_all: the client reads what there is, a record a step. False: its connection is over. */
static bool listen_all(struct peer *p, void *client)
{
	static char bytes[16384];
	char why[TLS_WHY_MAX] = "";
	size_t n = 0;
	enum tls_state state;

	while ((state = dq_tls_ops.read(client, bytes, sizeof bytes, &n, why)) == TLS_DONE) {
		HOLDS(n > 0 && n <= sizeof bytes);
		for (size_t k = 0; k < n; k++)
			HOLDS(bytes[k] == at(p->read++));
		HOLDS(p->read <= p->sent);
	}
	return !is_end(p, state, why);
}

/* tell: the client writes. As conn does, it repeats a waiting write with the same bytes, perhaps
 * with more after them, and perhaps elsewhere in memory. */
static bool tell(struct peer *p, void *client, size_t len)
{
	static char room[2][256 * 91];
	char *bytes = room[p->moved = !p->moved], why[TLS_WHY_MAX] = "";
	size_t n = 0;
	enum tls_state state;

	len = len > p->repeat ? len : p->repeat;
	for (size_t i = 0; i < len; i++)
		bytes[i] = at(p->written + i);
	state = dq_tls_ops.write(client, bytes, len, &n, why);
	p->repeat = state == TLS_DONE ? 0 : len;
	p->written += state == TLS_DONE ? n : 0;
	if (state == TLS_DONE)
		HOLDS(n > 0 && n <= len);
	return !is_end(p, state, why);
}

static void say(struct peer *p, size_t len)
{
	static char bytes[256 * 91];
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		bytes[i] = at(p->sent + i);
	if (p->sent + len < BYTES_MAX && SSL_write_ex(p->ssl, bytes, len, &n))
		p->sent += n;
	ERR_clear_error();
}

/* step returns false when the client's connection is over. */
static bool step(struct peer *p, void *client, int what, size_t much)
{
	char noise[256];

	switch (what % 8) {
	case 0:
		say(p, 1 + much * 91);
		break;
	case 1:
		p->updates += SSL_key_update(p->ssl, much % 2 ? SSL_KEY_UPDATE_REQUESTED :
								SSL_KEY_UPDATE_NOT_REQUESTED) == 1;
		SSL_do_handshake(p->ssl);
		break;
	case 2:
		p->closed = SSL_shutdown(p->ssl) >= 0 || p->closed;
		break;
	case 3:
		memset(noise, (int)much, sizeof noise);
		p->meddled = p->meddled || much > 0;
		if (much > 0 && !p->ended)
			p->ended = send(p->fd, noise, much, MSG_NOSIGNAL | MSG_DONTWAIT) !=
				   (ssize_t)much;
		break;
	case 4:
		p->change_at = (long)(p->passed + much * 5);
		break;
	case 5:
		if (much < 64) {
			shutdown(p->fd, SHUT_WR);
			p->ended = true;
		}
		break;
	case 6:
		return tell(p, client, 1 + much * 91);
	default:
		return listen_all(p, client);
	}
	ERR_clear_error();
	pass(p);
	hear(p);
	return true;
}

/* talk: at the end the client has read all, and the server what the client has written, unless
 * somebody meddled with it. */
static void talk(struct peer *p, void *client, const uint8_t *data, size_t size)
{
	bool open = true;

	for (size_t i = 0; open && i + 1 < size; i += 2)
		open = step(p, client, data[i], data[i + 1]);
	for (int i = 0; open && i < ROUNDS; i++) {
		pass(p);
		open = listen_all(p, client) && (p->repeat == 0 || tell(p, client, p->repeat));
		hear(p);
	}
	HOLDS(p->read == p->sent || p->meddled || p->ended);
	HOLDS(p->heard == p->written || p->meddled || p->ended || p->closed);
	HOLDS(p->repeat == 0 || p->meddled || p->ended || p->closed);
}

static void peer_init(struct peer *p, int fd, long change_at)
{
	*p = (struct peer){.ssl = SSL_new(server), .fd = fd, .change_at = change_at};
	p->in = BIO_new(BIO_s_mem());
	p->out = BIO_new(BIO_s_mem());
	HOLDS(p->ssl && p->in && p->out);
	SSL_set_bio(p->ssl, p->in, p->out);
	SSL_set_accept_state(p->ssl);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tls_conf conf = {.insecure = true};
	char why[TLS_WHY_MAX] = "";
	long change_at;
	struct peer p;
	void *client;
	int fds[2];

	if (size < 2 || size > 256)
		return 0;
	if (!server) {
		server = SSL_CTX_new(TLS_server_method());
		HOLDS(server);
		self_signed(server);
	}
	change_at = data[0] * 256 + data[1];
	HOLDS(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
	HOLDS(fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0);
	peer_init(&p, fds[1], change_at == 65535 ? -1 : change_at);
	client = dq_tls_ops.start(fds[0], "localhost", &conf, why);
	HOLDS(client);
	if (meet(&p, client))
		talk(&p, client, data + 2, size - 2);
	else
		HOLDS(p.meddled);
	dq_tls_ops.close(client);
	SSL_free(p.ssl);
	ERR_clear_error();
	close(fds[0]);
	close(fds[1]);
	return 0;
}
