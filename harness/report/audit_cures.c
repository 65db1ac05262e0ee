/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cures that an audit proposes, with what came of them. A cure that does not help is withdrawn. */
#include "harness/report/audit_cures.h"

#include "harness/report/cure.h"
#include "harness/report/format.h"

static const char *describe_verdict(const struct ifr_audit_cure *cure) {
	if (!cure->cure.result)
		return "not measured";
	switch (cure->cure.result->effect) {
	case IFR_CURE_HELPS:
		return "helps";
	case IFR_CURE_HARMS:
	case IFR_CURE_DOES_NOTHING:
		return "withdrawn";
	default:
		return "not decided";
	}
}

static void put_point(struct ifr_buffer *text, struct ifr_buffer *out) {
	struct ifr_buffer plain = {0};
	ifr_escape_plain(&plain, ifr_buffer_text(text));
	if (text->length)
		ifr_text_wrap(out, ifr_buffer_text(&plain), "  - ", "    ");
	ifr_buffer_clear(text);
	ifr_buffer_release(&plain);
}

/* The most of the event that the cure is to remove, in any context. */
static void say_event(const struct ifr_audit_cure *cure, struct ifr_buffer *text) {
	double most[2];
	if (cure->event && ifr_cure_find_most(cure->cure.result, cure->event, most))
		ifr_buffer_printf(text, "%s in the context that has most: %.6g without the cure, %.6g with it.",
		                  cure->event, most[0], most[1]);
}

static void put_measured(const struct ifr_audit_cure *cure, struct ifr_buffer *out) {
	struct ifr_buffer text = {0};
	cure_say_mean(cure->cure.result, &text);
	put_point(&text, out);
	cure_say_spread(cure->cure.result, &text);
	put_point(&text, out);
	say_event(cure, &text);
	put_point(&text, out);
	ifr_format_put_warnings(&cure->cure.result->dataset, out);
	if (cure->cure.result->effect == IFR_CURE_OPEN) {
		ifr_buffer_puts(&text, cure->cure.result->comparison.exact
		                           ? "It is not advised."
		                           : "The same command with larger --runs or --budget goes on, and may decide.");
		put_point(&text, out);
	} else {
		cure_put_application(&cure->cure, out);
	}
	ifr_buffer_release(&text);
}

static void put_cure(size_t number, const struct ifr_audit_cure *cure, struct ifr_buffer *out) {
	struct ifr_buffer text = {0}, plain = {0};
	ifr_buffer_printf(&text, "cure %zu, of %s, %s: ", number, cure->trigger, describe_verdict(cure));
	cure_put_lines(cure->cure.plan, &text);
	ifr_escape_plain(&plain, ifr_buffer_text(&text));
	ifr_buffer_puts(out, "\n");
	ifr_text_wrap(out, ifr_buffer_text(&plain), "", "  ");
	ifr_buffer_clear(&text);
	ifr_buffer_printf(&text, "Why: %s.", cure->reason);
	put_point(&text, out);
	if (cure->cure.result) {
		put_measured(cure, out);
	} else {
		ifr_buffer_printf(&text, "It was not measured, and so is not advised: %s.", cure->why_not);
		put_point(&text, out);
	}
	ifr_buffer_release(&plain);
	ifr_buffer_release(&text);
}

void audit_cures_text(const struct ifr_audit_report *audit, struct ifr_buffer *out) {
	bool found = false;
	for (size_t i = 0; i < audit->count; i++)
		found |= audit->rows[i].found;
	if (!found || !audit->cures_wanted)
		return;
	if (!audit->cure_count)
		ifr_text_wrap(
			out,
			"No cure is proposed: the mechanism has no name, or there is no change of layout against it. "
			"\"interfero cure\" measures one of your own.",
			"\n", "");
	for (size_t i = 0; i < audit->cure_count; i++)
		put_cure(i + 1, &audit->cures[i], out);
}

/* --- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *json_event(const struct ifr_audit_cure *cure) {
	double most[2];
	if (!cure->event || !cure->cure.result || !ifr_cure_find_most(cure->cure.result, cure->event, most))
		return json_null();
	json_t *made = json_object();
	ifr_json_set(made, "name", ifr_json_text(cure->event));
	ifr_json_set(made, "most_without", ifr_json_number(most[0]));
	ifr_json_set(made, "most_with", ifr_json_number(most[1]));
	return made;
}

static json_t *json_cure(const struct ifr_audit_cure *cure) {
	json_t *made = json_object();
	ifr_json_set(made, "trigger", ifr_json_text(cure->trigger));
	ifr_json_set(made, "verdict", ifr_json_text(describe_verdict(cure)));
	ifr_json_set(made, "plan", ifr_json_text(cure->cure.plan));
	ifr_json_set(made, "reason", ifr_json_text(cure->reason));
	ifr_json_set(made, "not_measured_because", cure->cure.result ? json_null() : ifr_json_text(cure->why_not));
	ifr_json_set(made, "event", json_event(cure));
	if (!cure->cure.result)
		return made;
	const struct ifr_dataset *dataset = &cure->cure.result->dataset;
	ifr_json_set(made, "experiment", ifr_json_text(cure->cure.experiment));
	ifr_json_set(made, "seed", ifr_json_text(ifr_dataset_fact(dataset, "seed")));
	ifr_json_set(made, "sweep", ifr_json_text(ifr_dataset_fact(dataset, "sweep")));
	cure_json_result(cure->cure.result, made);
	return made;
}

json_t *audit_cures_json(const struct ifr_audit_report *audit) {
	json_t *made = json_array();
	for (size_t i = 0; i < audit->cure_count; i++)
		json_array_append_new(made, json_cure(&audit->cures[i]));
	return made;
}
