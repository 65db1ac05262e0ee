/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout plan. Expected values come from the format's description in common/plan.h and the table of axes. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/plan.h"
#include "common/random.h"

#define HEAD "interfero-plan 1\n"

static int parse(const char *text, struct ifr_plan *plan, struct ifr_error *err) {
	*err = (struct ifr_error){0};
	return ifr_plan_parse(text, strlen(text), "file.plan", plan, err);
}

static bool same_settings(const struct ifr_plan *a, const struct ifr_plan *b) {
	bool same = !strcmp(a->name, b->name) && !strcmp(a->kit, b->kit);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		same = same && a->axis[i].on == b->axis[i].on && a->axis[i].seed == b->axis[i].seed;
		for (int j = 0; j < IFR_AXIS_PARAMETERS; j++)
			same = same && a->axis[i].value[j] == b->axis[i].value[j];
	}
	return same;
}

static void test_example(void **state) {
	(void)state;
	struct ifr_plan plan;
	struct ifr_error err;
	assert_int_equal(parse(HEAD "# a comment\nkit 3c6741592ad30c5b\nname v003\nfunctions seed=17 cross=1\n"
	                            "\tpadding\tseed=0x2a  max=100 \n\n   # another\nbase seed=18446744073709551615",
	                       &plan, &err),
	                 0);
	assert_string_equal(plan.kit, "3c6741592ad30c5b");
	assert_string_equal(plan.name, "v003");
	assert_int_equal(ifr_plan_axes(&plan),
	                 1u << IFR_AXIS_FUNCTIONS | 1u << IFR_AXIS_PADDING | 1u << IFR_AXIS_BASE);
	assert_int_equal(plan.axis[IFR_AXIS_FUNCTIONS].seed, 17);
	assert_int_equal(plan.axis[IFR_AXIS_FUNCTIONS].value[0], 1);
	assert_int_equal(plan.axis[IFR_AXIS_PADDING].seed, 42);
	assert_int_equal(plan.axis[IFR_AXIS_PADDING].value[0], 100);
	assert_true(plan.axis[IFR_AXIS_BASE].seed == UINT64_MAX);
	/* A missing parameter has its default. */
	assert_int_equal(plan.axis[IFR_AXIS_BASE].value[0], 4096);
	assert_int_equal(plan.axis[IFR_AXIS_BASE].value[1], 16);
}

static void test_defaults(void **state) {
	(void)state;
	struct ifr_plan plan, init;
	struct ifr_error err;
	ifr_plan_init(&init);
	static const char *const empty[] = {"interfero-plan 1", HEAD, "interfero-plan 1 \t\r\n", HEAD "\n\n# x\n"};
	for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
		assert_int_equal(parse(empty[i], &plan, &err), 0);
		assert_int_equal(ifr_plan_axes(&plan), 0);
		assert_true(same_settings(&plan, &init));
	}
	/* A leading zero is no octal number. */
	assert_int_equal(parse(HEAD "stack seed=010 max=0x20\n", &plan, &err), 0);
	assert_int_equal(plan.axis[IFR_AXIS_STACK].seed, 10);
	assert_int_equal(plan.axis[IFR_AXIS_STACK].value[0], 32);
	assert_int_equal(parse(HEAD "stack\n", &plan, &err), 0);
	assert_true(plan.axis[IFR_AXIS_STACK].on);
	assert_int_equal(plan.axis[IFR_AXIS_STACK].seed, 0);
	assert_int_equal(plan.axis[IFR_AXIS_STACK].value[0], 4096);
}

static void test_line_ends(void **state) {
	(void)state;
	struct ifr_plan unix_plan, dos_plan;
	struct ifr_error err;
	assert_int_equal(parse(HEAD "name a\nnops seed=3 rate=7\n", &unix_plan, &err), 0);
	assert_int_equal(parse("interfero-plan 1\r\nname a\r\nnops seed=3 rate=7\r\n", &dos_plan, &err), 0);
	assert_true(same_settings(&unix_plan, &dos_plan));
	/* A carriage return inside a line does not end it: the text behind must not be lost. */
	assert_int_equal(parse("interfero-plan 1\rnops seed=3\r", &dos_plan, &err), -IFR_E_USAGE);
	assert_int_equal(parse(HEAD "nops seed=3\rrate=7\n", &dos_plan, &err), -IFR_E_USAGE);
}

