/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kube_select.h"

#include "core/base/mem.h"
#include "core/base/text.h"
#include "sim/kube_types.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum need_op { NEED_IN, NEED_NOT_IN, NEED_EXISTS, NEED_ABSENT };

struct kube_need {
	char *key;
	bool label;
	enum need_op op;
	struct strvec values;
};

/* Cuts blanks off both ends, in place. */
static char *trim(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	for (end = s + strlen(s); end > s && isspace((unsigned char)end[-1]);)
		*--end = '\0';
	return s;
}

static struct kube_need *add(struct kube_select *s, bool label, enum need_op op, const char *key)
{
	struct kube_need *need = VEC_PUSH(s);

	need->label = label;
	need->op = op;
	need->key = x_strdup(key);
	return need;
}

static bool add_set(struct kube_select *s, char *part, char *open, char **why)
{
	char *end = strchr(open, ')');
	char *word;
	bool not_in;
	struct kube_need *need;

	*open = '\0';
	part = trim(part);
	word = strrchr(part, ' ');
	not_in = word && !strcmp(word + 1, "notin");
	if (!end || !word || (!not_in && strcmp(word + 1, "in") != 0)) {
		*why = x_asprintf("unable to parse requirement: found '%s', expected: in, notin, "
				  "=, ==, !=, gt, lt",
			part);
		return false;
	}
	*end = '\0';
	*word = '\0';
	if (text_ends(trim(part), " not"))
		return false;
	need = add(s, true, not_in ? NEED_NOT_IN : NEED_IN, trim(part));
	strvec_split(&need->values, open + 1, ", ");
	return true;
}

static bool add_part(struct kube_select *s, bool label, char *part, char **why)
{
	char *open = label ? strchr(part, '(') : NULL;
	char *eq = strchr(part, '=');
	struct kube_need *need;

	if (open)
		return add_set(s, part, open, why);
	if (!eq && !label) {
		*why = x_asprintf("invalid selector: '%s'; can't understand '%s'", part, part);
		return false;
	}
	if (!eq) {
		part = trim(part);
		if (*part == '!')
			add(s, label, NEED_ABSENT, trim(part + 1));
		else
			add(s, label, NEED_EXISTS, part);
		return true;
	}
	if (eq > part && eq[-1] == '!') {
		eq[-1] = '\0';
		need = add(s, label, NEED_NOT_IN, trim(part));
	} else {
		*eq = '\0';
		need = add(s, label, NEED_IN, trim(part));
		if (eq[1] == '=')
			eq++;
	}
	strvec_push(&need->values, trim(eq + 1));
	return true;
}

static bool parse(struct kube_select *s, bool label, const char *text, char **why)
{
	AUTO_FREE char *copy = x_strdup(text ? text : "");
	char *part = copy;
	int depth = 0;

	if (!*copy)
		return true;
	for (char *p = copy;; p++) {
		char c = *p;

		depth += c == '(' ? 1 : c == ')' ? -1 : 0;
		if (c && (c != ',' || depth > 0))
			continue;
		*p = '\0';
		if (*trim(part) && !add_part(s, label, part, why))
			return false;
		if (!c)
			return true;
		part = p + 1;
	}
}

bool kube_select_labels(struct kube_select *s, const char *text, char **why)
{
	return parse(s, true, text, why);
}

static const char *const pod_fields[] = {"spec.nodeName", "spec.restartPolicy",
	"spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork", "status.phase",
	"status.podIP", "status.nominatedNodeName", NULL};
static const char *const event_fields[] = {"involvedObject.kind", "involvedObject.namespace",
	"involvedObject.name", "involvedObject.uid", "involvedObject.apiVersion",
	"involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
	"reportingComponent", "source", "type", NULL};
static const char *const node_fields[] = {"spec.unschedulable", NULL};
static const char *const job_fields[] = {"status.successful", NULL};

static const struct {
	const char *key;
	const char *const *fields;
} field_table[] = {
	{KUBE_PODS, pod_fields},
	{KUBE_EVENTS, event_fields},
	{KUBE_NODES, node_fields},
	{KUBE_JOBS, job_fields},
};

static bool field_known(const char *key, const char *field)
{
	if (!strcmp(field, "metadata.name") || !strcmp(field, "metadata.namespace"))
		return true;
	for (size_t i = 0; i < COUNT(field_table); i++) {
		if (strcmp(field_table[i].key, key) != 0)
			continue;
		for (const char *const *f = field_table[i].fields; *f; f++) {
			if (!strcmp(*f, field))
				return true;
		}
	}
	return false;
}

bool kube_select_fields(struct kube_select *s, const char *key, const char *text, char **why)
{
	size_t before = s->n;

	if (!parse(s, false, text, why))
		return false;
	for (size_t i = before; i < s->n; i++) {
		if (field_known(key, s->items[i].key))
			continue;
		*why = x_asprintf("field label not supported: %s", s->items[i].key);
		return false;
	}
	return true;
}

/* Value of a dotted path; "" when absent; bools as words. */
static const char *field_value(const json_t *o, const char *path)
{
	AUTO(strvec_fini) struct strvec parts = {0};

	strvec_split(&parts, path, ".");
	for (size_t i = 0; i < parts.n; i++)
		o = json_object_get(o, parts.items[i]);
	if (json_is_boolean(o))
		return json_is_true(o) ? "true" : "false";
	if (json_is_object(o)) /* events: "source" is its component */
		o = json_object_get(o, "component");
	return json_string_value(o) ? json_string_value(o) : "";
}

static bool need_met(const struct kube_need *need, const json_t *object)
{
	json_t *labels = json_object_get(json_object_get(object, "metadata"), "labels");
	const char *value = need->label ? json_string_value(json_object_get(labels, need->key))
					: field_value(object, need->key);

	switch (need->op) {
	case NEED_EXISTS:
		return value != NULL;
	case NEED_ABSENT:
		return value == NULL;
	case NEED_IN:
		return value && strvec_find(&need->values, value) >= 0;
	case NEED_NOT_IN:
		return !value || strvec_find(&need->values, value) < 0;
	}
	return false;
}

bool kube_select_match(const struct kube_select *s, const json_t *object)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!need_met(&s->items[i], object))
			return false;
	}
	return true;
}

void kube_select_fini(struct kube_select *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].key);
		strvec_fini(&s->items[i].values);
	}
	free(s->items);
	*s = (struct kube_select){0};
}
