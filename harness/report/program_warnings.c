/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The warnings about a program's behaviour that a campaign wrote down. */
#include "harness/output/output.h"
#include "harness/report/format.h"

void ifr_format_program_warnings(const struct ifr_dataset *dataset, struct ifr_strings *texts) {
	static const char *const facts[] = {"threads", "left processes", "own iterations"};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		if (ifr_dataset_fact(dataset, facts[i]))
			ifr_strings_add(texts, ifr_dataset_fact(dataset, facts[i]));
}

void ifr_format_put_warnings(const struct ifr_dataset *dataset, struct ifr_buffer *out) {
	struct ifr_strings texts = {0};
	ifr_format_program_warnings(dataset, &texts);
	for (size_t i = 0; i < texts.count; i++)
		ifr_text_wrap(out, texts.items[i], "  ! ", "    ");
	ifr_strings_release(&texts);
}

json_t *ifr_format_json_warnings(const struct ifr_dataset *dataset) {
	struct ifr_strings texts = {0};
	json_t *made = json_array();
	ifr_format_program_warnings(dataset, &texts);
	for (size_t i = 0; i < texts.count; i++)
		json_array_append_new(made, ifr_json_text(texts.items[i]));
	ifr_strings_release(&texts);
	return made;
}