static void test_errors_name_their_line(void **state) {
	(void)state;
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"", ":1: not a layout plan"},
		{"\n" HEAD, ":1: not a layout plan"},
		{"interfero-plan", ":1: not a layout plan"},
		{"interfero-plan one\n", ":1: not a layout plan"},
		{"interfero-plan 1 x\n", ":1: not a layout plan"},
		{"interfero-plan 2\n", ":1: plan format 2 is not known"},
		{HEAD "colour seed=1\n", ":2: there is no axis \"colour\""},
		{HEAD "\nFunctions\n", ":3: there is no axis"},
		{HEAD "padding seed\n", ":2: padding: \"seed\" is not of the form"},
		{HEAD "padding seed=\n", ":2: padding: seed= is not a whole number"},
		{HEAD "padding seed=1x\n", "not a whole number"},
		{HEAD "padding seed=-1\n", "not a whole number"},
		{HEAD "padding seed=+1\n", "not a whole number"},
		{HEAD "padding seed=1.5\n", "not a whole number"},
		{HEAD "padding seed=18446744073709551616\n", "not a whole number"},
		{HEAD "padding min=1\n", ":2: padding has no parameter \"min\""},
		{HEAD "link-order max=1\n", ":2: link-order has no parameter \"max\""},
		{HEAD "padding max=4097\n", ":2: padding: max=4097 is not in 0..4096"},
		{HEAD "padding max=18446744073709551615\n", "is not in 0..4096"},
		{HEAD "base step=0\n", "step=0 is not in 1..4096"},
		{HEAD "nops max=10\n", "max=10 is not in 1..9"},
		{HEAD "# x\n\npadding seed=1\nfunctions\npadding seed=2\n", ":6: the axis padding is named twice"},
		{HEAD "name\n", ":2: name needs one word"},
		{HEAD "name a b\n", ":2: name may hold"},
		{HEAD "name ../x\n", ":2: name may hold"},
		{HEAD "kit a;b\n", ":2: kit may hold"},
		{HEAD "kit a\nkit b\n", ":3: kit is given twice"},
		{HEAD "name a\nname a\n", ":3: name is given twice"},
		{HEAD "order\n", ":2: order needs a unit's name"},
		{HEAD "at\n", ":2: at needs an address"},
		{HEAD "at x.o:.text\n", ":2: at needs an address"},
		{HEAD "at 0x10 \n", ":2: at needs a unit's name"},
		{HEAD "room a.o:.text\n", ":2: room needs at most 2^20 bytes and a unit's name"},
		{HEAD "room 1048577 a.o:.text\n", ":2: room needs at most 2^20 bytes"},
		{HEAD "room 64\n", ":2: room needs a unit's name"},
		{HEAD "last\n", ":2: last needs a unit's name"},
		{HEAD "start\n", ":2: start needs the address"},
		{HEAD "start 0\n", ":2: start needs the address"},
		{HEAD "start 0x40 a.o:.text\n", ":2: start needs the address"},
		{HEAD "start 0x40\nstart 0x50\n", ":3: start is given twice"},
		{HEAD "order a.o:.text\nat 16 a.o:.text\n", "a.o:.text is given two places"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct ifr_plan plan;
		struct ifr_error err;
		assert_int_equal(parse(wrong[i].text, &plan, &err), -IFR_E_USAGE);
		assert_int_equal(err.code, IFR_E_USAGE);
		assert_ptr_equal(strstr(err.message, "file.plan:"), err.message);
		assert_non_null(strstr(err.message, wrong[i].says));
	}
}

