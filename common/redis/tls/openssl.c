/* TLS by OpenSSL, 1.1.1 or later: the shared object that redis/tls.c loads. It exports one symbol.
 * It reads and writes the socket itself, because the writes of OpenSSL would raise SIGPIPE. */
#include <arpa/inet.h>
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "redis/tls_ops.h"

/* bytes that one step reads: OpenSSL would continue while it skips records */
#define STEP_MAX 65536

struct session {
	SSL_CTX *context;
	SSL *ssl;
	int fd;
	size_t read; /* in this step */
	bool greeted, failed;
};

/* --- the socket --- */

static int sock_write(BIO *bio, const char *bytes, int size)
{
	const struct session *s = BIO_get_data(bio);
	ssize_t n;

	BIO_clear_retry_flags(bio);
	do
		n = send(s->fd, bytes, (size_t)size, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		BIO_set_retry_write(bio);
	return (int)n;
}

static int sock_read(BIO *bio, char *bytes, int size)
{
	struct session *s = BIO_get_data(bio);
	ssize_t n;

	BIO_clear_retry_flags(bio);
	if (s->read >= STEP_MAX) {
		BIO_set_retry_read(bio);
		return -1;
	}
	do
		n = recv(s->fd, bytes, (size_t)size, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		BIO_set_retry_read(bio);
	if (n > 0)
		s->read += (size_t)n;
	if (n == 0)
		errno = 0;
	return (int)n;
}

static long sock_control(BIO *bio, int command, long number, void *pointer)
{
	(void)bio, (void)number, (void)pointer;
	return command == BIO_CTRL_FLUSH;
}

static int use_socket(struct session *s)
{
	static BIO_METHOD *method; /* shared: a process has only 127 indices for them */
	BIO *bio;

	if (!method)
		method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "socket");
	if (!method || !BIO_meth_set_write(method, sock_write) ||
	    !BIO_meth_set_read(method, sock_read) || !BIO_meth_set_ctrl(method, sock_control))
		return -1;
	bio = BIO_new(method);
	if (!bio)
		return -1;
	BIO_set_data(bio, s);
	BIO_set_init(bio, 1);
	SSL_set_bio(s->ssl, bio, bio);
	return 0;
}

/* --- certificates and keys --- */

/* no_passphrase: a key with a passphrase must not ask for it on the terminal. */
static int no_passphrase(char *buffer, int size, int writing, void *data)
{
	(void)buffer, (void)size, (void)writing, (void)data;
	return -1;
}

/* failed says why OpenSSL refused a file. */
static int failed(char why[TLS_WHY_MAX], const char *what, const char *file)
{
	unsigned long code = ERR_peek_error();
	const char *reason = code ? ERR_reason_error_string(code) : NULL;

	if (ERR_GET_LIB(code) == ERR_LIB_X509 && ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH)
		reason = "not that of the certificate";

	if (code && ERR_GET_LIB(code) == ERR_LIB_SYS)
		reason = strerror(ERR_GET_REASON(code));
	snprintf(why, TLS_WHY_MAX, "%s %.80s: %.80s", what, file,
		 reason ? reason : "cannot be used");
	ERR_clear_error();
	return -1;
}

static int load_files(SSL_CTX *c, const struct tls_conf *conf, char why[TLS_WHY_MAX])
{
	SSL_CTX_set_default_passwd_cb(c, no_passphrase);
	if (conf->cacert && !SSL_CTX_load_verify_locations(c, conf->cacert, NULL))
		return failed(why, "CA certificates", conf->cacert);
	if (!conf->cacert && !conf->insecure && !SSL_CTX_set_default_verify_paths(c))
		return failed(why, "CA certificates", "of the system");
	if (conf->cert && SSL_CTX_use_certificate_chain_file(c, conf->cert) != 1)
		return failed(why, "certificate", conf->cert);
	if (conf->key && SSL_CTX_use_PrivateKey_file(c, conf->key, SSL_FILETYPE_PEM) != 1)
		return failed(why, "key", conf->key);
	return 0;
}

/* expect: the certificate must be for this host.
 * A name is sent, too, because one server may have several names. */
static int expect(SSL *ssl, const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];
	char bare[256];

	/* a certificate knows no zones */
	snprintf(bare, sizeof bare, "%.*s", (int)strcspn(host, "%"), host);
	host = bare;
	if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 ? 0 : -1;
	SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
				       X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
	return SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1 ? 0 : -1;
}

static void session_close(void *session)
{
	struct session *s = session;

	if (s->ssl && s->greeted && !s->failed)
		/* sends close_notify, and does not wait for that of the peer */
		SSL_shutdown(s->ssl);
	SSL_free(s->ssl);
	SSL_CTX_free(s->context);
	ERR_clear_error();
	free(s);
}

