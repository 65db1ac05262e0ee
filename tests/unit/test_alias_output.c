/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alias pairs as text: of one layout, and of the worst one beside the best. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/buffer.h"
#include "harness/commands/alias_output.h"

static char data[] = "j", other[] = "inc", code[] = "main (m.c:5)";

static struct ifr_named_alias item(uint64_t worst, uint64_t best) {
	return (struct ifr_named_alias){.load = {.data = data, .code = code, .address = 0x1008},
	                                .store = {.data = other, .code = code, .address = 0x2008},
	                                .count = worst,
	                                .best_count = best};
}

/* Whether the text, in one line, has the words. */
static void assert_says(const struct ifr_named_aliases *named, const char *words, bool says) {
	struct ifr_buffer out = {0};
	size_t length = 0;
	alias_output_print(named, &out);
	for (size_t i = 0; i < out.length; i++)
		if (!strchr(" \n", out.data[i]) || (length && out.data[length - 1] != ' '))
			out.data[length++] = strchr(" \n", out.data[i]) ? ' ' : out.data[i];
	out.data[length] = '\0';
	if (!strstr(out.data, words) == says)
		fail_msg("\"%s\" in \"%s\"", words, out.data);
	ifr_buffer_release(&out);
}

static void tells_both_counts(void **state) {
	(void)state;
	struct ifr_named_alias items[] = {item(2047, 3)};
	struct ifr_named_aliases named = {.items = items,
	                                  .count = 1,
	                                  .all = 9,
	                                  .events = 2900,
	                                  .trials = {{.variable = data, .events = 900}},
	                                  .trial_count = 1};
	assert_says(&named, "modulo 4096. - j moved alone, by 2048 bytes: 900 aliases of 2900 remain. - 8 more pairs.",
	            true);
	assert_says(&named, "best", false);
	named.compared = true;
	named.best_events = 850;
	named.differing = 3;
	named.rest = -4;
	assert_says(&named,
	            "2047 loads of j (0x1008) in main (m.c:5) meet the store to inc (0x2008) in main (m.c:5), "
	            "modulo 4096, in the worst layout, and 3 in the best.",
	            true);
	assert_says(&named,
	            "900 aliases of 2900 remain; the best layout has 850. - 2 more pairs differ, by -4 in all.", true);
	named.differing = 2;
	assert_says(&named, "1 more pair differs, by -4 in all.", true);
	named.differing = 1;
	assert_says(&named, "more pair", false);
}

static void says_where_none_has_more(void **state) {
	(void)state;
	struct ifr_named_aliases named = {.compared = true, .all = 9, .events = 1834, .best_events = 1834};
	assert_says(&named, "ld_blocks_partial.address_alias: 1834 in the worst layout and as many in the best", true);
	assert_says(&named, "more pair", false);
	named.differing = 1;
	named.best_events = 1840;
	assert_says(&named, "1834 in the worst layout, 1840 in the best; no pair of a load and a store has more",
	            true);
	/* Nothing was counted: nothing is said. */
	struct ifr_buffer out = {0};
	alias_output_print(&(struct ifr_named_aliases){0}, &out);
	assert_int_equal(out.length, 0);
	ifr_buffer_release(&out);
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(tells_both_counts),
	                                   cmocka_unit_test(says_where_none_has_more)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
