/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/kubeconfig.h"

static char *temp_dir(void)
{
	const char *base = getenv("TMPDIR");
	char *dir = x_asprintf("%s/kubeconfig-XXXXXX", base ? base : "/tmp");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static const char gke[] = "apiVersion: v1\n"
			  "kind: Config\n"
			  "clusters:\n"
			  "- cluster:\n"
			  "    certificate-authority-data: LS0tLS1CRUdJTg==\n"
			  "    server: https://203.0.113.7\n"
			  "  name: gke_rl-lab_us-east5_gemma-rl\n"
			  "contexts:\n"
			  "- context:\n"
			  "    cluster: gke_rl-lab_us-east5_gemma-rl\n"
			  "    user: gke_rl-lab_us-east5_gemma-rl\n"
			  "  name: gke_rl-lab_us-east5_gemma-rl\n"
			  "current-context: gke_rl-lab_us-east5_gemma-rl\n"
			  "users:\n"
			  "- name: gke_rl-lab_us-east5_gemma-rl\n"
			  "  user:\n"
			  "    exec:\n"
			  "      apiVersion: client.authentication.k8s.io/v1beta1\n"
			  "      command: gke-gcloud-auth-plugin\n"
			  "      installHint: Install it\n"
			  "      provideClusterInfo: true\n";

static const char plain[] =
	"clusters:\n"
	"- name: lab\n"
	"  cluster: {server: 'https://127.0.0.1:6443', certificate-authority: ca.pem,\n"
	"            tls-server-name: kube}\n"
	"contexts:\n"
	"- name: one\n"
	"  context: {cluster: lab, user: tok, namespace: rl}\n"
	"- name: two\n"
	"  context: {cluster: lab, user: cert}\n"
	"- name: three\n"
	"  context: {cluster: lab, user: other}\n"
	"- name: none\n"
	"  context: {cluster: nowhere, user: tok}\n"
	"current-context: one\n"
	"users:\n"
	"- name: tok\n"
	"  user: {token: secret-token}\n"
	"- name: cert\n"
	"  user: {client-certificate: /etc/c.pem, client-key-data: a2V5}\n"
	"- name: other\n"
	"  user: {exec: {command: /opt/login}}\n";

static void test_gke(void **state)
{
	struct kubeconfig k;
	struct err e = {0};
	AUTO_FREE char *project = NULL;
	AUTO_FREE char *location = NULL;
	AUTO_FREE char *cluster = NULL;

	(void)state;
	assert_int_equal(kubeconfig_parse(&k, "/h/config", gke, strlen(gke), NULL, &e), 0);
	assert_string_equal(k.server, "https://203.0.113.7");
	assert_string_equal(k.ca_pem, "-----BEGIN");
	assert_string_equal(k.ns, "default");
	assert_int_equal(k.auth, KUBECONFIG_AUTH_GKE);
	assert_true(kubeconfig_gke_name(k.context, &project, &location, &cluster));
	assert_string_equal(project, "rl-lab");
	assert_string_equal(location, "us-east5");
	assert_string_equal(cluster, "gemma-rl");
	kubeconfig_fini(&k);
}

static void test_plain(void **state)
{
	struct kubeconfig k;
	struct err e = {0};

	(void)state;
	assert_int_equal(kubeconfig_parse(&k, "/h/config", plain, strlen(plain), NULL, &e), 0);
	assert_string_equal(k.token, "secret-token");
	assert_string_equal(k.ns, "rl");
	assert_string_equal(k.ca_file, "/h/ca.pem");
	assert_string_equal(k.tls_server_name, "kube");
	assert_int_equal(k.auth, KUBECONFIG_AUTH_TOKEN);
	kubeconfig_fini(&k);
	assert_int_equal(kubeconfig_parse(&k, "/h/config", plain, strlen(plain), "two", &e), 0);
	assert_string_equal(k.cert_file, "/etc/c.pem");
	assert_string_equal(k.key_pem, "key");
	assert_int_equal(k.auth, KUBECONFIG_AUTH_CERT);
	kubeconfig_fini(&k);
	assert_int_equal(kubeconfig_parse(&k, "/h/config", plain, strlen(plain), "three", &e), 0);
	assert_int_equal(k.auth, KUBECONFIG_AUTH_EXEC);
	kubeconfig_fini(&k);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *context, *says;
	} rows[] = {
		{plain, "missing", "no context 'missing'"},
		{plain, "none", "no server for cluster 'nowhere'"},
		{"clusters: []\n", NULL, "no current context"},
		{"", NULL, "no current context"},
		{"clusters:\n- name: a\n  cluster: {server: s, certificate-authority-data: '!!'}\n"
		 "contexts:\n- name: c\n  context: {cluster: a}\n",
			"c", "not base64"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct kubeconfig k;
		struct err e = {0};

		assert_int_equal(kubeconfig_parse(&k, "/h/config", rows[i].text,
					 strlen(rows[i].text), rows[i].context, &e),
			-1);
		assert_int_equal(e.code, ERR_BAD_FILE);
		if (!strstr(e.what, rows[i].says))
			fail_msg("%s", e.what);
		assert_true(e.hint[0] && e.place[0]);
		assert_null(k.server);
	}
}

/* The first file wins for each name and for the current context; missing files are skipped. */
static void test_several_files(void **state)
{
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *a = NULL;
	AUTO_FREE char *b = NULL;
	AUTO_FREE char *list = NULL;
	const char *first = "users:\n- name: tok\n  user: {token: first}\ncurrent-context: one\n";
	struct kubeconfig k;
	struct err e = {0};

	(void)state;
	a = path_join(dir, "a");
	b = path_join(dir, "b");
	list = x_asprintf("%s/missing:%s:%s", dir, a, b);
	assert_int_equal(path_write(a, first, strlen(first), &e), 0);
	assert_int_equal(path_write(b, plain, strlen(plain), &e), 0);
	assert_int_equal(kubeconfig_load(&k, list, NULL, &e), 0);
	assert_string_equal(k.token, "first");
	assert_string_equal(k.server, "https://127.0.0.1:6443");
	kubeconfig_fini(&k);
	assert_int_equal(path_remove_tree(dir, &e), 0);
	assert_int_equal(kubeconfig_load(&k, list, NULL, &e), -1);
	assert_non_null(strstr(e.what, "no kubeconfig"));
}

static void test_gke_names(void **state)
{
	static const char *const bad[] = {
		"minikube", "gke_", "gke_p", "gke_p_l", "gke_p_l_", "gke__l_c"};
	char *p, *l, *c;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(kubeconfig_gke_name(bad[i], &p, &l, &c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gke),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_gke_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
