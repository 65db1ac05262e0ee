/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run limiter: the choice of the procedure that ends the program, and templates with entry counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/limit/quiet_time.h"
#include "harness/limit/stages.h"
#include "compiletime/compiletime.h"

/* Returns the name of the procedure chosen for a budget of 1000 ns. */
static const char *chosen(struct procedure *items, size_t count) {
	struct procedures procedures = {.items = items, .count = count};
	const struct procedure *procedure = choose_procedure(&procedures, 1000);
	return procedure ? procedure->name : "none";
}
#define CHOSEN(...) \
	chosen((struct procedure[]){__VA_ARGS__}, sizeof((struct procedure[]){__VA_ARGS__}) / sizeof(struct procedure))
#define SEEN(the_name, the_count, the_time)                       \
	(struct procedure) {                                          \
		.name = the_name, .count = the_count, .last_ns = the_time \
	}

static void test_choice(void **state) {
	(void)state;
	/* The fewest entries among procedures entered near the end; earlier ones do not count. */
	assert_string_equal(CHOSEN(SEEN("main", 1, 5), SEEN("hot", 9000, 999), SEEN("rare", 7, 950)), "rare");
	assert_string_equal(CHOSEN(SEEN("early", 7, 899), SEEN("hot", 9000, 900)), "hot");
	assert_string_equal(CHOSEN(SEEN("a", 7, 930), SEEN("b", 7, 980), SEEN("c", 7, 980)), "b");
	/* The window widens until it contains a procedure. */
	assert_string_equal(CHOSEN(SEEN("half", 2, 510), SEEN("quarter", 50, 760)), "quarter");
	assert_string_equal(CHOSEN(SEEN("half", 2, 510), SEEN("early", 1, 490)), "half");
	assert_string_equal(CHOSEN(SEEN("early", 1, 490), SEEN("never", 0, 0)), "none");
}

/* The kernel's line: time on a processor, time of waiting for one, time slices. */
static void test_delay(void **state) {
	(void)state;
	assert_int_equal(quiet_time_parse_delay("521000000 479000000 37\n"), 479000000);
	assert_int_equal(quiet_time_parse_delay("0 0 0\n"), 0);
	assert_int_equal(quiet_time_parse_delay(""), 0);
	assert_int_equal(quiet_time_parse_delay("12"), 0);
	assert_int_equal(quiet_time_parse_delay("1 -5 3"), 0);
	/* No such process: all of its time counts. */
	assert_int_equal(quiet_time_of(0x7fffffff, 1234), 1234);
}

/* A program without counters that takes half of the budget gets twice the budget to count in. */
static void test_correction(void **state) {
	(void)state;
	assert_int_equal(quiet_time_correct(1000, 500), 2000);
	assert_int_equal(quiet_time_correct(1000, 2000), 500);
	assert_int_equal(quiet_time_correct(1000, 910), 0);
	assert_int_equal(quiet_time_correct(1000, 1090), 0);
	assert_int_equal(quiet_time_correct(1000, 800), 1250);
	/* At most fourfold, and never without a time. */
	assert_int_equal(quiet_time_correct(1000, 10), 4000);
	assert_int_equal(quiet_time_correct(1000, 100000), 250);
	assert_int_equal(quiet_time_correct(1000, 0), 0);
	assert_int_equal(quiet_time_correct(1000, -5), 0);
}

#define TEMPLATE                                                                                          \
	"#ifr-function t none 0 16\tf\tf\nf:\n#APP\n\t#ifr-entry\n\t#ifr-nop\n#NO_APP\n\tret\n"               \
	"#ifr-function t none 0 16\tempty\tempty\nempty:\n#ifr-function s none 0 1\t_Z1gv\tg\n_Z1gv:\n#APP\n" \
	"\t#ifr-entry\n#NO_APP\n\tret\n#ifr-unit a.c\n#ifr-note 2\n\t.ident\t\"x\"\n"

static void test_count(void **state) {
	(void)state;
	struct ifr_buffer out = {0};
	struct ifr_strings names = {0};
	struct ifr_error err = {0};
	assert_int_equal(ifr_entries_add_counters(TEMPLATE, strlen(TEMPLATE), 40, &out, &names, &err), 0);
	/* Marked functions have numbers, and their counters follow in this order. */
	assert_int_equal(names.count, 2);
	assert_string_equal(names.items[0], "f");
	assert_string_equal(names.items[1], "_Z1gv");
	const char *first = strstr(out.data, "\t#ifr-entry\n\tincq\t.Lifr_entries+0(%rip)\n\t#ifr-nop\n");
	const char *second = strstr(out.data, "_Z1gv:\n#APP\n\t#ifr-entry\n\tincq\t.Lifr_entries+16(%rip)\n");
	const char *counters = strstr(out.data, "\t.quad 0, 40\n\t.quad 0, 41\n\t.popsection\n#ifr-note 2\n");
	assert_true(first && second && counters && first < second && second < counters);
	assert_true(ifr_template_is_complete(out.data, out.length));
	ifr_strings_release(&names);
	ifr_buffer_release(&out);
}

static void test_end(void **state) {
	(void)state;
	struct ifr_buffer out = {0}, again = {0};
	struct ifr_strings names = {0};
	struct ifr_error err = {0};
	assert_int_equal(ifr_entries_add_exit(TEMPLATE, strlen(TEMPLATE), 1, 77, &out, &err), 0);
	const char *place =
		strstr(out.data, "\t#ifr-entry\n\tdecq\tifr_left(%rip)\n\tje\tifr_end\n#NO_APP\n\tret\n#ifr-unit");
	assert_non_null(place);
	assert_null(strstr(place + 20, "decq"));
	assert_true(strstr(out.data, "decq") > place);
	assert_non_null(strstr(out.data, "ifr_left:\n\t.quad 77\n"));
	/* The code is inserted once. */
	assert_int_equal(ifr_entries_add_counters(out.data, out.length, 0, &again, &names, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "limited already"));
	ifr_buffer_release(&again);
	assert_int_equal(ifr_entries_add_exit(TEMPLATE, strlen(TEMPLATE), 2, 77, &again, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_entries_add_exit("f:\n", 3, 0, 77, &again, &err), -IFR_E_USAGE);
	ifr_strings_release(&names);
	ifr_buffer_release(&again);
	ifr_buffer_release(&out);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delay), cmocka_unit_test(test_correction), cmocka_unit_test(test_choice),
		cmocka_unit_test(test_count), cmocka_unit_test(test_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
