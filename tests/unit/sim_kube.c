/* SPDX-License-Identifier: Apache-2.0 */
/* The API server's memory, selectors, patches and the truth of a training run, without sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/buf.h"
#include "core/base/mem.h"
#include "core/fmt/json.h"
#include "sim/kstore.h"
#include "sim/kube_call.h"
#include "sim/kube_select.h"
#include "sim/kube_types.h"
#include "sim/load_events.h"
#include "sim/load_model.h"

static int64_t fixed_now(void *arg)
{
	(void)arg;
	return 1787400000000;
}

static json_t *object(const char *ns, const char *name, const char *label)
{
	return json_pack("{s:{s:s, s:s, s:{s:s}}, s:{s:i}}", "metadata", "name", name, "namespace",
		ns, "labels", "app", label, "spec", "n", 1);
}

static json_t *owned(const char *name, const json_t *owner)
{
	json_t *o = object("default", name, "x");

	json_object_set_new(json_object_get(o, "metadata"), "ownerReferences",
		json_pack("[{s:s}]", "uid", kstore_uid(owner)));
	return o;
}

struct seen {
	char text[512];
};

static void note(void *arg, const struct kevent *ev)
{
	static const char letters[] = "AMD";
	struct seen *s = arg;
	size_t n = strlen(s->text);

	snprintf(s->text + n, sizeof(s->text) - n, "%c%s ", letters[ev->type],
		kstore_name(ev->object));
}

static void test_store_fills_identity(void **state)
{
	struct kstore *ks = kstore_new(fixed_now, NULL, 1);
	json_t *o;

	(void)state;
	assert_int_equal(kstore_create(ks, "pods", object("default", "a", "x")), KSTORE_OK);
	assert_int_equal(kstore_create(ks, "pods", object("default", "a", "x")), KSTORE_EXISTS);
	o = kstore_get(ks, "pods", "default", "a");
	assert_non_null(o);
	assert_int_equal(strlen(kstore_uid(o)), 36);
	assert_string_equal(json_path_str(o, "metadata.creationTimestamp"), "2026-08-22T12:00:00Z");
	assert_int_equal(json_path_i64(o, "metadata.generation", 0), 1);
	assert_int_equal(json_path_i64(o, "metadata.resourceVersion", 0), kstore_version(ks));
	assert_null(kstore_get(ks, "pods", "other", "a"));
	assert_int_equal(kstore_delete(ks, "pods", "default", "b"), KSTORE_MISSING);
	kstore_free(ks);
}

static void test_store_update_keeps_identity(void **state)
{
	struct kstore *ks = kstore_new(fixed_now, NULL, 1);
	int64_t rv;
	json_t *o;

	(void)state;
	kstore_create(ks, "pods", object("default", "a", "x"));
	rv = kstore_version(ks);
	o = kstore_edit(ks, "pods", "default", "a");
	assert_int_equal(kstore_update(ks, "pods", o), KSTORE_OK);
	assert_int_equal(kstore_version(ks), rv); /* no change is no event */
	o = kstore_edit(ks, "pods", "default", "a");
	json_object_set_new(json_object_get(o, "spec"), "n", json_integer(2));
	json_object_set_new(json_object_get(o, "metadata"), "creationTimestamp", json_string("x"));
	assert_int_equal(kstore_update(ks, "pods", o), KSTORE_OK);
	o = kstore_get(ks, "pods", "default", "a");
	assert_int_equal(json_path_i64(o, "metadata.generation", 0), 2);
	assert_string_equal(json_path_str(o, "metadata.creationTimestamp"), "2026-08-22T12:00:00Z");
	o = kstore_edit(ks, "pods", "default", "a");
	json_object_set_new(json_object_get(o, "metadata"), "resourceVersion", json_string("1"));
	assert_int_equal(kstore_update(ks, "pods", o), KSTORE_CONFLICT);
	kstore_free(ks);
}

static void test_store_history_expires(void **state)
{
	struct kstore *ks = kstore_new(fixed_now, NULL, 1);
	struct seen seen = {""};
	int64_t start = kstore_version(ks), middle;

	(void)state;
	kstore_set_history(ks, 3);
	kstore_create(ks, "pods", object("default", "a", "x"));
	middle = kstore_version(ks);
	kstore_create(ks, "pods", object("default", "b", "x"));
	kstore_create(ks, "nodes", object("", "n", "x"));
	kstore_delete(ks, "pods", "default", "a");
	assert_false(kstore_replay(ks, "pods", start, note, &seen));
	assert_string_equal(seen.text, "");
	assert_true(kstore_replay(ks, "pods", middle, note, &seen));
	assert_string_equal(seen.text, "Ab Da ");
	kstore_free(ks);
}