static void *start(int fd, const char *host, const struct tls_conf *conf, char why[TLS_WHY_MAX])
{
	struct session *s = calloc(1, sizeof *s);

	why[0] = 0;
	if (!s)
		return NULL;
	s->fd = fd;
	s->context = SSL_CTX_new(TLS_client_method());
	if (!s->context || load_files(s->context, conf, why) < 0 ||
	    !SSL_CTX_set_min_proto_version(s->context, TLS1_2_VERSION))
		goto failed;
	SSL_CTX_set_verify(s->context, conf->insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_options(s->context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_mode(s->context, SSL_MODE_ENABLE_PARTIAL_WRITE |
					     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					     SSL_MODE_AUTO_RETRY);
	s->ssl = SSL_new(s->context);
	if (!s->ssl || use_socket(s) < 0 || expect(s->ssl, host) < 0)
		goto failed;
	SSL_set_connect_state(s->ssl);
	return s;
failed:
	session_close(s);
	return NULL;
}

/* --- bytes --- */

/* is_refusal: an alert by which the peer ends the handshake. With TLS 1.3 the handshake is
 * over for us before the peer has checked our certificate. With TLS 1.2 the alert may refuse
 * a second handshake. */
static bool is_refusal(const struct session *s, unsigned long code)
{
	static const int refusals[] = {SSL_AD_HANDSHAKE_FAILURE, SSL_AD_BAD_CERTIFICATE,
				       SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
				       SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN,
				       SSL_AD_UNKNOWN_CA, SSL_AD_ACCESS_DENIED,
				       SSL_AD_DECRYPT_ERROR, SSL_AD_CERTIFICATE_REQUIRED};
	bool found = false;

	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		found = found || ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET == refusals[i];
	return found && ERR_GET_LIB(code) == ERR_LIB_SSL && SSL_version(s->ssl) >= TLS1_3_VERSION;
}

/* untrusted: no trusted authority signed the certificate, so another --cacert may help. */
static bool untrusted(long verified)
{
	return verified == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT ||
	       verified == X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY ||
	       verified == X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE ||
	       verified == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN ||
	       verified == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT;
}

/* broken finds the reason, in its own words if those of OpenSSL are for programmers. */
static enum tls_state broken(const struct session *s, char why[TLS_WHY_MAX])
{
	unsigned long code = ERR_peek_error();
	const char *reason = ERR_reason_error_string(code);
	long verified = SSL_get_verify_result(s->ssl);

	if (ERR_GET_REASON(code) == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK)
		snprintf(why, TLS_WHY_MAX, "the server's certificate: %.100s%s",
			 X509_verify_cert_error_string(verified),
			 untrusted(verified) ? " (its authority: --cacert, DQ_CACERT)" :
			 verified == X509_V_ERR_HOSTNAME_MISMATCH ||
					 verified == X509_V_ERR_IP_ADDRESS_MISMATCH ?
					       " (only the names in its subjectAltName count)" :
					       "");
	else if (ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER && !s->greeted)
		snprintf(why, TLS_WHY_MAX, "the server does not speak TLS on this port");
	else if (ERR_GET_REASON(code) == SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_REQUIRED)
		snprintf(why, TLS_WHY_MAX,
			 "the server wants a certificate of the client (--cert, --key)");
	else if (ERR_GET_REASON(code) == SSL_AD_REASON_OFFSET + SSL_AD_UNKNOWN_CA)
		snprintf(why, TLS_WHY_MAX,
			 "the server does not trust the authority of the client's "
			 "certificate (--cert)");
	else
		snprintf(why, TLS_WHY_MAX, "%.120s", reason ? reason : "broken");
	ERR_clear_error();
	return is_refusal(s, code) ? TLS_REFUSED : TLS_BROKEN;
}

static bool ended(unsigned long code)
{
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
	return ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
#else
	(void)code;
	return false;
#endif
}

/* state_of returns the state after a step that returned n. */
static enum tls_state state_of(struct session *s, int n, char why[TLS_WHY_MAX])
{
	int was = errno, error = SSL_get_error(s->ssl, n);

	s->failed = s->failed || error == SSL_ERROR_SYSCALL || error == SSL_ERROR_SSL;
	switch (error) {
	case SSL_ERROR_NONE:
		return TLS_DONE;
	case SSL_ERROR_WANT_READ:
		return TLS_WANTS_READ;
	case SSL_ERROR_WANT_WRITE:
		return TLS_WANTS_WRITE;
	case SSL_ERROR_ZERO_RETURN:
		errno = 0;
		return TLS_LOST;
	case SSL_ERROR_SYSCALL:
		ERR_clear_error();
		errno = was;
		return TLS_LOST;
	default:
		if (!ended(ERR_peek_error()))
			return broken(s, why);
		ERR_clear_error();
		errno = 0;
		return TLS_LOST;
	}
}

static void begin(struct session *s)
{
	ERR_clear_error();
	errno = 0;
	s->read = 0;
}

static enum tls_state greet(void *session, char why[TLS_WHY_MAX])
{
	struct session *s = session;
	enum tls_state state;

	begin(s);
	state = state_of(s, SSL_do_handshake(s->ssl), why);
	s->greeted = state == TLS_DONE;
	return state;
}

static enum tls_state session_read(void *session, void *bytes, size_t size, size_t *n,
				   char why[TLS_WHY_MAX])
{
	struct session *s = session;

	begin(s);
	return state_of(s, SSL_read_ex(s->ssl, bytes, size, n), why);
}

static enum tls_state session_write(void *session, const void *bytes, size_t size, size_t *n,
				    char why[TLS_WHY_MAX])
{
	struct session *s = session;

	begin(s);
	return state_of(s, SSL_write_ex(s->ssl, bytes, size, n), why);
}

extern const struct tls_ops dq_tls_ops;
__attribute__((visibility("default")))
const struct tls_ops dq_tls_ops = {DQ_VERSION, start, greet, session_read, session_write,
				   session_close};
