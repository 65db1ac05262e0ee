/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's decisions, options and note, without GCC. Known answers are worked out by hand, or follow from the
 * binomial and uniform distributions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/random.h"
#include "plugin/options.h"
#include "compiletime/compiletime.h"

static void key_is(const char *name, const char *expected) {
	struct ifr_buffer key = {0};
	ifr_decide_key(name, &key);
	assert_string_equal(ifr_buffer_text(&key), expected);
	ifr_buffer_release(&key);
}

static void test_keys(void **state) {
	(void)state;
	key_is("main", "main");
	key_is("*named", "named");
	key_is("foo.constprop.0", "foo.constprop.0");
	key_is("foo.isra.0.part.12", "foo.isra.0.part.12");
	key_is("foo.cold", "foo.cold");
	key_is("nested.7", "nested");
	key_is("nested.7.constprop.1", "nested.constprop.1");
	key_is("foo.lto_priv.0", "foo");
	key_is("foo.constprop.0.lto_priv.31", "foo.constprop.0");
	key_is("foo.lto_priv.x", "foo.lto_priv.x");
	key_is("foo.7x", "foo.7x");
	key_is("_GLOBAL__sub_I__build_a1b2_file.cc_0_99", "_GLOBAL__sub_I");
	key_is("_GLOBAL__sub_D_x", "_GLOBAL__sub_D");
	key_is("_GLOBAL__sub_", "_GLOBAL__sub_");
	key_is("_ZZ4mainENKUlvE_clEv", "_ZZ4mainENKUlvE_clEv");
	key_is(".L12", ".L12");
	key_is(".12", ".12");
	key_is("a..3.", "a..3.");
	key_is("", "");
	key_is("*", "");
}

/* 10,000 sites at 25 %: mean 2500, standard deviation 43; lengths 1 … 4 uniform, each 625 with deviation 24. */
static void test_nops_rate(void **state) {
	(void)state;
	struct ifr_axis_setting nops = {.on = true, .seed = 11, .value = {25, 4}};
	unsigned seen[10] = {0};
	for (unsigned i = 0; i < 10000; i++) {
		unsigned bytes = ifr_decide_nops_bytes(&nops, "function", i);
		assert_in_range(bytes, 0, 4);
		seen[bytes]++;
	}
	assert_in_range(10000 - seen[0], 2500 - 5 * 43, 2500 + 5 * 43);
	for (int i = 1; i <= 4; i++)
		assert_in_range(seen[i], 625 - 5 * 24, 625 + 5 * 24);
}

static void test_nops_extremes(void **state) {
	(void)state;
	struct ifr_axis_setting never = {.on = true, .seed = 3, .value = {0, 9}},
							always = {.on = true, .seed = 3, .value = {100, 1}};
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(ifr_decide_nops_bytes(&never, "f", i), 0);
		assert_int_equal(ifr_decide_nops_bytes(&always, "f", i), 1);
	}
}

/* A higher rate keeps the sites of a lower rate: the decision is a threshold on the same bits. */
static void test_nops_nested(void **state) {
	(void)state;
	struct ifr_axis_setting few = {.on = true, .seed = 3, .value = {10, 1}},
							many = {.on = true, .seed = 3, .value = {40, 1}},
							other = {.on = true, .seed = 4, .value = {10, 1}};
	unsigned same = 0, places = 0;
	for (unsigned i = 0; i < 2000; i++) {
		bool here = ifr_decide_nops_bytes(&few, "f", i) > 0;
		if (here)
			assert_int_equal(ifr_decide_nops_bytes(&many, "f", i), 1);
		places += here;
		same += here && ifr_decide_nops_bytes(&other, "f", i);
	}
	/* Another seed chooses a tenth of some 200 sites again, by chance. */
	assert_in_range(same, 0, places / 3);
}

