/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/report/audit_code.h"

#include <inttypes.h>
#include <stdlib.h>

#include "harness/output/output.h"
#include "harness/report/format.h"
#include "harness/report/unit_map.h"

/* No finding is significant among all the functions: the one that runs most is asked first. */
static void say_suspect(const struct ifr_audit_code *code, struct ifr_buffer *text) {
	char *unit = map_unit_words(code->finding->unit);
	ifr_buffer_printf(text, "%s", unit);
	if (code->finding->source)
		ifr_buffer_printf(text, " (%s)", code->finding->source);
	ifr_buffer_puts(text, " has ");
	ifr_format_pct(text, 100 * code->share);
	ifr_buffer_puts(text, " of the samples; no place of a function explains the differences by itself");
	free(unit);
}

static void say_addresses(const struct ifr_audit_code *code, struct ifr_buffer *text) {
	if (code->address[0] && code->address[1])
		ifr_buffer_printf(text, ". It lies at 0x%" PRIx64 " in the worst layout, at 0x%" PRIx64 " in the best",
		                  code->address[1], code->address[0]);
	if (code->alike)
		ifr_buffer_printf(text, "; %zu more function%s move%s with it", code->alike, code->alike == 1 ? "" : "s",
		                  code->alike == 1 ? "s" : "");
}

void audit_code_text(const struct ifr_audit_row *row, struct ifr_buffer *out) {
	const struct ifr_audit_code *code = row->code;
	struct ifr_buffer text = {0};
	if (!code)
		return;
	if (code->significant)
		ifr_finding_describe(code->finding, &text);
	else
		say_suspect(code, &text);
	say_addresses(code, &text);
	ifr_buffer_puts(&text, ". ");
	if (code->confirmed)
		ifr_confirmation_describe(code->finding, &code->comparison, &text);
	else if (code->confirmed_for)
		ifr_buffer_printf(&text, "What moving it alone does stands under %s.", code->confirmed_for);
	else if (code->why_not.code)
		ifr_buffer_printf(&text, "It was not moved alone: %s.", code->why_not.message);
	ifr_text_wrap(out, ifr_buffer_text(&text), "  - ", "    ");
	ifr_buffer_release(&text);
}

static json_t *json_confirmation(const struct ifr_audit_code *code) {
	const struct ifr_comparison *c = &code->comparison;
	json_t *made = json_object();
	if (!code->confirmed) {
		json_decref(made);
		return json_null();
	}
	ifr_json_set(made, "experiment", ifr_json_text(code->experiment));
	ifr_json_set(made, "holds", json_boolean(c->interval.low > 1));
	ifr_json_set(made, "layouts", ifr_json_count(c->layouts[1]));
	ifr_json_set(made, "ratio", ifr_json_number(c->ratio));
	ifr_json_set(made, "low", ifr_json_number(c->interval.low));
	ifr_json_set(made, "high", ifr_json_number(c->interval.high));
	ifr_json_set(made, "confidence", ifr_json_number(c->confidence));
	return made;
}

json_t *audit_code_json(const struct ifr_audit_row *row) {
	const struct ifr_audit_code *code = row->code;
	unsigned best, worst, bytes, frame;
	if (!code)
		return json_null();
	json_t *made = json_object();
	ifr_feature_class_extent(code->finding->feature, (unsigned)code->finding->classes.lowest, &best, &bytes,
	                         &frame);
	ifr_feature_class_extent(code->finding->feature, (unsigned)code->finding->classes.highest, &worst, &bytes,
	                         &frame);
	ifr_json_set(made, "unit", ifr_json_text(code->finding->unit));
	ifr_json_set(made, "source", ifr_json_text(code->finding->source));
	ifr_json_set(made, "significant", json_boolean(code->significant));
	ifr_json_set(made, "share_of_samples", ifr_json_number(code->share));
	ifr_json_set(made, "share_of_variation", ifr_json_number(code->finding->classes.share));
	ifr_json_set(made, "p_adjusted", ifr_json_number(code->finding->p_adjusted));
	ifr_json_set(made, "frame_bytes", json_integer(frame));
	ifr_json_set(made, "best_offset", json_integer(best));
	ifr_json_set(made, "worst_offset", json_integer(worst));
	ifr_json_set(made, "best_address",
	             code->address[0] ? json_integer((json_int_t)code->address[0]) : json_null());
	ifr_json_set(made, "worst_address",
	             code->address[1] ? json_integer((json_int_t)code->address[1]) : json_null());
	ifr_json_set(made, "alike", ifr_json_count(code->alike));
	ifr_json_set(made, "confirmation", json_confirmation(code));
	ifr_json_set(made, "confirmed_for", ifr_json_text(code->confirmed_for));
	ifr_json_set(made, "not_confirmed_because",
	             code->why_not.code ? ifr_json_text(code->why_not.message) : json_null());
	return made;
}
