/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recipes, and the marks of templates about recompilation: texts by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiletime/compiletime.h"

#define HEAD "interfero-recipe 1\ncompiler cc1\n"

static void test_a_recipe_and_back(void **state) {
	(void)state;
	static const char text[] = HEAD "argument -O2\nargument --param\nargument max-inline-insns-auto=3\n"
									"file unit.i 8\nint a;\n\0\nfile a b.mod 0\n\n";
	struct ifr_recipe recipe = {0};
	struct ifr_buffer again = {0};
	struct ifr_error err = {0};
	assert_int_equal(ifr_recipe_parse(text, sizeof text - 1, &recipe, &err), 0);
	assert_string_equal(recipe.compiler, "cc1");
	assert_int_equal(recipe.arguments.count, 3);
	assert_string_equal(recipe.arguments.items[2], "max-inline-insns-auto=3");
	assert_int_equal(recipe.file_count, 2);
	assert_string_equal(recipe.files[0].name, "unit.i");
	assert_int_equal(recipe.files[0].bytes.length, 8);
	assert_memory_equal(recipe.files[0].bytes.data, "int a;\n\0", 8);
	assert_string_equal(recipe.files[1].name, "a b.mod");
	assert_int_equal(recipe.files[1].bytes.length, 0);
	ifr_recipe_print(&recipe, &again);
	assert_int_equal(again.length, sizeof text - 1);
	assert_memory_equal(again.data, text, again.length);
	ifr_buffer_release(&again);
	ifr_recipe_release(&recipe);
	assert_null(recipe.files);
}

static void test_what_is_no_recipe(void **state) {
	(void)state;
	static const char *const wrong[] = {
		"",
		"interfero-recipe 2\ncompiler cc1\nfile a 0\n\n",
		HEAD,
		HEAD "file a 1\n\n",
		HEAD "file a 0\n",
		HEAD "file a 3\nabcd\n",
		HEAD "file ../a 0\n\n",
		HEAD "file .. 0\n\n",
		HEAD "file a -1\n\n",
		HEAD "file a 18446744073709551615\n\n",
		HEAD "file a 0x1\nb\n",
		HEAD "file  0\n\n",
		HEAD "nosuch\nfile a 0\n\n",
		HEAD "compiler cc1\nfile a 0\n\n",
		"interfero-recipe 1\ncompiler sh\nfile a 0\n\n",
		"interfero-recipe 1\nfile a 0\n\n",
		HEAD "argument -O2\nfile a 0\n\nrest",
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct ifr_recipe recipe = {0};
		struct ifr_error err = {0};
		assert_int_equal(ifr_recipe_parse(wrong[i], strlen(wrong[i]), &recipe, &err), -IFR_E_USAGE);
		assert_non_null(strstr(err.message, "compile again"));
		ifr_recipe_release(&recipe);
	}
}

#define UNIT                                                                                     \
	"#ifr-function t none 0 16\tf\tf\nf:\n\tret\n#ifr-function t frames 0 16\tg\tg\ng:\n\tret\n" \
	"#ifr-plan nops seed=5 rate=10 max=1 heat=0\n#ifr-plan frames seed=6 max=64\n"
#define END "#ifr-note 2\n"

static void test_what_a_template_says(void **state) {
	(void)state;
	static const char key[] = UNIT "#ifr-recipe 00ff\n" END, none[] = UNIT "#ifr-recipe none for a reason\n" END;
	char *words = ifr_template_read_recipe(key, sizeof key - 1);
	assert_string_equal(words, "00ff");
	free(words);
	words = ifr_template_read_recipe(none, sizeof none - 1);
	assert_string_equal(words, "none for a reason");
	free(words);
	assert_null(ifr_template_read_recipe(UNIT END, sizeof UNIT END - 1));
	assert_null(ifr_template_read_recipe("", 0));
	static const char made[] = UNIT "#ifr-compiler 11.3.0\n" END, cut[] = UNIT "#ifr-compiler 1";
	assert_int_equal(ifr_template_compiler_version(made, sizeof made - 1), 11);
	assert_int_equal(ifr_template_compiler_version(cut, sizeof cut - 1), 1);
	assert_int_equal(ifr_template_compiler_version(UNIT END, sizeof UNIT END - 1), 0);
	assert_int_equal(ifr_template_compiler_version("", 0), 0);
}