static void test_alignment(void **state) {
	(void)state;
	struct ifr_axis_setting align = {.on = true, .seed = 5, .value = {64, 32}};
	unsigned seen[13] = {0};
	for (unsigned i = 0; i < 3000; i++) {
		char name[32];
		snprintf(name, sizeof name, "f%u", i);
		unsigned bytes = ifr_decide_function_alignment_bytes(&align, name, 16);
		assert_true(bytes == 16 || bytes == 32 || bytes == 64);
		seen[__builtin_ctz(bytes)]++;
		assert_int_equal(ifr_decide_function_alignment_bytes(&align, name, 128), 128);
	}
	/* A third each: 1000, standard deviation 26. */
	for (int i = 4; i <= 6; i++)
		assert_in_range(seen[i], 1000 - 5 * 26, 1000 + 5 * 26);
	struct ifr_axis_setting off = {.on = true, .seed = 5, .value = {0, 0}},
							odd = {.on = true, .seed = 5, .value = {4096, 63}};
	for (unsigned i = 0; i < 200; i++) {
		assert_int_equal(ifr_decide_function_alignment_bytes(&off, "f", 2), 2);
		assert_int_equal(ifr_decide_loop_alignment_bytes(&off, "f", i), 1);
		assert_in_range(ifr_decide_loop_alignment_bytes(&odd, "f", i), 1, 32);
	}
}

/* A plan that gives the alignment of loops leaves the seed nothing to draw. */
static void test_given_loop_alignment(void **state) {
	(void)state;
	static const struct {
		const char *words;
		unsigned bytes;
	} cases[] = {{"seed=1 loop-bytes=32", 32},
	             {"seed=2 loop-bytes=32 loops=16", 32},
	             {"loop-bytes=63", 32},
	             {"loop-bytes=64", 64},
	             {"loop-bytes=1 loops=64", 1}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_plan plan;
		ifr_plan_init(&plan);
		assert_int_equal(ifr_plan_set(&plan, IFR_AXIS_ALIGN, cases[i].words, NULL), 0);
		for (unsigned loop = 0; loop < 50; loop++)
			assert_int_equal(ifr_decide_loop_alignment_bytes(&plan.axis[IFR_AXIS_ALIGN], "f", loop),
			                 cases[i].bytes);
		ifr_plan_release(&plan);
	}
}

/* Patterns match each name of a function; an exempt axis changes nothing, whatever the patterns. */
static void test_patterns_and_attributes(void **state) {
	(void)state;
	struct ifr_plan plan;
	struct ifr_entity function = {0};
	ifr_plan_init(&plan);
	ifr_entity_begin(&function, "*_ZN1A1bEv.part.0");
	ifr_entity_add_name(&function, "b");
	ifr_entity_add_name(&function, "A::b");
	ifr_entity_add_name(&function, "@inner");
	assert_string_equal(ifr_buffer_text(&function.key), "_ZN1A1bEv.part.0");
	assert_false(ifr_decide_covers(&plan, IFR_AXIS_NOPS, &function));
	static const struct {
		const char *words;
		bool covers;
	} cases[] = {{"seed=1", true},        {"only=b", true},
	             {"only=a,A::*", true},   {"only=@inner", true},
	             {"only=_ZN1A*", true},   {"only=c", false},
	             {"except=b", false},     {"except=@*", false},
	             {"except=c,main", true}, {"only=b except=A::b", false}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ifr_plan_release(&plan);
		assert_int_equal(ifr_plan_set(&plan, IFR_AXIS_NOPS, cases[i].words, NULL), 0);
		function.exempt_axes = 0;
		assert_int_equal(ifr_decide_covers(&plan, IFR_AXIS_NOPS, &function), cases[i].covers);
		function.exempt_axes = 1u << IFR_AXIS_NOPS;
		assert_false(ifr_decide_covers(&plan, IFR_AXIS_NOPS, &function));
	}
	static const bool expected[3][2] = {{true, true}, {true, false}, {false, true}};
	for (int heat = 0; heat < 3; heat++)
		for (int cold = 0; cold < 2; cold++) {
			plan.axis[IFR_AXIS_ALIGN].value[2] = heat;
			assert_int_equal(ifr_decide_hotness(&plan, IFR_AXIS_ALIGN, cold), expected[heat][cold]);
		}
	ifr_plan_release(&plan);
	ifr_entity_release(&function);
}