static void test_patterns(void **state) {
	(void)state;
	struct ifr_plan plan, copy;
	struct ifr_error err;
	assert_int_equal(parse(HEAD "nops seed=3 only=lua_*,main except=lua_error rate=7\n", &plan, &err), 0);
	ifr_plan_copy(&copy, &plan);
	ifr_plan_release(&plan);
	assert_int_equal(ifr_plan_axes(&plan), 0);
	const struct ifr_axis_setting *nops = &copy.axis[IFR_AXIS_NOPS];
	assert_string_equal(nops->only, "lua_*,main");
	assert_string_equal(nops->except, "lua_error");
	assert_int_equal(nops->value[0], 7);
	static const struct {
		const char *names[3];
		bool covered;
	} known[] = {
		{{"lua_call", NULL}, true},     {{"main", NULL}, true},
		{{"lua_error", NULL}, false},   {{"luaD_call", NULL}, false},
		{{"a", "main", NULL}, true},    {{"xmain", NULL}, false},
		{{"main", "lua_error"}, false}, {{NULL}, false},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		assert_int_equal(ifr_axis_setting_covers(nops, known[i].names), known[i].covered);
	const char *const any[] = {"any", NULL};
	assert_true(ifr_axis_setting_covers(&copy.axis[IFR_AXIS_ALIGN], any));
	/* In options, a comma that no NAME= follows parts patterns. */
	assert_int_equal(ifr_plan_set(&copy, IFR_AXIS_NOPS, "only=a,b,rate=9,max=2", &err), 0);
	assert_string_equal(nops->only, "a,b");
	assert_int_equal(nops->value[0], 9);
	assert_int_equal(nops->value[1], 2);
	ifr_plan_release(&copy);
	assert_int_equal(parse(HEAD "nops only=\n", &plan, &err), -IFR_E_USAGE);
}

/* Copies take further places behind any number of them. */
static void test_copies_take_places(void **state) {
	(void)state;
	struct ifr_plan plan, copy;
	struct ifr_error err;
	assert_int_equal(parse(HEAD "order a\norder b\norder c\n", &plan, &err), 0);
	ifr_plan_copy(&copy, &plan);
	ifr_plan_release(&plan);
	for (int i = 0; i < 20; i++)
		ifr_plan_place_at(&copy, "d", (uint64_t)i);
	assert_int_equal(copy.place_count, 23);
	assert_string_equal(copy.places[2].unit, "c");
	assert_int_equal(copy.places[22].address, 19);
	ifr_plan_release(&copy);
}

static void test_places(void **state) {
	(void)state;
	struct ifr_plan plan, copy;
	struct ifr_error err;
	assert_int_equal(parse(HEAD
	                       "order b.o:.text.b\nfunctions seed=1\nat 0x1230\ta (1).o:.text \norder\tc.o:.text\n"
	                       "room 0x40 b (2).o:.text.b \nstart 4144\nlast\tc.o:.text.c \n",
	                       &plan, &err),
	                 0);
	ifr_plan_copy(&copy, &plan);
	ifr_plan_release(&plan);
	assert_int_equal(copy.place_count, 3);
	assert_string_equal(copy.places[0].unit, "b.o:.text.b");
	assert_false(copy.places[0].fixed);
	assert_string_equal(copy.places[1].unit, "a (1).o:.text");
	assert_true(copy.places[1].fixed);
	assert_int_equal(copy.places[1].address, 0x1230);
	assert_string_equal(copy.places[2].unit, "c.o:.text");
	struct ifr_buffer text = {0};
	ifr_plan_print(&copy, &text);
	assert_string_equal(ifr_buffer_text(&text), HEAD "functions seed=1 cross=0\norder b.o:.text.b\n"
	                                                 "at 0x1230 a (1).o:.text\norder c.o:.text\n"
	                                                 "last c.o:.text.c\nstart 0x1030\nroom 64 b (2).o:.text.b\n");
	ifr_buffer_release(&text);
	ifr_plan_release(&copy);
}

static void test_many_places(void **state) {
	(void)state;
	struct ifr_plan plan, back;
	struct ifr_error err;
	struct ifr_buffer text = {0};
	ifr_plan_init(&plan);
	for (unsigned i = 0; i < 1000; i++) {
		char *unit = ifr_format("%04000u.o:.text", i);
		if (i % 3)
			ifr_plan_place(&plan, unit);
		else
			ifr_plan_place_at(&plan, unit, UINT64_MAX - i);
		free(unit);
	}
	ifr_plan_print(&plan, &text);
	assert_int_equal(parse(ifr_buffer_text(&text), &back, &err), 0);
	assert_int_equal(back.place_count, plan.place_count);
	for (size_t i = 0; i < plan.place_count; i++) {
		assert_string_equal(back.places[i].unit, plan.places[i].unit);
		assert_int_equal(back.places[i].fixed, plan.places[i].fixed);
		assert_true(back.places[i].address == plan.places[i].address);
	}
	ifr_buffer_release(&text);
	ifr_plan_release(&plan);
	ifr_plan_release(&back);
}

static void test_limits_are_in_range(void **state) {
	(void)state;
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		for (int j = 0; j < IFR_AXIS_PARAMETERS && ifr_axes[i].parameter[j].name; j++) {
			const struct ifr_axis_parameter *parameter = &ifr_axes[i].parameter[j];
			const int64_t good[] = {parameter->minimum, parameter->maximum, parameter->initial};
			struct ifr_plan plan;
			char words[128];
			ifr_plan_init(&plan);
			for (int k = 0; k < 3; k++) {
				snprintf(words, sizeof words, "%s=%" PRId64, parameter->name, good[k]);
				assert_int_equal(ifr_plan_set(&plan, (enum ifr_axis)i, words, NULL), 0);
				assert_int_equal(plan.axis[i].value[j], good[k]);
			}
			snprintf(words, sizeof words, "%s=%" PRId64, parameter->name, parameter->maximum + 1);
			assert_int_equal(ifr_plan_set(&plan, (enum ifr_axis)i, words, NULL), -IFR_E_USAGE);
			assert_int_equal(plan.axis[i].value[j], parameter->initial);
		}
}

static void test_long_lines_and_nul(void **state) {
	(void)state;
	struct ifr_plan plan;
	struct ifr_error err = {0};
	static const char nul[] = HEAD "padding seed=1\0 max=2\n";
	assert_int_equal(ifr_plan_parse(nul, sizeof nul - 1, "f", &plan, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "f:2:"));
	size_t length = 1 << 20;
	char *huge = malloc(length + 1);
	memset(huge, 'x', length);
	huge[length] = '\0';
	assert_int_equal(parse(huge, &plan, &err), -IFR_E_USAGE);
	memcpy(huge, HEAD "name ", strlen(HEAD "name "));
	assert_int_equal(parse(huge, &plan, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, ":2:"));
	/* 63 letters fit a name, 64 do not. */
	huge[strlen(HEAD "name ") + 63] = '\0';
	assert_int_equal(parse(huge, &plan, &err), 0);
	assert_int_equal(strlen(plan.name), 63);
	huge[strlen(HEAD "name ") + 63] = 'x';
	huge[strlen(HEAD "name ") + 64] = '\0';
	assert_int_equal(parse(huge, &plan, &err), -IFR_E_USAGE);
	free(huge);
}

static void random_plan(struct ifr_plan *plan, uint64_t number) {
	char name[32];
	ifr_plan_init(plan);
	for (int i = 0; i < IFR_AXIS_COUNT; i++) {
		uint64_t bits = ifr_random_keyed(number, "plan", ifr_axes[i].name);
		if (bits & 1)
			continue;
		ifr_plan_enable(plan, (enum ifr_axis)i, bits & 2 ? bits : bits >> 56);
		for (int j = 0; j < IFR_AXIS_PARAMETERS && ifr_axes[i].parameter[j].name; j++) {
			const struct ifr_axis_parameter *parameter = &ifr_axes[i].parameter[j];
			snprintf(name, sizeof name, "%d %d", i, j);
			uint64_t span = (uint64_t)(parameter->maximum - parameter->minimum) + 1;
			plan->axis[i].value[j] =
				parameter->minimum + (int64_t)ifr_random_below(ifr_random_keyed(number, "value", name), span);
		}
	}
	if (number % 3)
		snprintf(plan->name, sizeof plan->name, "v%05" PRIu64, number);
	if (number % 5)
		snprintf(plan->kit, sizeof plan->kit, "%016" PRIx64, ifr_random_keyed(number, "kit", ""));
}

static void test_round_trips(void **state) {
	(void)state;
	struct ifr_buffer text = {0}, again = {0};
	for (uint64_t number = 0; number < 3000; number++) {
		struct ifr_plan plan, back;
		struct ifr_error err;
		random_plan(&plan, number);
		ifr_buffer_clear(&text);
		ifr_buffer_clear(&again);
		ifr_plan_print(&plan, &text);
		assert_int_equal(parse(ifr_buffer_text(&text), &back, &err), 0);
		assert_true(same_settings(&plan, &back));
		ifr_plan_print(&back, &again);
		assert_string_equal(ifr_buffer_text(&text), ifr_buffer_text(&again));
	}
	ifr_buffer_release(&text);
	ifr_buffer_release(&again);
}

/* A variant's seed for an axis depends on (master, axis, index), not on other axes or variants. */
static void test_derive(void **state) {
	(void)state;
	struct ifr_plan all, one;
	for (unsigned index = 0; index < 50; index++) {
		ifr_plan_init(&all);
		ifr_plan_derive(&all, 99, (1u << IFR_AXIS_COUNT) - 1, index);
		assert_int_equal(ifr_plan_axes(&all), index ? (1u << IFR_AXIS_COUNT) - 1 : 0);
		for (int i = 0; i < IFR_AXIS_COUNT; i++) {
			ifr_plan_init(&one);
			ifr_plan_derive(&one, 99, 1u << i, index);
			assert_int_equal(ifr_plan_axes(&one), index ? 1u << i : 0);
			assert_true(one.axis[i].seed == all.axis[i].seed);
			ifr_plan_derive(&one, 100, 1u << i, index + 1);
			assert_true(one.axis[i].seed != all.axis[i].seed);
			for (int j = 0; j < i; j++)
				assert_true(!index || all.axis[j].seed != all.axis[i].seed);
		}
	}
}

/* The axis link-order had the name objects: it parses, prints under its new name, and has the seeds of before, as the
 * old name is the key of its hash. */
static void test_renamed_axis(void **state) {
	(void)state;
	struct ifr_plan old, new, derived;
	struct ifr_error err;
	struct ifr_buffer text = {0}, keyed = {0};
	unsigned axes;
	assert_int_equal(parse(HEAD "objects seed=5 only=a*\n", &old, &err), 0);
	assert_int_equal(parse(HEAD "link-order seed=5 only=a*\n", &new, &err), 0);
	assert_int_equal(ifr_plan_axes(&old), 1u << IFR_AXIS_LINK_ORDER);
	assert_true(same_settings(&old, &new));
	assert_int_equal(ifr_axes_parse("objects,base", &axes, &err), 0);
	assert_int_equal(axes, 1u << IFR_AXIS_LINK_ORDER | 1u << IFR_AXIS_BASE);
	ifr_plan_print(&old, &text);
	assert_string_equal(ifr_buffer_text(&text), HEAD "link-order seed=5 only=a*\n");
	ifr_plan_print_keyed(&new, &keyed);
	assert_string_equal(ifr_buffer_text(&keyed), HEAD "objects seed=5 only=a*\n");
	assert_int_equal(parse(HEAD "objects seed=5\nlink-order seed=6\n", &derived, &err), -IFR_E_USAGE);
	for (unsigned index = 1; index < 4; index++) {
		char name[32];
		snprintf(name, sizeof name, "variant %u", index);
		ifr_plan_init(&derived);
		ifr_plan_derive(&derived, 99, (unsigned)1 << IFR_AXIS_LINK_ORDER, index);
		assert_true(derived.axis[IFR_AXIS_LINK_ORDER].seed == ifr_random_keyed(99, "objects", name));
	}
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		assert_string_equal(ifr_axes[i].key, i == IFR_AXIS_LINK_ORDER ? "objects" : ifr_axes[i].name);
	ifr_buffer_release(&text);
	ifr_buffer_release(&keyed);
	ifr_plan_release(&old);
	ifr_plan_release(&new);
}

static void test_axis_lists(void **state) {
	(void)state;
	unsigned axes;
	struct ifr_error err = {0};
	assert_int_equal(ifr_axes_parse("functions,padding", &axes, &err), 0);
	assert_int_equal(axes, 1u << IFR_AXIS_FUNCTIONS | 1u << IFR_AXIS_PADDING);
	assert_int_equal(ifr_axes_parse("none", &axes, &err), 0);
	assert_int_equal(axes, 0);
	assert_int_equal(ifr_axes_parse("all", &axes, &err), 0);
	assert_int_equal(axes, (1u << IFR_AXIS_COUNT) - 1);
	assert_int_equal(ifr_axes_parse("functions,,padding", &axes, &err), -IFR_E_USAGE);
	assert_int_equal(ifr_axes_parse("functions padding", &axes, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "unit-order"));
	unsigned owned =
		ifr_axes_of(IFR_OWNER_RELINKER) | ifr_axes_of(IFR_OWNER_PLUGIN) | ifr_axes_of(IFR_OWNER_LAUNCHER);
	assert_int_equal(owned, (1u << IFR_AXIS_COUNT) - 1);
	assert_int_equal(ifr_axes_of(IFR_OWNER_LAUNCHER),
	                 1u << IFR_AXIS_STACK | 1u << IFR_AXIS_HEAP | 1u << IFR_AXIS_BLOCKS | 1u << IFR_AXIS_LOAD |
	                     1u << IFR_AXIS_ALLOCATOR | 1u << IFR_AXIS_HUGE_PAGES | 1u << IFR_AXIS_COPIES);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_errors_name_their_line),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_copies_take_places),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_many_places),
		cmocka_unit_test(test_limits_are_in_range),
		cmocka_unit_test(test_long_lines_and_nul),
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_derive),
		cmocka_unit_test(test_renamed_axis),
		cmocka_unit_test(test_axis_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
