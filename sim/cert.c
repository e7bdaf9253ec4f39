/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/cert.h"

#include "core/base/err.h"
#include "core/base/mem.h"
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY ((time_t)24 * 3600)

struct pair {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t crt;
};

static void pair_fini(struct pair *p)
{
	gnutls_x509_crt_deinit(p->crt);
	gnutls_x509_privkey_deinit(p->key);
}

/* Key and unsigned certificate with what both kinds share; 0 or a gnutls code. */
static int pair_init(struct pair *p, const char *name, bool authority)
{
	unsigned char serial[16];
	unsigned char id[20];
	size_t id_n = sizeof(id);
	time_t now = time(NULL);
	gnutls_x509_privkey_init(&p->key);
	gnutls_x509_crt_init(&p->crt);
	int rc = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));
	serial[0] &= 0x7f;
	rc = rc ? rc
		: gnutls_x509_privkey_generate(p->key, GNUTLS_PK_ECDSA,
			  GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
	rc = rc ? rc : gnutls_x509_crt_set_version(p->crt, 3);
	rc = rc ? rc : gnutls_x509_crt_set_serial(p->crt, serial, sizeof(serial));
	rc = rc ? rc : gnutls_x509_crt_set_activation_time(p->crt, now - 60 * DAY);
	rc = rc ? rc : gnutls_x509_crt_set_expiration_time(p->crt, now + 365 * DAY);
	rc = rc ? rc
		: gnutls_x509_crt_set_dn_by_oid(
			  p->crt, GNUTLS_OID_X520_COMMON_NAME, 0, name, (unsigned)strlen(name));
	rc = rc ? rc : gnutls_x509_crt_set_key(p->crt, p->key);
	rc = rc ? rc : gnutls_x509_crt_set_basic_constraints(p->crt, authority, authority ? 0 : -1);
	rc = rc ? rc
		: gnutls_x509_crt_set_key_usage(
			  p->crt, authority ? GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN
					    : GNUTLS_KEY_DIGITAL_SIGNATURE);
	rc = rc ? rc : gnutls_x509_crt_get_key_id(p->crt, 0, id, &id_n);
	return rc ? rc : gnutls_x509_crt_set_subject_key_id(p->crt, id, id_n);
}

static int server_names(gnutls_x509_crt_t crt)
{
	static const unsigned char loopback[4] = {127, 0, 0, 1};
	int rc = gnutls_x509_crt_set_subject_alt_name(
		crt, GNUTLS_SAN_DNSNAME, "localhost", strlen("localhost"), GNUTLS_FSAN_SET);
	rc = rc ? rc
		: gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, loopback,
			  sizeof(loopback), GNUTLS_FSAN_APPEND);
	return rc ? rc : gnutls_x509_crt_set_key_purpose_oid(crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
}

static char *pem_text(gnutls_datum_t *d)
{
	char *text = x_strndup((const char *)d->data, d->size);
	gnutls_memset(d->data, 0, d->size);
	gnutls_free(d->data);
	return text;
}

static int export_all(struct cert *c, struct pair *ca, struct pair *server)
{
	gnutls_datum_t d;
	int rc = gnutls_x509_crt_export2(ca->crt, GNUTLS_X509_FMT_PEM, &d);
	if (rc)
		return rc;
	c->ca_pem = pem_text(&d);
	rc = gnutls_x509_crt_export2(server->crt, GNUTLS_X509_FMT_PEM, &d);
	if (rc)
		return rc;
	c->server_pem = pem_text(&d);
	rc = gnutls_x509_privkey_export2_pkcs8(server->key, GNUTLS_X509_FMT_PEM, NULL, 0, &d);
	if (rc)
		return rc;
	c->key_pem = pem_text(&d);
	return 0;
}

int cert_make(struct cert *c, struct err *e)
{
	struct pair ca;
	struct pair server;
	int rc = pair_init(&ca, "rlpilot rehearsal CA", true);
	int rc2 = pair_init(&server, "127.0.0.1", false);
	rc = rc ? rc : rc2;
	rc = rc ? rc : server_names(server.crt);
	rc = rc ? rc : gnutls_x509_crt_sign2(ca.crt, ca.crt, ca.key, GNUTLS_DIG_SHA256, 0);
	rc = rc ? rc : gnutls_x509_crt_sign2(server.crt, ca.crt, ca.key, GNUTLS_DIG_SHA256, 0);
	rc = rc ? rc : export_all(c, &ca, &server);
	pair_fini(&server);
	pair_fini(&ca);
	if (!rc)
		return 0;
	cert_fini(c);
	return err_set(e, ERR_FAILED, "check the installation of GnuTLS",
		"cannot make the rehearsal's certificate: %s", gnutls_strerror(rc));
}

void cert_fini(struct cert *c)
{
	free(c->ca_pem);
	free(c->server_pem);
	x_wipe_free(c->key_pem);
	*c = (struct cert){0};
}