/* Multiples of 16 up to the limit, each as likely: 2000 draws over 5 sizes, 400 each, standard deviation 18. */
static void test_frames(void **state) {
	(void)state;
	struct ifr_axis_setting frames = {.on = true, .seed = 2, .value = {79}};
	unsigned seen[5] = {0};
	for (unsigned i = 0; i < 2000; i++) {
		char name[32];
		snprintf(name, sizeof name, "f%u", i);
		unsigned bytes = ifr_decide_frame_bytes(&frames, name);
		assert_true(bytes % 16 == 0 && bytes <= 64);
		seen[bytes / 16]++;
	}
	for (int i = 0; i < 5; i++)
		assert_in_range(seen[i], 400 - 5 * 18, 400 + 5 * 18);
}

static void test_order_is_kept_without_a_newcomer(void **state) {
	(void)state;
	struct ifr_order old = {0}, new = {0};
	for (int i = 0; i < 200; i++) {
		char name[32];
		snprintf(name, sizeof name, "function%d", i);
		ifr_order_add(&old, 9, name, NULL);
		ifr_order_add(&new, 9, name, NULL);
	}
	ifr_order_add(&new, 9, "newcomer", NULL);
	ifr_order_sort(&old);
	ifr_order_sort(&new);
	size_t at = ifr_order_position(&new, 9, "newcomer"), moved = 0;
	assert_string_equal(new.entries[at].name, "newcomer");
	assert_int_equal(ifr_order_position(&old, 9, "newcomer"), at);
	for (size_t i = 0; i < old.count; i++) {
		assert_string_equal(old.entries[i].name, new.entries[i + (i >= at)].name);
		assert_int_equal(ifr_order_position(&old, 9, old.entries[i].name), i);
		char name[32];
		snprintf(name, sizeof name, "function%zu", i);
		moved += strcmp(name, old.entries[i].name) != 0;
	}
	/* A random permutation has one fixed point on average, more than ten with probability 1e-8. */
	assert_in_range(moved, 190, 200);
	ifr_order_release(&old);
	ifr_order_release(&new);
}

/* A rank is the keyed random number of common/random.h. */
static void test_rank_is_the_keyed_number(void **state) {
	(void)state;
	struct ifr_order order = {0};
	ifr_order_add(&order, 77, "nested.12", NULL);
	assert_true(order.entries[0].rank == ifr_random_keyed(77, "unit-order", "nested"));
	ifr_order_release(&order);
}

static void test_subsections(void **state) {
	(void)state;
	for (size_t count = 0; count <= 20000; count += 4000) {
		struct ifr_order order = {NULL, count, 0};
		unsigned last = 0;
		for (size_t i = 0; i <= count; i++) {
			unsigned number = ifr_order_subsection(&order, i);
			assert_in_range(number, 1, IFR_SUBSECTION_LAST - 1);
			assert_true(number >= last);
			if (count < IFR_SUBSECTION_LAST && i && i < count)
				assert_true(number > last);
			last = number;
		}
	}
}

static int read_options(struct ifr_plan *plan, struct ifr_error *err, const char *key, const char *value) {
	const struct ifr_plugin_option option = {key, value};
	struct ifr_plugin_request request;
	*err = (struct ifr_error){0};
	return ifr_plugin_options_read(&option, 1, NULL, plan, &request, err);
}

