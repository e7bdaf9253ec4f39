/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two listeners on loopback: plain http (Google, Hugging Face, releases, /sim/v1) and TLS with
 * a throw-away authority (Kubernetes). libmicrohttpd driven by our loop, no threads.
 */
#ifndef RLPILOT_SIM_SERVER_H
#define RLPILOT_SIM_SERVER_H

#include <stdint.h>

struct err;
struct sim;

/* Listens; port 0 = any free one. ERR_UNREACHABLE with a cure when the port is taken. */
int server_start(struct sim *sim, int port, struct err *e);
void server_stop(struct sim *sim);
int server_http_port(const struct sim *sim);
int server_tls_port(const struct sim *sim);
/* PEM of the authority that signed the TLS listener's certificate. */
const char *server_ca_pem(const struct sim *sim);
/* Wall ms (clock_wall) of the newest request. */
int64_t server_last_request(const struct sim *sim);

#endif
