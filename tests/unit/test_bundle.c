/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bundles: names that unpacking takes, archives that somebody made up, and the words of a recorded command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <archive.h>
#include <archive_entry.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/bundle/bundle.h"
#include "harness/output/output.h"
#include "tests/unit/folder.h"

static const char version[] = "interfero-bundle 1\n";

/* One made-up entry; data NULL: a header that announces `size` bytes without them. */
struct made_entry {
	const char *name;
	unsigned type;
	const char *link, *hardlink, *data;
	int64_t size;
};

static char *make_archive(const struct made_entry *entries, size_t count) {
	char *path = below("made.bundle");
	struct archive *archive = archive_write_new();
	archive_write_set_format_pax_restricted(archive);
	archive_write_add_filter_zstd(archive);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	for (size_t i = 0; i < count; i++) {
		struct archive_entry *entry = archive_entry_new();
		archive_entry_set_pathname(entry, entries[i].name);
		archive_entry_set_filetype(entry, entries[i].type ? entries[i].type : AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_entry_set_size(entry, entries[i].data ? (int64_t)strlen(entries[i].data) : entries[i].size);
		if (entries[i].link)
			archive_entry_set_symlink(entry, entries[i].link);
		if (entries[i].hardlink)
			archive_entry_set_hardlink(entry, entries[i].hardlink);
		archive_write_header(archive, entry);
		if (entries[i].data)
			archive_write_data(archive, entries[i].data, strlen(entries[i].data));
		archive_entry_free(entry);
	}
	/* Closing complains where a header announced more than there is. */
	archive_write_close(archive);
	archive_write_free(archive);
	return path;
}

/* Unpacks an archive of the version and these entries, which must be refused with these words. */
static void refuse(const struct made_entry *entries, size_t count, const char *words) {
	struct made_entry all[8] = {{.name = "interfero-bundle", .data = version}};
	struct ifr_error err = {0};
	memcpy(all + 1, entries, count * sizeof *entries);
	char *path = make_archive(all, count + 1), *into = below("into");
	if (!ifr_bundle_unpack(path, into, &err))
		fail_msg("taken: %s", entries[0].name);
	assert_int_equal(err.code, IFR_E_ENVIRONMENT);
	if (!strstr(err.message, words))
		fail_msg("no \"%s\" in: %s", words, err.message);
	ifr_tree_remove(into, NULL);
	unlink(path);
	free(into);
	free(path);
}

static void test_names(void **state) {
	(void)state;
	static const char *const taken[] = {"interfero-bundle", "experiment",  "kits/0a1b",
	                                    "programs/0/p",     "files/a/..b", "files/a b/c.txt"};
	static const char *const refused[] = {"",
	                                      "/experiment",
	                                      "../x",
	                                      "files/../x",
	                                      "files/..",
	                                      "files/./x",
	                                      "files//x",
	                                      "files/",
	                                      "files/a/",
	                                      "files//etc/passwd",
	                                      "programs/0/../../../x",
	                                      "other/x",
	                                      "experiments",
	                                      "files/a\nb",
	                                      "kits/\x1b[31m"};
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (!ifr_bundle_takes(taken[i]))
			fail_msg("refused: %s", taken[i]);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (ifr_bundle_takes(refused[i]))
			fail_msg("taken: %s", refused[i]);
}

static void test_hostile(void **state) {
	(void)state;
	char *outside = below("outside");
	refuse(&(struct made_entry){.name = "../outside", .data = "x"}, 1, "../outside");
	refuse(&(struct made_entry){.name = "files/../../outside", .data = "x"}, 1, "files/../../outside");
	refuse(&(struct made_entry){.name = outside, .data = "x"}, 1, "holds");
	refuse(&(struct made_entry){.name = "files/link", .type = AE_IFLNK, .link = ".."}, 1, "files/link");
	refuse(&(struct made_entry){.name = "files/device", .type = AE_IFCHR}, 1, "files/device");
	refuse(&(struct made_entry){.name = "files/folder", .type = AE_IFDIR}, 1, "files/folder");
	refuse(
		(const struct made_entry[]){{.name = "files/a", .data = "x"}, {.name = "files/b", .hardlink = "files/a"}},
		2, "files/b");
	/* A link and a file through it. */
	refuse((const struct made_entry[]){{.name = "files/d", .type = AE_IFLNK, .link = "/tmp"},
	                                   {.name = "files/d/x", .data = "x"}},
	       2, "files/d");
	refuse((const struct made_entry[]){{.name = "files/a", .data = "x"}, {.name = "files/a", .data = "y"}}, 2,
	       "twice");
	refuse((const struct made_entry[]){{.name = "files/a", .data = "x"}, {.name = "files/a/b", .data = "y"}}, 2,
	       "files/a");
	/* A size beyond the limit is refused by the header, before anything is written. */
	refuse(&(struct made_entry){.name = "files/huge", .size = INT64_C(5) << 30}, 1, "files/huge");
	assert_false(ifr_file_exists(outside));
	free(outside);
}

static void test_damaged(void **state) {
	(void)state;
	const struct made_entry entries[] = {{.name = "interfero-bundle", .data = version},
	                                     {.name = "files/a", .data = "some text that is long enough to be cut"}};
	char *path = make_archive(entries, 2), *into = below("into"), *file = below("into/files/a");
	struct ifr_buffer whole = {0}, text = {0};
	struct ifr_error err = {0};
	assert_true(ifr_bundle_is(path));
	assert_int_equal(ifr_bundle_unpack(path, into, &err), 0);
	assert_int_equal(ifr_file_read(file, 0, &text, NULL), 0);
	assert_string_equal(ifr_buffer_text(&text), entries[1].data);
	ifr_tree_remove(into, NULL);
	assert_int_equal(ifr_file_read(path, 0, &whole, NULL), 0);
	/* Cut anywhere, or with a byte changed: an error or the same contents, and nothing beside the folder. */
	for (size_t i = 0; i < whole.length; i++) {
		assert_int_equal(ifr_file_write(path, whole.data, i, 0644, NULL), 0);
		assert_int_not_equal(ifr_bundle_unpack(path, into, &err), 0);
		ifr_tree_remove(into, NULL);
		whole.data[i] ^= 0x55;
		assert_int_equal(ifr_file_write(path, whole.data, whole.length, 0644, NULL), 0);
		ifr_bundle_unpack(path, into, &err);
		whole.data[i] ^= 0x55;
		ifr_tree_remove(into, NULL);
	}
	ifr_buffer_release(&text);
	ifr_buffer_release(&whole);
	unlink(path);
	free(file);
	free(into);
	free(path);
}

static void test_other_archives(void **state) {
	(void)state;
	struct ifr_error err = {0};
	const struct made_entry newer[] = {{.name = "interfero-bundle", .data = "interfero-bundle 2\n"}};
	const struct made_entry kit[] = {{.name = "kit.json", .data = "{}"}};
	char *into = below("into"), *path = make_archive(newer, 1);
	assert_int_not_equal(ifr_bundle_unpack(path, into, &err), 0);
	assert_non_null(strstr(err.message, "newer"));
	ifr_tree_remove(into, NULL);
	free(path);
	path = make_archive(kit, 1);
	assert_int_not_equal(ifr_bundle_unpack(path, into, &err), 0);
	assert_non_null(strstr(err.message, "kit.json"));
	ifr_tree_remove(into, NULL);
	unlink(path);
	free(path);
	free(into);
}

/* The words that bash gives for each command. */
static void test_words(void **state) {
	(void)state;
	static const struct {
		const char *command, *words[4];
	} known[] = {
		{"./prog a b", {"./prog", "a", "b"}},
		{"  ./prog\t'a b'  ''", {"./prog", "a b", ""}},
		{"x 'don'\\''t' \"q\\\"\\$\\n\"", {"x", "don't", "q\"$\\n"}},
		{"x a\\ b$'\\t\\n\\x41\\101\\'' c", {"x", "a b\t\nAA'", "c"}},
		{"$'\\377\\0341' \\\\", {"\377\0341", "\\"}},
		{"$'\\x41B' $'\\1011'", {"AB", "A1"}},
		{"a=$b '$c'", {"a=$b", "$c"}},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct ifr_strings words = {0};
		size_t count = 0;
		assert_true(ifr_unquote_shell(known[i].command, &words));
		while (count < 4 && known[i].words[count])
			count++;
		assert_int_equal(words.count, count);
		for (size_t j = 0; j < count; j++)
			assert_string_equal(words.items[j], known[i].words[j]);
		ifr_strings_release(&words);
	}
	static const char *const open[] = {"a 'b", "a \"b", "$'b", "$'\\"};
	for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
		struct ifr_strings words = {0};
		assert_false(ifr_unquote_shell(open[i], &words));
		ifr_strings_release(&words);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup_teardown(test_hostile, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(test_damaged, make_folder, drop_folder),
		cmocka_unit_test_setup_teardown(test_other_archives, make_folder, drop_folder),
		cmocka_unit_test(test_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