static void test_options(void **state) {
	(void)state;
	struct ifr_plan plan;
	struct ifr_error err;
	struct ifr_plugin_request request = {.templates = true};
	assert_int_equal(ifr_plugin_options_read(NULL, 0, NULL, &plan, &request, &err), 0);
	assert_int_equal(ifr_plan_axes(&plan), 0);
	assert_false(request.templates);
	assert_int_equal(ifr_plugin_options_read(NULL, 0, "", &plan, &request, &err), 0);
	assert_int_equal(read_options(&plan, &err, "nops", "seed=0x10,max=3"), 0);
	assert_int_equal(ifr_plan_axes(&plan), 1u << IFR_AXIS_NOPS);
	assert_int_equal(plan.axis[IFR_AXIS_NOPS].seed, 16);
	assert_int_equal(plan.axis[IFR_AXIS_NOPS].value[0], 10);
	assert_int_equal(plan.axis[IFR_AXIS_NOPS].value[1], 3);
	static const struct {
		const char *key, *value, *says;
	} wrong[] = {
		{"nops", NULL, "has no value"},          {"nops", "", "has no value"},
		{"nops", "seed", "name=value"},          {"nops", "max=10", "1..9"},
		{"functions", "seed=1", "is not known"}, {"", "seed=1", "is not known"},
		{"plan", NULL, "names no file"},         {"plan", "/nowhere/at/all", "/nowhere/at/all"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_true(read_options(&plan, &err, wrong[i].key, wrong[i].value) < 0);
		assert_non_null(strstr(err.message, wrong[i].says));
	}
	assert_true(ifr_plugin_options_read(NULL, 0, "/nowhere/at/all", &plan, &request, &err) < 0);
	assert_non_null(strstr(err.message, "INTERFERO_PLAN"));
}

/* A note by hand, after the ELF specification's "note section": name size 10, text size, type 1; the name padded
 * to 12. */
#define TEXT                                                                           \
	"interfero-note 2\nplugin 0.1.0\ncompiler 12.2.0\nunit a.c\ntemplate 00ff\n"       \
	"nops seed=16 rate=20 max=1 heat=0 only=f*,g\nfunction f order=2 nops=4 bytes=9\n" \
	"variable v align=32\ndid ordered=1 nops=4 functions=0 loops=18446744073 frames=0 variables=1\n"
#define NAME "interfero\0\0\0"

/* Writes header, name and text, padded with NULs, and returns the bytes used. */
static size_t make_note(unsigned char *bytes, const char *text) {
	size_t length = strlen(text), padded = (length + 3) / 4 * 4;
	const unsigned char header[12] = {
		10, 0, 0, 0, (unsigned char)(length & 0xff), (unsigned char)(length >> 8), 0, 0, 1, 0, 0, 0};
	memset(bytes, 0, 24 + padded);
	memcpy(bytes, header, 12);
	memcpy(bytes + 12, NAME, 12);
	memcpy(bytes + 24, text, length);
	return 24 + padded;
}

static void test_note_by_hand(void **state) {
	(void)state;
	unsigned char bytes[2048];
	/* First a note of another owner, as a linker may join them: name "GNU", 4 bytes, type 3. */
	static const unsigned char other[] = {4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4};
	memcpy(bytes, other, sizeof other);
	size_t length = sizeof other;
	length += make_note(bytes + length, TEXT);
	length += make_note(bytes + length, TEXT);
	size_t offset = 0;
	struct ifr_note note;
	struct ifr_error err = {0};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ifr_note_next(bytes, length, &offset, &note, &err), 1);
		assert_string_equal(note.plugin, "0.1.0");
		assert_string_equal(note.compiler, "12.2.0");
		assert_string_equal(note.unit, "a.c");
		assert_int_equal(ifr_plan_axes(&note.plan), 1u << IFR_AXIS_NOPS);
		assert_int_equal(note.plan.axis[IFR_AXIS_NOPS].seed, 16);
		assert_int_equal(note.plan.axis[IFR_AXIS_NOPS].value[0], 20);
		assert_int_equal(note.did.nops, 4);
		assert_true(note.did.loops == UINT64_C(18446744073));
		struct ifr_buffer text = {0};
		ifr_note_print(&note, &text);
		assert_string_equal(ifr_buffer_text(&text), TEXT);
		assert_int_equal(note.entry_count, 2);
		assert_true(note.entries[1].variable && note.entries[1].fact[IFR_FACT_ALIGN] == 32);
		ifr_buffer_release(&text);
		ifr_note_release(&note);
	}
	assert_int_equal(ifr_note_next(bytes, length, &offset, &note, &err), 0);
	assert_int_equal(offset, length);
}

/* The count of loops in two versions stands only where there are any: notes of before have none. */
static void test_note_of_checks(void **state) {
	(void)state;
	static const char did[] = "did ordered=0 nops=0 functions=0 loops=0 frames=0 variables=0 checks=3\n";
	struct ifr_note note, read;
	struct ifr_buffer text = {0};
	unsigned char bytes[2048];
	size_t offset = 0;
	ifr_note_init(&note);
	strcpy(note.plugin, "0.1.0");
	strcpy(note.compiler, "12.2.0");
	ifr_note_set_unit(&note, "a.c");
	ifr_note_add_fact(&note, false, "f", IFR_FACT_CHECKS, 2);
	ifr_note_add_fact(&note, false, "g", IFR_FACT_CHECKS, 1);
	ifr_note_print(&note, &text);
	assert_non_null(strstr(ifr_buffer_text(&text), "function f checks=2\nfunction g checks=1\n"));
	assert_string_equal(strstr(ifr_buffer_text(&text), "did "), did);
	assert_int_equal(ifr_note_next(bytes, make_note(bytes, ifr_buffer_text(&text)), &offset, &read, NULL), 1);
	assert_int_equal(read.did.checks, 3);
	assert_int_equal(read.entries[0].fact[IFR_FACT_CHECKS], 2);
	ifr_buffer_release(&text);
	ifr_note_release(&read);
	ifr_note_release(&note);
}

