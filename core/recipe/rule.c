/* SPDX-License-Identifier: Apache-2.0 */
#include "core/recipe/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/match.h"
#include "core/base/mem.h"
#include "core/base/text.h"
#include "core/recipe/recipe.h"
#include "core/recipe/values.h"

#define VALUE_MAX 1024 /* bytes; no name of any service is longer */

/* A rule is all rows of its name, in order; the first row that fails gives the reason. Naming
 * rules: bucket: the naming page of Cloud Storage; cluster: 30 characters of a service account less
 * the ten that the blueprint adds; job: the JobSet webhook's DNS label with the suffixes of its
 * pods. */
static const struct test {
	const char *rule, *pattern;
	bool must;
	const char *reason;
} tests[] = {
	{"project", "^([a-z0-9.-]+:)?[a-z]", true,
		N_("a project id begins with a lower-case letter")},
	{"project", "^([a-z0-9.-]+:)?[a-z0-9-]+$", true,
		N_("a project id holds lower-case letters, digits and hyphens only (the id, not "
		   "the name)")},
	{"project", "^([a-z0-9.-]+:)?.{6,30}$", true, N_("a project id has 6 to 30 characters")},
	{"project", "-$", false, N_("a project id does not end with a hyphen")},
	{"region", "^[a-z]+-[a-z]+[0-9]+-[a-z0-9]+$", false,
		N_("this is a zone; a region has no letter at its end (us-east5)")},
	{"region", "^[a-z]+-[a-z]+[0-9]+$", true, N_("a region looks like us-east5")},
	{"zone", "^[a-z]+-[a-z]+[0-9]+$", false,
		N_("this is a region; a zone has a letter at its end (us-east5-b)")},
	{"zone", "^[a-z]+-[a-z]+[0-9]+-[a-z][a-z0-9]*$", true, N_("a zone looks like us-east5-b")},
	{"cluster", "^[a-z]", true, N_("the name begins with a lower-case letter")},
	{"cluster", "^[a-z0-9-]+$", true,
		N_("the name holds lower-case letters, digits and hyphens only")},
	{"cluster", "^.{1,20}$", true,
		N_("the name has at most 20 characters: service accounts are called after it")},
	{"cluster", "-$", false, N_("the name does not end with a hyphen")},
	{"job", "^[a-z]([-a-z0-9]*[a-z0-9])?$", true,
		N_("a job name holds lower-case letters, digits and hyphens, and begins with a "
		   "letter")},
	{"job", "^.{1,28}$", true, N_("a job name has at most 28 characters")},
	{"bucket", "^gs://", false, N_("write the name without gs://")},
	{"bucket", "/", false, N_("write the name of the bucket only, without a folder")},
	{"bucket", "^[a-z0-9._-]+$", true,
		N_("a bucket name holds lower-case letters, digits, hyphens, underscores and dots "
		   "only")},
	{"bucket", "^[a-z0-9].*[a-z0-9]$", true,
		N_("a bucket name begins and ends with a letter or a digit")},
	{"bucket", "^([^.]{3,63}|(?=.{3,222}$).*\\..*)$", true,
		N_("a bucket name has 3 to 63 characters (222 with dots)")},
	{"bucket", "[^.]{64}|\\.\\.", false,
		N_("each part of a bucket name between dots has 1 to 63 characters")},
	{"bucket", "^[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+$", false,
		N_("a bucket name does not look like an IP address")},
	{"bucket", "^goog|g[o0][o0]g[l1]e", false,
		N_("a bucket name does not begin with goog and does not hold google")},
	{"image",
		"^[a-z0-9.-]+(:[0-9]+)?(/"
		"[a-z0-9._-]+)+(:[A-Za-z0-9_][A-Za-z0-9._-]*|@sha256:[0-9a-f]{64})$",
		true, N_("an image looks like host/path/name:tag")},
	{"machine", "^[a-z0-9]+-[a-z0-9]+-[0-9]+t$", true,
		N_("a TPU machine type looks like ct6e-standard-4t")},
	{"tpu-type", "^v[0-9]+[a-z]*-[0-9]+$", true, N_("a TPU type looks like v6e-32")},
	{"topology", "^[0-9]+x[0-9]+$", true, N_("a topology looks like 4x8")},
	{"topology", "^(1x1|2x2|2x4|4x4|4x8|8x8|8x16|16x16)$", true,
		N_("v6e has the topologies 1x1, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16 and 16x16")},
	{"count", "^[1-9][0-9]{0,2}$", true, N_("write a whole number, 1 or more")},
	{"reservation", "[, ]", false, N_("a reservation name holds no comma and no blank")},
	{"reservation",
		"^(projects/[a-z0-9.:-]+/reservations/)?[a-z]([-a-z0-9]{0,61}[a-z0-9])?"
		"(/reservationBlocks/[a-z0-9-]+)?$",
		true,
		N_("write the name of the reservation, or projects/OWNER/reservations/NAME for a "
		   "shared one")},
	{"model", "^[a-z0-9][a-z0-9._-]*$", true,
		N_("a model name of MaxText looks like gemma4-26b")},
	{"version", "^v[0-9]+\\.[0-9]+\\.[0-9]+$", true, N_("a version looks like v1.103.0")},
	{"token", "^(hf_|api_org)", true, N_("a Hugging Face token begins with hf_")},
	{"token", "^[A-Za-z0-9_]+$", true,
		N_("a token holds letters and digits only; copy it again, without quotes")},
	{"token", "^.{12,}$", true, N_("the token is too short; copy all of it")},
	{"cidr", "^([0-9]{1,3}\\.){3}[0-9]{1,3}/([0-9]|[12][0-9]|3[0-2])$", true,
		N_("write an address range like 203.0.113.7/32")},
};