static bool spare(void *arg, const char *res, json_t *o)
{
	(void)o;
	(void)arg;
	return !strcmp(res, "pods");
}

static void test_store_cascade(void **state)
{
	struct kstore *ks = kstore_new(fixed_now, NULL, 1);
	struct seen seen = {""};
	json_t *top, *job;

	(void)state;
	kstore_create(ks, "jobsets", object("default", "top", "x"));
	top = kstore_get(ks, "jobsets", "default", "top");
	kstore_create(ks, "jobs", owned("job", top));
	job = kstore_get(ks, "jobs", "default", "job");
	kstore_create(ks, "pods", owned("p1", job));
	kstore_create(ks, "pods", owned("p2", job));
	kstore_create(ks, "jobs", object("default", "stranger", "x"));
	kstore_on_cascade(ks, spare, NULL);
	kstore_listen(ks, note, &seen);
	kstore_delete(ks, "jobsets", "default", "top");
	assert_string_equal(seen.text, "Dtop Djob ");
	assert_non_null(kstore_get(ks, "pods", "default", "p1"));
	assert_non_null(kstore_get(ks, "jobs", "default", "stranger"));
	kstore_free(ks);
}

static void test_store_paging(void **state)
{
	static const char *const names[] = {"c", "a", "b", "d"};
	struct kstore *ks = kstore_new(fixed_now, NULL, 1);
	size_t at = 0;
	json_t *o;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		kstore_create(ks, "pods", object(i == 3 ? "zz" : "default", names[i], "x"));
	assert_string_equal(kstore_name(kstore_next(ks, "pods", "default", &at)), "a");
	at = kstore_after(ks, "pods", "default/b");
	assert_string_equal(kstore_name(kstore_next(ks, "pods", "default", &at)), "c");
	assert_null(kstore_next(ks, "pods", "default", &at));
	at = kstore_after(ks, "pods", "default/c");
	o = kstore_next(ks, "pods", NULL, &at);
	assert_string_equal(kstore_name(o), "d");
	kstore_free(ks);
}

static bool labels_match(const char *selector)
{
	struct kube_select s = {0};
	char *why = NULL;
	json_t *o = object("default", "a", "web");
	bool ok = kube_select_labels(&s, selector, &why) && kube_select_match(&s, o);

	free(why);
	kube_select_fini(&s);
	json_decref(o);
	return ok;
}

static void test_label_selectors(void **state)
{
	(void)state;
	assert_true(labels_match(NULL));
	assert_true(labels_match("app=web"));
	assert_true(labels_match("app==web,!other"));
	assert_true(labels_match("app in (db, web),app"));
	assert_true(labels_match("other notin (x)"));
	assert_true(labels_match("app!=db"));
	assert_false(labels_match("app=db"));
	assert_false(labels_match("app notin (web)"));
	assert_false(labels_match("app in (web"));
	assert_false(labels_match("app=web,other"));
}

static void test_field_selectors(void **state)
{
	struct kube_select s = {0};
	char *why = NULL;
	json_t *o = object("default", "a", "web");

	(void)state;
	json_object_set_new(json_object_get(o, "spec"), "nodeName", json_string("n1"));
	assert_true(kube_select_fields(&s, KUBE_PODS, "metadata.name=a,spec.nodeName=n1", &why));
	assert_true(kube_select_match(&s, o));
	kube_select_fini(&s);
	assert_true(kube_select_fields(&s, KUBE_PODS, "spec.nodeName!=n1", &why));
	assert_false(kube_select_match(&s, o));
	kube_select_fini(&s);
	assert_false(kube_select_fields(&s, KUBE_JOBSETS, "spec.suspend=true", &why));
	assert_string_equal(why, "field label not supported: spec.suspend");
	free(why);
	kube_select_fini(&s);
	json_decref(o);
}

