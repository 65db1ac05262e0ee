/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of causes, of an experiment whose cause was put in: layouts in which "hot" begins 48 bytes into its line
 * are slower by 5 %. */
#include <math.h>
#include <unistd.h>

#include "common/file.h"
#include "tests/unit/report_read.h"

enum { LAYOUTS = 33, SLOW = 16 };

static void add_unit(struct ifr_dataset *dataset, const char *name, uint64_t bytes, uint64_t samples) {
	struct ifr_dataset_unit *unit = ifr_dataset_add_unit(dataset);
	unit->name = ifr_strdup(name);
	unit->bytes = bytes;
	unit->samples = samples;
}

/* Odd layouts are slow. All other addresses follow a pattern that has nothing to do with that. */
static void fill_caused(struct ifr_dataset *dataset, bool sampled, bool recorded) {
	struct recipe recipe = usual;
	recipe.between = 0;
	recipe.second_group = 0.05;
	fill(dataset, &recipe, 3);
	add_unit(dataset, "a.c:.text.warm", 400, sampled ? 250 : 0);
	add_unit(dataset, "a.c:.text.hot", 100, sampled ? 600 : 0);
	add_unit(dataset, "b.c:.text.large<&>", 4000, 0);
	add_unit(dataset, "[libc.so.6]", 0, sampled ? 150 : 0);
	/* The model's recording says the opposite of the samples. */
	static const uint64_t instructions[] = {9000, 1000, 0, 10000};
	for (size_t i = 0; i < dataset->unit_count && recorded; i++)
		dataset->units[i].instructions = instructions[i];
	for (size_t i = 0; i < LAYOUTS; i++) {
		dataset->units[0].at[i] = 0x401000 + 4 * (i * 7 / 2 % 64);
		dataset->units[1].at[i] = 0x402000 + 64 * (i * 5 % 29) + (i % 2 ? 48 : 0);
		dataset->units[2].at[i] = 0x408000 + 4 * (i * 11 / 2 % 16);
	}
}

/* The line of a text that begins with these words, without its end; the caller frees. */
static char *line_of(const char *text, const char *words) {
	const char *at = strstr(text, words);
	if (!at)
		fail_msg("no line begins with \"%s\":\n%s", words, text);
	return ifr_format("%.*s", (int)strcspn(at, "\n"), at);
}

