/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures by a regular expression: its groups are the value; name and value; or name, value and unit. */
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "harness/metrics/formats.h"

enum { GROUPS_MOST = 3 };

struct pattern {
	regex_t expression;
	size_t groups;
};

int pattern_open(const char *expression, struct pattern **pattern, struct ifr_error *err) {
	struct pattern *made = ifr_alloc(sizeof *made);
	int code = regcomp(&made->expression, expression, REG_EXTENDED | REG_NEWLINE);
	if (code) {
		char why[160];
		regerror(code, &made->expression, why, sizeof why);
		free(made);
		return ifr_fail(err, IFR_E_USAGE, "--metrics regex: \"%.200s\": %s", expression, why);
	}
	made->groups = made->expression.re_nsub;
	*pattern = made;
	if (made->groups >= 1 && made->groups <= GROUPS_MOST)
		return 0;
	pattern_close(made);
	*pattern = NULL;
	return ifr_fail(err, IFR_E_USAGE,
	                "--metrics regex: \"%.200s\" needs one to three groups: (VALUE), (NAME)…(VALUE), or "
	                "(NAME)…(VALUE)…(UNIT)",
	                expression);
}

void pattern_close(struct pattern *pattern) {
	if (!pattern)
		return;
	regfree(&pattern->expression);
	free(pattern);
}

static char *take_group(const char *text, const regmatch_t *match) {
	if (match->rm_so < 0)
		return ifr_strdup("");
	return ifr_format("%.*s", (int)(match->rm_eo - match->rm_so), text + match->rm_so);
}

static void add_match(const struct pattern *pattern, const char *text, const regmatch_t *matches, size_t number,
                      struct ifr_observations *observations) {
	char *name = pattern->groups == 1 ? number ? ifr_format("figure %zu", number + 1) : ifr_strdup("figure")
	                                  : take_group(text, &matches[1]);
	char *value = take_group(text, &matches[pattern->groups == 1 ? 1 : 2]), *end;
	char *unit = pattern->groups == GROUPS_MOST ? take_group(text, &matches[3]) : ifr_strdup("");
	double number_read = strtod(value, &end), ns = time_unit_ns(unit);
	if (end != value && !*end && isfinite(number_read) && *name) {
		struct ifr_observation *made = observations_add(observations, name);
		observation_add_value(made, name, isfinite(ns) ? "ns" : unit,
		                      isfinite(ns) ? number_read * ns : number_read);
	}
	free(unit);
	free(value);
	free(name);
}

void pattern_parse(const struct pattern *pattern, const char *text, struct ifr_observations *observations) {
	regmatch_t matches[GROUPS_MOST + 1];
	int flags = 0;
	for (size_t number = 0; observations->count < IFR_OBSERVATIONS_MOST; number++) {
		if (regexec(&pattern->expression, text, pattern->groups + 1, matches, flags))
			return;
		add_match(pattern, text, matches, number, observations);
		if (!text[matches[0].rm_eo])
			return;
		/* An empty match moves on by a character. */
		text += matches[0].rm_eo + (matches[0].rm_eo == matches[0].rm_so);
		flags = text[-1] == '\n' ? 0 : REG_NOTBOL;
	}
}