static void patched(const char *type, const char *patch, const char *want)
{
	json_t *target = json_loads(
		"{\"a\":{\"b\":1},\"list\":[{\"name\":\"x\",\"v\":1},{\"name\":\"y\"}]}", 0, NULL);
	json_t *p = json_loads(patch, 0, NULL);
	char *why = NULL, *text;
	json_t *out = kube_patch_apply(type, target, p, &why);

	text = out ? json_dumps(out, JSON_COMPACT) : NULL;
	if (want)
		assert_string_equal(text, want);
	else
		assert_null(text);
	free(text);
	free(why);
	json_decref(out);
	json_decref(p);
	json_decref(target);
}

static void test_patches(void **state)
{
	(void)state;
	patched("application/merge-patch+json", "{\"a\":{\"c\":2},\"list\":null}",
		"{\"a\":{\"b\":1,\"c\":2}}");
	patched("application/strategic-merge-patch+json",
		"{\"$setElementOrder/list\":[],\"list\":[{\"name\":\"x\",\"v\":7},{\"name\":\"y\","
		"\"$patch\":\"delete\"}]}",
		"{\"a\":{\"b\":1},\"list\":[{\"name\":\"x\",\"v\":7}]}");
	patched("application/json-patch+json",
		"[{\"op\":\"test\",\"path\":\"/a/b\",\"value\":1},{\"op\":\"add\",\"path\":\"/a/"
		"c~1d\","
		"\"value\":3},{\"op\":\"remove\",\"path\":\"/list/0\"}]",
		"{\"a\":{\"b\":1,\"c/d\":3},\"list\":[{\"name\":\"y\"}]}");
	patched("application/json-patch+json", "[{\"op\":\"test\",\"path\":\"/a/b\",\"value\":2}]",
		NULL);
	patched("application/json-patch+json", "[{\"op\":\"replace\",\"path\":\"/q\",\"value\":2}]",
		NULL);
}

/* The vector of facts/maxtext-run.md section 2.4, and the check value of CRC32C. */
static void test_event_record(void **state)
{
	static const unsigned char want[] = {0x27, 0, 0, 0, 0, 0, 0, 0, 0xbb, 0xe1, 0xb1, 0x46,
		0x09, 0, 0, 0, 0xd0, 0x63, 0xa2, 0xda, 0x41, 0x10, 0x07, 0x2a, 0x1a, 0x0a, 0x18,
		0x0a, 0x11, 0x72, 0x65, 0x77, 0x61, 0x72, 0x64, 0x73, 0x2f, 0x74, 0x72, 0x61, 0x69,
		0x6e, 0x2f, 0x73, 0x75, 0x6d, 0x15, 0, 0, 0, 0x3f, 0xf1, 0x49, 0xda, 0xb9};
	struct buf file = {0};

	(void)state;
	assert_int_equal(events_crc("123456789", 9), 0xe3069283u);
	events_scalar(&file, 1787400000, 7, "rewards/train/sum", 0.5f);
	assert_int_equal(file.len, sizeof(want));
	assert_memory_equal(file.data, want, sizeof(want));
	buf_fini(&file);
}

static float reward(uint64_t seed, int g)
{
	struct model_metric m[MODEL_METRICS_MAX];

	assert_true(model_rewards(seed, g, 50, 16, 384, m) > 10);
	assert_string_equal(m[0].tag, "rewards/train/sum");
	return m[0].value;
}

static void test_two_seeds_two_curves(void **state)
{
	double early = 0, late = 0;
	int differ = 0;

	(void)state;
	for (int g = 0; g < 50; g++) {
		differ += reward(1, g) != reward(2, g);
		assert_true(reward(1, g) == reward(1, g));
		assert_true(reward(1, g) >= 0 && reward(1, g) <= 1.1f);
		early += g < 10 ? reward(1, g) : 0;
		late += g >= 40 ? reward(1, g) : 0;
	}
	assert_true(differ > 30);
	assert_true(late > early); /* training helps */
	assert_true(model_eval(1, 50, 50, 20).mean_reward > model_eval(1, 0, 50, 20).mean_reward);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_store_fills_identity),
		cmocka_unit_test(test_store_update_keeps_identity),
		cmocka_unit_test(test_store_history_expires),
		cmocka_unit_test(test_store_cascade),
		cmocka_unit_test(test_store_paging),
		cmocka_unit_test(test_label_selectors),
		cmocka_unit_test(test_field_selectors),
		cmocka_unit_test(test_patches),
		cmocka_unit_test(test_event_record),
		cmocka_unit_test(test_two_seeds_two_curves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
