/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates, without GCC: a small template by hand. Without an axis, expansion removes the marks; with one, each mark
 * becomes the directive of compiletime/decide.h, which has tests of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiletime/compiletime.h"

#define CODE                                                                                                \
	"\t.file\t\"a.c\"\n#ifr-order t none\tf\tf\n#ifr-order s nops\tg\tg\t@hot\n#ifr-sections\n"             \
	"#ifr-function t none 0 16\tf\tf\n\t.text\t#ifr-here\n#ifr-align\n\t.p2align 4\nf:\n#APP\n\t#ifr-nop\n" \
	"#NO_APP\n\tret\n#APP\n\t#ifr-nop-cold\n\tnop # the user's\n#NO_APP\n#APP\n# 3 \"a.c\" 1\n\tcpuid\n"    \
	"#NO_APP\n\t.text\t#ifr-rest\n#ifr-function s nops 0 1\tg\tg\t@hot\n"                                   \
	"\t.section\t.text.g,\"ax\",@progbits\n#ifr-align\ng:\n#APP\n\t#ifr-loop\n#NO_APP\n.L2:\n#APP\n"        \
	"\t#ifr-nop\n#NO_APP\n\tret\n\t.text\t#ifr-rest\n"
#define END_OF(plan) plan "#ifr-unit a.c\n#ifr-compiler 12.2.0\n#ifr-plugin 0.1.0\n#ifr-note 2\n\t.ident\t\"x\"\n"
#define PLAIN                                                                                       \
	"\t.file\t\"a.c\"\n\t.text\n\t.p2align 4\nf:\n\tret\n#APP\n\tnop # the user's\n#NO_APP\n#APP\n" \
	"# 3 \"a.c\" 1\n\tcpuid\n#NO_APP\n\t.text\n\t.section\t.text.g,\"ax\",@progbits\ng:\n.L2:\n\tret\n\t.text\n"

/* Expands a template under the axes of a plan; returns the text up to the note, which the caller frees. */
static char *expand(const char *text, const char *axes, struct ifr_note *note) {
	struct ifr_plan plan;
	struct ifr_buffer out = {0};
	struct ifr_error err = {0};
	char *lines = ifr_format("interfero-plan 1\n%s", axes);
	assert_int_equal(ifr_plan_parse(lines, strlen(lines), "plan", &plan, &err), 0);
	assert_int_equal(ifr_template_expand(text, strlen(text), &plan, "", &out, note, &err), 0);
	char *end = strstr(out.data, "\t.section .note.interfero");
	assert_non_null(end);
	assert_non_null(strstr(end, "\t.ident\t\"x\"\n"));
	*end = '\0';
	ifr_plan_release(&plan);
	free(lines);
	return ifr_buffer_detach(&out);
}

static void test_no_axis_leaves_nothing(void **state) {
	(void)state;
	struct ifr_note note;
	char *text = expand(CODE END_OF(""), "", &note);
	assert_string_equal(text, PLAIN);
	assert_string_equal(note.unit, "a.c");
	assert_string_equal(note.compiler, "12.2.0");
	assert_int_equal(note.entry_count, 0);
	ifr_note_release(&note);
	free(text);
}

static unsigned occurrences(const char *text, const char *what) {
	unsigned count = 0;
	for (; (text = strstr(text, what)); text++)
		count++;
	return count;
}

static void test_each_mark_has_its_axis(void **state) {
	(void)state;
	struct ifr_note note;
	char *text = expand(CODE END_OF(""), "nops seed=1 rate=100", &note);
	assert_int_equal(occurrences(text, ".nops 1\n"), 2); /* g's attribute keeps the axis away */
	assert_int_equal(note.did.nops, 2);
	ifr_note_release(&note);
	free(text);
	text = expand(CODE END_OF(""), "nops seed=1 rate=100 heat=2", &note);
	assert_non_null(strstr(text, "#APP\n\t.nops 1\n") ? text
	                                                  : strstr(text, "\t.nops 1\n#APP\n\tnop # the user's"));
	assert_int_equal(occurrences(text, ".nops"), 1);
	ifr_note_release(&note);
	free(text);
	text = expand(CODE END_OF(""), "unit-order seed=1", &note);
	assert_int_equal(occurrences(text, "\t.section\t.text.g,"), 2);
	assert_true(strstr(text, "\t.text 1\n") || strstr(text, "\t.text 2\n"));
	assert_int_equal(occurrences(text, "\t.text 8192\n"), 2);
	assert_int_equal(note.did.ordered, 2);
	ifr_note_release(&note);
	free(text);
	text = expand(CODE END_OF(""), "align seed=1 functions=4096 only=@hot", &note);
	assert_true(occurrences(text, "align") >= 2 && !strstr(text, ".text\n\t.align"));
	ifr_note_release(&note);
	free(text);
}