/* The rows, the line that blame finds, and 17 fast layouts (with the shipped one) left of 16 slow ones. */
static void test_text(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_buffer out = {0}, colored = {0};
	fill_caused(&dataset, true, true);
	ifr_dataset_add_fact(&dataset, "profile", "1000 samples of cpu-clock");
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	ifr_report_text(analysis, false, &out);
	const char *text = ifr_buffer_text(&out);
	says(text, "  - 60 %: hot, 100 bytes\n  - 25 %: warm, 400 bytes\n  - 15 %: [libc.so.6]\n");
	char *joined = as_text(analysis);
	says(joined, "Found: hot: its offset in a 64-byte line goes with it, +4.9 % from best to worst (p < 0.001)");
	free(joined);
	char *hot = line_of(text, "  hot                    * 60 % ");
	assert_string_equal(hot + 32, "00000000000000000cccccccccccccccc");
	says_not(text, "large<&>");
	assert_null(strstr(text, "\033"));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	/* With colours the characters are the same. */
	ifr_report_text(analysis, true, &colored);
	says(ifr_buffer_text(&colored),
	     "\033[30;48;5;203m00000000000000000\033[30;48;5;147mcccccccccccccccc\033[0m\n");
	free(hot);
	ifr_buffer_release(&out);
	ifr_buffer_release(&colored);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

static void test_page_and_json(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	struct ifr_buffer page = {0};
	char *dir;
	fill_caused(&dataset, false, false);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	char *path = ifr_format("%s/page.html", dir);
	assert_int_equal(ifr_report_html(analysis, path, &err), 0);
	assert_int_equal(ifr_file_read(path, 0, &page, &err), 0);
	const char *html = ifr_buffer_text(&page);
	/* 0x402000 + 64 * 5 + 48 */
	says(html, "<title>hot at 0x402170, 48 bytes into its 64-byte line; v001, ");
	says(html, "<title>hot at 0x402170, 368 bytes into its page; v001, ");
	says(html, "hsl(270 65% 58%)");
	says(html, "the largest, as no samples fell into units that move.");
	says(html, "large&lt;&amp;&gt;");
	says_not(html, "large<&>");
	size_t titles = 0;
	for (const char *at = html; (at = strstr(at, "into its ")); at++)
		titles++;
	assert_int_equal(titles, 2 * 3 * LAYOUTS);
	json_t *root = json_of(analysis), *map = follow(root, "analysis.unit_map");
	assert_string_equal(json_string_value(json_object_get(map, "basis")), "size");
	json_t *row = json_array_get(json_object_get(map, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "a.c:.text.hot");
	assert_string_equal(json_string_value(json_object_get(row, "finding")), "line");
	assert_int_equal(json_array_size(json_object_get(row, "addresses")), LAYOUTS);
	for (size_t i = 0; i < LAYOUTS; i++) {
		json_int_t variant = json_integer_value(json_array_get(json_object_get(map, "variants"), i));
		json_int_t at = json_integer_value(json_array_get(json_object_get(row, "addresses"), i));
		assert_int_equal(variant % 2, i >= LAYOUTS - SLOW);
		assert_int_equal(at, dataset.units[1].at[variant]);
	}
	/* Without a finding the largest stands first. */
	row = json_array_get(json_object_get(map, "rows"), 1);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "b.c:.text.large<&>");
	json_decref(root);
	ifr_tree_remove(dir, NULL);
	free(dir);
	free(path);
	ifr_buffer_release(&page);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* Without a profile the recording's instructions choose the rows, behind the one that blame finds. */
static void test_recorded(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	fill_caused(&dataset, false, true);
	ifr_dataset_add_fact(&dataset, "profile", "none: no permission");
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	char *text = as_text(analysis);
	says(text, "Hot functions are not known by time (none: no permission).");
	says(text, "Of 20000 instructions in the model's recording:");
	says(text, "- 50 %: [libc.so.6] - 45 %: warm, 400 bytes - 5 %: hot, 100 bytes");
	says(text, "then by executed instructions of the model's recording, as there is no profile of time.");
	says_not(text, "large<&>");
	json_t *root = json_of(analysis), *map = follow(root, "analysis.unit_map");
	assert_string_equal(json_string_value(json_object_get(map, "basis")), "instructions");
	assert_int_equal(json_integer_value(json_object_get(map, "instructions")), 20000);
	json_t *row = json_array_get(json_object_get(map, "rows"), 1);
	assert_string_equal(json_string_value(json_object_get(row, "name")), "a.c:.text.warm");
	assert_true(json_number_value(json_object_get(row, "share")) == 0.45);
	assert_int_equal(json_integer_value(json_object_get(row, "instructions")), 9000);
	json_decref(root);
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* Where no unit moves there is no picture, and an experiment without units says nothing about them. */
static void test_nothing_moves(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	fill_caused(&dataset, true, true);
	for (size_t i = 0; i < dataset.unit_count; i++)
		for (size_t j = 0; j < LAYOUTS; j++)
			dataset.units[i].at[j] = dataset.units[i].at[0];
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	char *text = as_text(analysis);
	says(text, "- 60 %: hot, 100 bytes");
	says_not(text, "modulo");
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_clear_units(&dataset);
	analysis = analysed(&dataset, NULL);
	text = as_text(analysis);
	says_not(text, "Where is the time");
	free(text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
}

/* Units come back from the file as they were saved, the last ones; before that, the file has no tables for them. */
static void test_stored(void **state) {
	(void)state;
	struct ifr_error err = {0};
	struct ifr_experiment *experiment;
	struct ifr_dataset dataset;
	char *dir;
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	char *path = ifr_format("%s/e.exp", dir);
	assert_int_equal(ifr_experiment_open(path, &experiment, &err), 0);
	for (unsigned i = 0; i < 2; i++) {
		const struct ifr_experiment_variant variant = {i, 0, i, i ? "v1" : "v0", "", "", "", ""};
		assert_int_equal(ifr_experiment_save_variant(experiment, &variant, &err), 0);
	}
	for (unsigned round = 1; round <= 2; round++) {
		assert_int_equal(ifr_experiment_load(path, &dataset, &err), 0);
		assert_int_equal(dataset.unit_count, round - 1);
		assert_string_equal(dataset.file, path);
		ifr_dataset_clear_units(&dataset);
		for (unsigned i = 0; i < round; i++) {
			add_unit(&dataset, i ? "two" : "one", 10 + i, 20 * round);
			dataset.units[i].program = i;
			dataset.units[i].instructions = 7 + i;
			dataset.units[i].at[1] = UINT64_C(0xffffffff80000000) + i;
		}
		dataset.units[0].source = ifr_strdup("a.c:7");
		assert_int_equal(ifr_experiment_save_units(experiment, &dataset, &err), 0);
		ifr_dataset_release(&dataset);
	}
	ifr_experiment_close(experiment);
	assert_int_equal(ifr_experiment_load(path, &dataset, &err), 0);
	assert_int_equal(dataset.unit_count, 2);
	assert_string_equal(dataset.units[0].name, "one");
	assert_string_equal(dataset.units[0].source, "a.c:7");
	assert_null(dataset.units[1].source);
	assert_int_equal(dataset.units[1].program, 1);
	assert_int_equal(dataset.units[1].bytes, 11);
	assert_int_equal(dataset.units[0].samples, 40);
	assert_int_equal(dataset.units[1].instructions, 8);
	assert_true(dataset.units[1].at[0] == 0 && dataset.units[1].at[1] == UINT64_C(0xffffffff80000001));
	ifr_dataset_release(&dataset);
	ifr_tree_remove(dir, NULL);
	free(dir);
	free(path);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),     cmocka_unit_test(test_page_and_json),
		cmocka_unit_test(test_recorded), cmocka_unit_test(test_nothing_moves),
		cmocka_unit_test(test_stored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