bool rule_exists(const char *name)
{
	for (size_t i = 0; i < COUNT(tests); i++) {
		if (!strcmp(tests[i].rule, name))
			return true;
	}
	return false;
}

static bool say(struct buf *why, const char *reason)
{
	if (why)
		buf_adds(why, reason);
	return false;
}

static bool found(const char *pattern, const char *text)
{
	struct match *m = match_new(pattern, false, NULL);
	bool yes;

	if (!m)
		die("a rule has a wrong pattern: %s", pattern);
	yes = match_find(m, text, strlen(text), 0, NULL, 0);
	match_free(m);
	return yes;
}

bool rule_named(const char *rule, const char *text, struct buf *why)
{
	for (size_t i = 0; i < COUNT(tests); i++) {
		const struct test *t = &tests[i];

		if (!strcmp(t->rule, rule) && found(t->pattern, text) != t->must)
			return say(why, _(t->reason));
	}
	return true;
}

static bool matches(const struct recipe_variable *v, const char *text)
{
	struct match *m = match_new(v->match, false, NULL);
	bool yes = m && match_full(m, text);

	match_free(m);
	return yes;
}

uint32_t rule_chips(const char *topology)
{
	uint64_t product = 1;

	for (const char *s = topology;; s++) {
		char *end;
		unsigned long n = *s >= '1' && *s <= '9' ? strtoul(s, &end, 10) : 0;

		product *= n;
		if (!n || n > 1 << 20 || product > 1 << 20)
			return 0;
		if (!*end)
			return (uint32_t)product;
		if (*end != 'x')
			return 0;
		s = end;
	}
}

bool rule_region_of(const char *zone, char *out, size_t size)
{
	const char *dash = strrchr(zone, '-');

	if (!dash || dash == zone || (size_t)(dash - zone) >= size ||
		!found("^[a-z]+-[a-z]+[0-9]+-[a-z][a-z0-9]*$", zone))
		return false;
	memcpy(out, zone, (size_t)(dash - zone));
	out[dash - zone] = '\0';
	return true;
}

