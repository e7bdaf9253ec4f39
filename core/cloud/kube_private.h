/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of kube: what a connection consists of. Only kube.c and kube_stream.c include this.
 */
#ifndef RLPILOT_CLOUD_KUBE_PRIVATE_H
#define RLPILOT_CLOUD_KUBE_PRIVATE_H

#include "core/cloud/kube.h"

struct kube {
	struct cloud *cloud;
	char *server; /* without final '/' */
	char *ns;
	char *ca_pem, *cert_pem, *key_pem, *tls_name;
	char *token; /* NULL = own Google token */
	char *token_file;
};

/* The token to send now; NULL = own Google token, "" = none. Borrowed until the next call. */
const char *kube_token(struct kube *k);

#endif