/* Each axis of the compilation's plan applies unless the other plan has the axis on. */
static void test_the_plan_of_the_compilation(void **state) {
	(void)state;
	static const char own[] = CODE END_OF("#ifr-plan nops seed=9 rate=100\n#ifr-plan frames seed=3 max=64\n");
	struct ifr_note note;
	char *text = expand(own, "", &note);
	assert_int_equal(occurrences(text, ".nops"), 2);
	assert_true(note.plan.axis[IFR_AXIS_FRAMES].on);
	ifr_note_release(&note);
	free(text);
	text = expand(own, "nops seed=9 rate=0\nframes seed=4\nfunctions seed=1", &note);
	assert_string_equal(text, PLAIN);
	assert_int_equal(note.plan.axis[IFR_AXIS_FRAMES].seed, 3);
	assert_false(note.plan.axis[IFR_AXIS_FUNCTIONS].on);
	ifr_note_release(&note);
	free(text);
}

static void test_what_is_no_template(void **state) {
	(void)state;
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"", "not a template"},
		{CODE, "not a whole one"},
		{"#ifr-nosuch 1\n", "not known"},
		{"#ifr-function x\n", "function"},
		{"#ifr-function t none 0 3\tf\n", "function"},
		{"#ifr-order\n", "order"},
		{"#ifr-order t nosuch\tf\n", "nosuch"},
		{"#ifr-unit\n", "word"},
		{"#ifr-did f g frame\n", "did"},
		{"#ifr-did f g nosuch 3\n", "did"},
		{"#ifr-plan nops rate=101\n", "101"},
		{"#ifr-plan nosuch seed=1\n", "nosuch"},
		{"#ifr-note 9\n", "version 9"},
	};
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct ifr_buffer out = {0};
		struct ifr_note note;
		struct ifr_error err = {0};
		const char *text = wrong[i].text;
		assert_int_equal(ifr_template_expand(text, strlen(text), &plan, "", &out, &note, &err), -IFR_E_USAGE);
		assert_non_null(strstr(err.message, wrong[i].says));
		ifr_note_release(&note);
		ifr_buffer_release(&out);
	}
	assert_false(ifr_template_is_complete(CODE, strlen(CODE)));
	assert_true(ifr_template_is_complete(CODE END_OF(""), strlen(CODE END_OF(""))));
}

/* Labels .LNUMBER of code and jump tables are listed; labels of debugging information (.LFB0), comments and longer
 * names are not. */
static void test_labels(void **state) {
	(void)state;
	struct ifr_buffer text = {0};
	ifr_buffer_puts(&text, "f:\n.LFB0:\n.L7:\n\tjmp\t.L12\n.LVL3:\n.L:\n.L12:\n\t.L9:\n.L8: # x\n.L3b:\n.L4:");
	ifr_template_list_labels(&text);
	assert_non_null(strstr(ifr_buffer_text(&text), "\n\t.section\t.debug_interfero_labels,\"\",@progbits\n"
	                                               "\t.quad\t.L7\n\t.quad\t.L12\n\t.quad\t.L4\n"));
	assert_int_equal(occurrences(ifr_buffer_text(&text), ".quad"), 3);
	ifr_buffer_release(&text);
}

static void test_arguments(void **state) {
	(void)state;
	static const char text[] =
		"#ifr-argument --64\n#ifr-argument -mfoo=bar baz\n\t.file \"a\"\n#ifr-argument late\n";
	struct ifr_strings arguments = {0};
	ifr_template_read_arguments(text, sizeof text - 1, &arguments);
	assert_int_equal(arguments.count, 2);
	assert_string_equal(arguments.items[0], "--64");
	assert_string_equal(arguments.items[1], "-mfoo=bar baz");
	ifr_strings_release(&arguments);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_axis_leaves_nothing),
		cmocka_unit_test(test_each_mark_has_its_axis),
		cmocka_unit_test(test_the_plan_of_the_compilation),
		cmocka_unit_test(test_what_is_no_template),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_arguments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