/* Values that must agree with each other. */
static bool agrees(const char *rule, const char *text, const struct values *others, struct buf *why)
{
	const char *zone = values_get(others, "ZONE"), *topology = values_get(others, "TOPOLOGY");
	char region[64];

	if (!strcmp(rule, "region") && zone && rule_region_of(zone, region, sizeof(region)) &&
		strcmp(region, text)) {
		if (why)
			buf_addf(why, _("the zone %s lies in %s, not in %s"), zone, region, text);
		return false;
	}
	if (!strcmp(rule, "tpu-type") && topology) {
		uint32_t chips = rule_chips(topology);

		if (chips && (uint32_t)strtoul(strrchr(text, '-') + 1, NULL, 10) != chips) {
			if (why)
				buf_addf(why, _("the topology %s has %u chips, %s another number"),
					topology, chips, text);
			return false;
		}
	}
	return true;
}

/* A secret in a field that is shown and saved. */
static bool is_token(const char *text)
{
	return strlen(text) > 12 && found("^(hf_|api_org_)[A-Za-z0-9]+$", text);
}

bool rule_variable(const struct recipe *r, const struct recipe_variable *v, const char *text,
	const struct values *others, struct buf *why)
{
	(void)r;
	if (!*text)
		return v->optional || say(why, _("a value is needed"));
	if (strlen(text) > VALUE_MAX)
		return say(why, _("far too long for a value"));
	if (!text_is_ascii(text))
		return say(why, _("plain ASCII only: the services take no other letters"));
	for (const char *s = text; *s; s++) {
		if ((unsigned char)*s < 0x21 || *s == 0x7f)
			return say(why, _("no blanks and no control characters"));
	}
	if (!v->secret && is_token(text))
		return say(why, _("this looks like a Hugging Face token; it belongs in HF_TOKEN"));
	if (v->rule && (!rule_named(v->rule, text, why) || !agrees(v->rule, text, others, why)))
		return false;
	if (v->match && !matches(v, text))
		return say(why, recipe_text(&v->reason));
	return true;
}

static bool in_limits(const struct recipe_param *p, double n, struct buf *why)
{
	if (p->min == p->max || (n >= p->min && n <= p->max))
		return true;
	if (why)
		buf_addf(why, _("write a number from %g to %g"), p->min, p->max);
	return false;
}

static bool is_number(const char *text, double *n)
{
	char *end;

	*n = strtod(text, &end);
	return *text && !*end && isfinite(*n);
}

bool rule_parameter(const struct recipe_param *p, const char *text, struct buf *why)
{
	const char *type = p->type ? p->type : "text";
	int64_t i;
	double n;

	if (!strcmp(type, "int"))
		return text_to_i64(text, INT32_MIN, INT32_MAX, &i)
			       ? say(why, _("write a whole number"))
			       : in_limits(p, (double)i, why);
	if (!strcmp(type, "real"))
		return is_number(text, &n) ? in_limits(p, n, why) : say(why, _("write a number"));
	if (!strcmp(type, "bool"))
		return !strcmp(text, "True") || !strcmp(text, "False") || !strcmp(text, "true") ||
		       !strcmp(text, "false") || say(why, _("write True or False"));
	if (!strcmp(type, "choice")) {
		for (size_t k = 0; k < p->choices.n; k++) {
			if (!strcmp(p->choices.items[k], text))
				return true;
		}
		say(why, _("choose one of:"));
		for (size_t k = 0; why && k < p->choices.n; k++)
			buf_addf(why, " %s", p->choices.items[k]);
		return false;
	}
	if (strlen(text) > VALUE_MAX)
		return say(why, _("far too long for a value"));
	if (is_token(text))
		return say(why, _("this looks like a Hugging Face token; it belongs in HF_TOKEN"));
	return found("^[A-Za-z0-9_./:@%+=-]+$", text) ||
	       say(why, _("letters, digits and _ . / : @ % + = - only"));
}
