/* SPDX-License-Identifier: Apache-2.0 */
/* Public reports about deploying and destroying, each as a test that carries its number. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/err.h"
#include "core/base/mem.h"
#include "core/base/path.h"
#include "core/fmt/cause.h"
#include "core/run/tfstate.h"

/* Another process holds terraform's lock of the state, as a terraform that lives does. */
static void R31_a_lock_that_somebody_holds_stops_the_deploy(void **state)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *dir = x_asprintf("%s/rlpilot-lock.XXXXXX", tmp ? tmp : "/tmp");
	AUTO_FREE char *primary = NULL, *file = NULL, *info = NULL;
	static const char who[] =
		"{\"ID\":\"545e1e3c\",\"Operation\":\"OperationTypeApply\",\"Who\":\"@host\","
		"\"Version\":\"1.12.2\",\"Created\":\"2026-07-13T12:50:09.335850704Z\"}";
	struct err e = {0};
	int ready[2];
	pid_t pid;
	char c;

	(void)state;
	assert_non_null(mkdtemp(dir));
	primary = path_join(dir, "primary");
	file = path_join(primary, "terraform.tfstate");
	info = path_join(primary, ".terraform.tfstate.lock.info");
	assert_int_equal(tfstate_unlocked(dir, &e), 0); /* nothing there */
	assert_int_equal(path_mkdirs(primary, &e), 0);
	assert_int_equal(path_write(file, "{}", 2, &e), 0);
	assert_int_equal(path_write(info, who, sizeof(who) - 1, &e), 0);
	assert_int_equal(tfstate_unlocked(dir, &e), 0); /* its owner is gone: no lock */
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		int fd = open(file, O_RDWR);
		(void)!(fcntl(fd, F_SETLK, &lock) == 0 && write(ready[1], "x", 1) == 1);
		pause(); /* until it is killed */
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_int_equal(tfstate_unlocked(dir, &e), -1);
	assert_string_equal(e.cause, "state-lock");
	assert_non_null(strstr(e.what, "@host"));
	assert_non_null(strstr(e.what, "2026-07-13"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(tfstate_unlocked(dir, &e), 0);
	path_remove_tree(dir, NULL);
}

static void write_state(const char *dir, const char *name, const char *id)
{
	AUTO_FREE char *file = path_join(dir, name);
	AUTO_FREE char *text = x_asprintf("{\"version\":4,\"resources\":[{\"type\":\"google_"
					  "container_cluster\",\"instances\":"
					  "[{\"attributes\":{\"id\":\"%s\"}}]}]}",
		id);

	assert_int_equal(path_write(file, text, strlen(text), NULL), 0);
}

/* A disk that was full: the newer state lies beside. It is kept, and nothing goes on without it. */
static void a_state_that_terraform_could_not_save(void **state)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *dir = x_asprintf("%s/rlpilot-errored.XXXXXX", tmp ? tmp : "/tmp");
	AUTO_FREE char *run = NULL;
	AUTO_FREE char *primary = NULL;
	AUTO_FREE char *errored = NULL;
	AUTO_FREE char *copy = NULL;
	AUTO_FREE char *newest = NULL;
	AUTO_FREE char *cluster = NULL;
	AUTO_FREE char *backup = NULL;
	struct err e = {0};

	(void)state;
	assert_non_null(mkdtemp(dir));
	run = path_join(dir, "run");
	primary = path_join(dir, "primary");
	errored = path_join(primary, "errored.tfstate");
	assert_int_equal(path_mkdirs(primary, &e), 0);
	assert_int_equal(tfstate_saved(dir, &e), 0);
	assert_int_equal(tfstate_keep(run, dir, &e), 0);
	write_state(primary, "errored.tfstate", "projects/one");
	assert_int_equal(tfstate_saved(dir, &e), -1);
	assert_string_equal(e.cause, "state-errored");
	assert_non_null(strstr(e.hint, "terraform state push errored.tfstate"));
	assert_int_equal(tfstate_keep(run, dir, &e), 0); /* alone */
	assert_int_equal(tfstate_resources(run), 1);
	write_state(primary, "terraform.tfstate", "projects/old");
	write_state(primary, "errored.tfstate", "projects/new");
	assert_int_equal(tfstate_keep(run, dir, &e), 0);
	assert_int_equal(tfstate_keep(run, dir, &e), 0); /* once */
	copy = path_join(run, "tfstate/3");
	assert_false(path_exists(copy));
	newest = tfstate_newest(run);
	assert_non_null(strstr(newest, "tfstate/2/errored.tfstate"));
	cluster = tfstate_cluster(run);
	assert_string_equal(cluster, "projects/new");
	path_remove_tree(errored, NULL); /* pushed */
	write_state(primary, "terraform.tfstate", "projects/new");
	assert_int_equal(tfstate_saved(dir, &e), 0);
	assert_int_equal(tfstate_keep(run, dir, &e), 0);
	free(newest);
	newest = tfstate_newest(run);
	assert_non_null(strstr(newest, "tfstate/3/terraform.tfstate"));
	/* half a copy is none, and the next try makes it whole */
	write_state(primary, "terraform.tfstate", "projects/later");
	backup = path_join(primary, "terraform.tfstate.backup");
	assert_int_equal(path_mkdirs(backup, NULL), 0); /* cannot be read as a file */
	assert_int_equal(tfstate_keep(run, dir, &e), -1);
	free(copy);
	copy = path_join(run, "tfstate/4");
	assert_false(path_exists(copy));
	path_remove_tree(backup, NULL);
	assert_int_equal(tfstate_keep(run, dir, &e), 0);
	assert_true(path_exists(copy));
	path_remove_tree(dir, NULL);
}