static void test_the_axes_of_both(void **state) {
	(void)state;
	struct ifr_plan plan, merged;
	ifr_plan_init(&plan);
	ifr_plan_init(&merged);
	ifr_plan_enable(&plan, IFR_AXIS_NOPS, 77);
	ifr_plan_enable(&plan, IFR_AXIS_GLOBALS, 78);
	ifr_plan_enable(&plan, IFR_AXIS_FUNCTIONS, 79);
	assert_int_equal(ifr_template_merge_plan(UNIT END, sizeof UNIT END - 1, &plan, &merged, NULL), 0);
	assert_int_equal(ifr_plan_axes(&merged), 1u << IFR_AXIS_NOPS | 1u << IFR_AXIS_GLOBALS | 1u << IFR_AXIS_FRAMES);
	assert_int_equal(merged.axis[IFR_AXIS_NOPS].seed, 77);
	assert_int_equal(merged.axis[IFR_AXIS_FRAMES].seed, 6);
	assert_int_equal(merged.axis[IFR_AXIS_FRAMES].value[0], 64);
	ifr_plan_release(&merged);
	ifr_plan_release(&plan);
}

static bool touched(const char *text, const char *axis) {
	struct ifr_plan plan;
	ifr_plan_init(&plan);
	assert_int_equal(ifr_plan_parse(axis, strlen(axis), "plan", &plan, NULL), 0);
	bool is = ifr_template_needs_recompilation(text, strlen(text), &plan);
	ifr_plan_release(&plan);
	return is;
}

static void test_whom_a_plan_changes(void **state) {
	(void)state;
	static const char variable[] = "\t.type\ta, @object\n" UNIT END;
	/* One seed in max / 16 + 1 adds no byte to f's frame; g's attribute keeps the axis away. */
	assert_true(touched(UNIT END, "interfero-plan 1\nframes seed=1 max=4096\n"));
	assert_false(touched(UNIT END, "interfero-plan 1\nframes seed=1 max=0\n"));
	assert_true(touched(UNIT END, "interfero-plan 1\nframes seed=1 max=4096 only=f\n"));
	assert_false(touched(UNIT END, "interfero-plan 1\nframes seed=1 max=4096 only=g\n"));
	assert_false(touched(variable, "interfero-plan 1\nnops seed=1\n"));
	/* A function without a loop has none in two versions; the attribute of g keeps away frames alone. */
	static const char loop[] = "#ifr-function t none 0 16\tf\tf\nf:\n#ifr-loop\n\tret\n" UNIT END;
	static const char cold[] = UNIT "\t#ifr-loop-cold\n" END;
	assert_true(touched(loop, "interfero-plan 1\nalias-check seed=1 only=f\n"));
	assert_false(touched(loop, "interfero-plan 1\nalias-check seed=1 only=g\n"));
	assert_true(touched(cold, "interfero-plan 1\nalias-check only=g\n"));
	assert_true(touched(loop, "interfero-plan 1\nsplit-loops only=f\n"));
	assert_false(touched(loop, "interfero-plan 1\nsplit-loops seed=1\n"));
	assert_true(touched(loop, "interfero-plan 1\nduplicate-joins only=f\n"));
	assert_false(touched(loop, "interfero-plan 1\nduplicate-joins only=h\n"));
	assert_false(touched(UNIT END, "interfero-plan 1\nalias-check\n"));
	assert_true(touched(variable, "interfero-plan 1\nglobals seed=1\n"));
	assert_false(touched(UNIT END, "interfero-plan 1\nglobals seed=1\n"));
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_recipe_and_back),    cmocka_unit_test(test_what_is_no_recipe),
		cmocka_unit_test(test_what_a_template_says), cmocka_unit_test(test_the_axes_of_both),
		cmocka_unit_test(test_whom_a_plan_changes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