/* Nops at a given site come to those of the rate, and other sites have those of the rate alone. */
static void test_nops_at_a_site(void **state) {
	(void)state;
	struct ifr_plan plan;
	struct ifr_error err = {0};
	ifr_plan_init(&plan);
	assert_int_equal(ifr_plan_set(&plan, IFR_AXIS_NOPS, "seed=1 rate=0 site=7 bytes=16", &err), 0);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(ifr_decide_nops_bytes(&plan.axis[IFR_AXIS_NOPS], "f", i), i == 7 ? 16 : 0);
	assert_int_equal(ifr_plan_set(&plan, IFR_AXIS_NOPS, "rate=100", &err), 0);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(ifr_decide_nops_bytes(&plan.axis[IFR_AXIS_NOPS], "f", i), i == 7 ? 17 : 1);
	ifr_plan_release(&plan);
}

/* Axes that copy code cover functions that patterns name, and none without patterns. */
static void test_axes_of_named_functions(void **state) {
	(void)state;
	static const enum ifr_axis axes[] = {IFR_AXIS_SPLIT_LOOPS, IFR_AXIS_DUPLICATE_JOINS};
	struct ifr_entity f = {0};
	ifr_entity_begin(&f, "f");
	for (size_t i = 0; i < 2; i++) {
		struct ifr_plan plan;
		struct ifr_error err = {0};
		ifr_plan_init(&plan);
		ifr_plan_enable(&plan, axes[i], 1);
		assert_false(ifr_decide_covers(&plan, axes[i], &f));
		assert_int_equal(ifr_plan_set(&plan, axes[i], "only=g,f*", &err), 0);
		assert_true(ifr_decide_covers(&plan, axes[i], &f));
		assert_true(ifr_decide_line(&plan.axis[axes[i]], 3));
		assert_int_equal(ifr_plan_set(&plan, axes[i], "only=g line=4", &err), 0);
		assert_false(ifr_decide_covers(&plan, axes[i], &f));
		assert_false(ifr_decide_line(&plan.axis[axes[i]], 3));
		assert_true(ifr_decide_line(&plan.axis[axes[i]], 4));
		ifr_plan_release(&plan);
	}
	ifr_entity_release(&f);
}

static void refused(const char *text, const char *says) {
	unsigned char bytes[2048];
	size_t offset = 0, length = make_note(bytes, text);
	struct ifr_note note;
	struct ifr_error err = {0};
	assert_true(ifr_note_next(bytes, length, &offset, &note, &err) < 0);
	assert_int_equal(err.code, IFR_E_USAGE);
	assert_non_null(strstr(err.message, says));
	assert_int_equal(offset, 0);
}

#define HEAD "interfero-note 2\nplugin 0.1.0\ncompiler 12.2.0\nunit a.c\n"
#define DID "did ordered=0 nops=4 functions=0 loops=0 frames=0 variables=0\n"

static void test_note_damaged_text(void **state) {
	(void)state;
	refused("", "last line");
	refused("interfero-note 1\n", "another format");
	refused("interfero-note 2", "cut off");
	refused("interfero-note 2\ncompiler 12\n", "plugin");
	refused("interfero-note 2\nplugin a b\n", "may not");
	refused("interfero-note 2\nplugin 0123456789012345678901234567890123456789\n", "plugin");
	refused(HEAD, "last line");
	refused(HEAD "nops seed=1 rate=101\n" DID, "101");
	refused(HEAD "nops seed=1\nnops seed=1\n" DID, "twice");
	refused(HEAD "functions seed=1\n" DID, "plugin's");
	refused(HEAD "frobs seed=1\n" DID, "frobs");
	refused(HEAD "did ordered=0 nops=4 functions=0\n", "loops");
	refused(HEAD "did ordered=-1 nops=4 functions=0 loops=0 frames=0 variables=0\n", "ordered");
	refused(HEAD "did ordered=0 nops=99999999999999999999 functions=0 loops=0\n", "nops");
	refused(HEAD "did ordered=0 nops=4 functions=0 loops=0 frames=0 variables=0 \n", "behind");
	refused(HEAD "function f\n" DID, "known form");
	refused(HEAD "function f nops=0\n" DID, "known form");
	refused(HEAD "function  nops=1\n" DID, "known form");
	refused(HEAD "variable v order=1 colour=2\n" DID, "known form");
	refused(HEAD DID DID, "behind");
}