/* What a try has made whose terraform ended before its state knew. */
static void things_outside_of_the_state_have_their_command(void **state)
{
	static const struct {
		const char *said, *left, *command;
	} rows[] = {
		{"Error 409: Service account demo-gke-np-sa already exists within project "
		 "projects/lab.",
			"demo-gke-np-sa is there", "iam service-accounts delete demo-gke-np-sa@"},
		{"Error 409: The resource 'projects/lab/global/networks/demo-net-0' already exists",
			"demo-net-0 is there", "compute networks delete demo-net-0 --project"},
		{"Error 409: Already exists: projects/lab/locations/r/clusters/demo/nodePools/tpu.",
			"tpu is there", "container node-pools delete tpu --cluster demo "},
		{"Error 409: Already exists: projects/lab/locations/r/clusters/demo., "
		 "alreadyExists",
			"demo is there", "container clusters delete demo --location"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cause_hit hit;
		AUTO_FREE char *meaning = NULL, *cure = NULL;

		assert_true(cause_find(&hit, rows[i].said, strlen(rows[i].said)));
		assert_string_equal(hit.cause->id, "exists-already");
		meaning = cause_meaning(&hit);
		cure = cause_cure(&hit);
		assert_non_null(strstr(meaning, rows[i].left));
		assert_non_null(strstr(cure, rows[i].command));
	}
}

static void R86_a_network_in_use_is_told_with_the_rule_and_the_cure(void **state)
{
	static const char text[] =
		"│ Error: Error waiting for Deleting Network: The network resource "
		"'projects/my-project/global/networks/demo-net-0' is already being used by "
		"'projects/my-project/global/firewalls/demo-net-0-iyvrmjzsszuzmmbd5kdofnu3-4'";
	struct cause_hit hit;
	AUTO_FREE char *meaning = NULL, *cure = NULL;

	(void)state;
	assert_true(cause_find(&hit, text, sizeof(text) - 1));
	assert_string_equal(hit.cause->id, "network-busy");
	meaning = cause_meaning(&hit);
	cure = cause_cure(&hit);
	assert_non_null(strstr(meaning, "demo-net-0"));
	assert_non_null(strstr(meaning, "demo-net-0-iyvrmjzsszuzmmbd5kdofnu3-4"));
	assert_non_null(strstr(cure, "--robust"));
	assert_non_null(strstr(cure, "firewall-rules list --filter=network~demo-net-0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(R31_a_lock_that_somebody_holds_stops_the_deploy),
		cmocka_unit_test(a_state_that_terraform_could_not_save),
		cmocka_unit_test(things_outside_of_the_state_have_their_command),
		cmocka_unit_test(R86_a_network_in_use_is_told_with_the_rule_and_the_cure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
