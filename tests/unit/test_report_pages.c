/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages and figures, also of an experiment whose names are hostile. */
#include "common/file.h"
#include "tests/unit/report_read.h"

static const char hostile[] =
	"x'\"`touch owned`$(touch owned)<script>alert(1)</script>&\033[31m\nEOD\nsystem 'touch owned'\xff";

static void make_hostile(struct ifr_dataset *dataset) {
	struct recipe recipe = usual;
	recipe.variants = 10;
	recipe.rounds = 3;
	recipe.perf = true;
	recipe.program = hostile;
	fill(dataset, &recipe, 4);
	for (size_t i = 0; i < dataset->variant_count; i++)
		snprintf(dataset->variants[i].name, sizeof dataset->variants[i].name, "%.40s%u", hostile, (unsigned)i);
	strcpy(dataset->counters[3].name, "x'\"`touch owned`<b>\nEOD\nsystem 'touch owned'");
	ifr_strings_add(&dataset->warnings, hostile);
	dataset->runs[5].refused = ifr_strdup(hostile);
	dataset->variants[4].refused = ifr_strdup(hostile);
}

static void test_hostile(void **state) {
	(void)state;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	struct ifr_buffer page = {0};
	char *dir;
	make_hostile(&dataset);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	struct ifr_buffer out = {0};
	ifr_report_text(analysis, false, &out);
	says_not(ifr_buffer_text(&out), "\033");
	says_not(ifr_buffer_text(&out), "\xff");
	ifr_buffer_release(&out);
	json_decref(json_of(analysis));
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	char *path = ifr_format("%s/page.html", dir);
	if (ifr_report_html(analysis, path, &err) || ifr_report_figures(analysis, dir, &err))
		fail_msg("%s", err.message);
	assert_int_equal(ifr_file_read(path, 0, &page, &err), 0);
	says_not(ifr_buffer_text(&page), "<script");
	says_not(ifr_buffer_text(&page), "<b>");
	says_not(ifr_buffer_text(&page), "src=");
	says_not(ifr_buffer_text(&page), "\033");
	char *owned = ifr_format("%s/owned", dir);
	assert_false(ifr_file_exists(owned));
	assert_false(ifr_file_exists("owned"));
	free(owned);
	free(path);
	ifr_buffer_release(&page);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	assert_int_equal(ifr_tree_remove(dir, &err), 0);
	free(dir);
}

static size_t count_of(const char *text, const char *words) {
	size_t count = 0;
	while ((text = strstr(text, words))) {
		text += strlen(words);
		count++;
	}
	return count;
}

/* One page with all figures in it; and without gnuplot a page that says so. */
static void test_html(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	struct ifr_buffer page = {0};
	char *dir;
	recipe.perf = true;
	fill(&dataset, &recipe, 8);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	char *path = ifr_format("%s/page.html", dir);
	assert_int_equal(ifr_report_html(analysis, path, &err), 0);
	assert_int_equal(ifr_file_read(path, 0, &page, &err), 0);
	assert_int_equal(count_of(ifr_buffer_text(&page), "<svg"), 4);
	/* The lead is open; the basis, all layouts and the methods are folded. */
	says(ifr_buffer_text(&page), "<div class=\"lead\">\n<p>Layout matters: sd ");
	assert_int_equal(count_of(ifr_buffer_text(&page), "<details><summary>"), 3);
	assert_int_equal(count_of(ifr_buffer_text(&page), "</details>"), 3);
	assert_int_equal(count_of(ifr_buffer_text(&page), "<td class=\"name\">"), 33);
	assert_int_equal(count_of(ifr_buffer_text(&page), "id='f0_gpPt6'"), 1);
	says_not(ifr_buffer_text(&page), "id='gp");
	/* The commands of the best layout and its plan are two boxes, each to be copied by itself. */
	assert_int_equal(count_of(ifr_buffer_text(&page), "</pre>\n<pre"), 1);
	char *before = ifr_strdup(getenv("PATH"));
	setenv("PATH", "/nonexistent", 1);
	ifr_buffer_clear(&page);
	assert_int_equal(ifr_report_html(analysis, path, &err), 0);
	assert_int_equal(ifr_file_read(path, 0, &page, &err), 0);
	assert_int_equal(count_of(ifr_buffer_text(&page), "<svg"), 0);
	assert_int_equal(count_of(ifr_buffer_text(&page), "The figures are missing: figures need gnuplot"), 1);
	assert_int_equal(ifr_report_figures(analysis, dir, &err), -IFR_E_ENVIRONMENT);
	says(err.message, "gnuplot-nox");
	setenv("PATH", before, 1);
	free(before);
	free(path);
	ifr_buffer_release(&page);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	ifr_tree_remove(dir, NULL);
	free(dir);
}

/* The words of a page that a narrow screen shows, and of a table that a terminal shows. */
static void test_narrow(void **state) {
	(void)state;
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	struct ifr_buffer text = {0};
	char *dir;
	recipe.perf = true;
	recipe.program = "/home/someone/a-project/build/a-program-with-a-name";
	fill(&dataset, &recipe, 8);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	char *path = ifr_format("%s/page.html", dir);
	assert_int_equal(ifr_report_html(analysis, path, &err), 0);
	assert_int_equal(ifr_file_read(path, 0, &text, &err), 0);
	says(ifr_buffer_text(&text), "/<wbr>build/<wbr>a-program-with-a-name</h1>");
	says(ifr_buffer_text(&text), "@media (max-width:40rem){figure svg{min-width:");
	ifr_buffer_clear(&text);
	ifr_report_table_head(&text);
	assert_int_equal(ifr_report_table_row(analysis, "branch-misses", &text, &err), 0);
	ifr_report_table_foot(analysis, "branch-misses", &text);
	for (const char *line = ifr_buffer_text(&text); *line; line += strcspn(line, "\n") + 1)
		if (strcspn(line, "\n") > 80)
			fail_msg("wider than 80 columns: %.100s", line);
	free(path);
	ifr_buffer_release(&text);
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	ifr_tree_remove(dir, NULL);
	free(dir);
}

static void test_figures(void **state) {
	(void)state;
	static const char *const made[] = {"layouts", "intervals", "normal", "line-branch-misses"},
							 *const endings[] = {"gp", "svg", "pdf"};
	struct recipe recipe = usual;
	struct ifr_dataset dataset;
	struct ifr_error err = {0};
	char *dir;
	recipe.perf = true;
	fill(&dataset, &recipe, 8);
	struct ifr_analysis *analysis = analysed(&dataset, NULL);
	assert_int_equal(ifr_temporary_dir(&dir, &err), 0);
	if (ifr_report_figures(analysis, dir, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < 12; i++) {
		char *path = ifr_format("%s/%s.%s", dir, made[i / 3], endings[i % 3]);
		struct ifr_buffer text = {0};
		assert_int_equal(ifr_file_read(path, 0, &text, &err), 0);
		assert_true(text.length > 1000);
		free(path);
		ifr_buffer_release(&text);
	}
	ifr_analysis_free(analysis);
	ifr_dataset_release(&dataset);
	ifr_tree_remove(dir, NULL);
	free(dir);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_html),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_figures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