/* Truncations and single changed bytes are read within bounds (the sanitizer checks), and an accepted note prints and
 * parses back. */
static void test_note_hostile_bytes(void **state) {
	(void)state;
	unsigned char whole[2048];
	size_t length = make_note(whole, TEXT);
	for (size_t cut = 1; cut < length; cut++) {
		unsigned char *bytes = malloc(cut);
		memcpy(bytes, whole, cut);
		size_t offset = 0;
		struct ifr_note note;
		/* Only the padding behind the last note may be missing. */
		int expected = cut >= 24 + strlen(TEXT) ? 1 : -IFR_E_USAGE;
		assert_int_equal(ifr_note_next(bytes, cut, &offset, &note, NULL), expected);
		if (expected == 1)
			ifr_note_release(&note);
		free(bytes);
	}
	for (size_t at = 0; at < length; at++) {
		for (unsigned value = 0; value < 256; value++) {
			unsigned char *bytes = malloc(length);
			memcpy(bytes, whole, length);
			bytes[at] = (unsigned char)value;
			size_t offset = 0;
			struct ifr_note note;
			int steps = 0;
			while (ifr_note_next(bytes, length, &offset, &note, NULL) > 0) {
				assert_true(++steps <= 1);
				ifr_note_release(&note);
			}
			free(bytes);
		}
	}
}

static void test_unit_names(void **state) {
	(void)state;
	struct ifr_note note;
	ifr_note_set_unit(&note, "../src/a b\"\n.c");
	assert_string_equal(note.unit, "a_b__.c");
	ifr_note_set_unit(&note, "folder/");
	assert_string_equal(note.unit, "_");
	char path[1000];
	memset(path, 'x', sizeof path);
	path[sizeof path - 1] = '\0';
	ifr_note_set_unit(&note, path);
	assert_int_equal(strlen(note.unit), IFR_NOTE_UNIT_MAX - 1);
}

/* Powers of two above the 16 bytes of the ABI; the seed draws none. */
static void test_given_stack_alignment(void **state) {
	(void)state;
	static const struct {
		const char *words;
		unsigned bytes;
	} cases[] = {{"seed=1 max=64", 0},
	             {"align-bytes=4096", 4096},
	             {"align-bytes=100", 64},
	             {"align-bytes=31", 0},
	             {"align-bytes=32 max=0", 32}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ifr_plan plan;
		ifr_plan_init(&plan);
		assert_int_equal(ifr_plan_set(&plan, IFR_AXIS_FRAMES, cases[i].words, NULL), 0);
		assert_int_equal(ifr_decide_stack_alignment_bytes(&plan.axis[IFR_AXIS_FRAMES]), cases[i].bytes);
		ifr_plan_release(&plan);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_nops_rate),
		cmocka_unit_test(test_nops_extremes),
		cmocka_unit_test(test_nops_nested),
		cmocka_unit_test(test_alignment),
		cmocka_unit_test(test_given_loop_alignment),
		cmocka_unit_test(test_given_stack_alignment),
		cmocka_unit_test(test_patterns_and_attributes),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_order_is_kept_without_a_newcomer),
		cmocka_unit_test(test_rank_is_the_keyed_number),
		cmocka_unit_test(test_subsections),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_note_by_hand),
		cmocka_unit_test(test_note_of_checks),
		cmocka_unit_test(test_nops_at_a_site),
		cmocka_unit_test(test_axes_of_named_functions),
		cmocka_unit_test(test_note_damaged_text),
		cmocka_unit_test(test_note_hostile_bytes),
		cmocka_unit_test(test_unit_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
