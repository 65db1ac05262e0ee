/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store of kits, in a temporary folder: TMP/kits is the store, TMP/in/… the inputs. */
#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/file.h"
#include "common/process.h"
#include "kit/kit.h"
#include "tests/unit/folder.h"

static time_t later_s;

/* Replaces libc's time(), to test that the store keeps young objects for an hour. */
time_t time(time_t *result) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += later_s;
	if (result)
		*result = now.tv_sec;
	return now.tv_sec;
}

static bool exists(const char *name) {
	char *path = below(name);
	bool there = ifr_file_exists(path);
	free(path);
	return there;
}

static int set_up(void **state) {
	(void)state;
	later_s = 0;
	if (make_folder(state))
		return -1;
	char *kits = below("kits");
	setenv("INTERFERO_KITS", kits, 1);
	free(kits);
	write_below("in/a.o", "object a");
	write_below("in/sub dir/b.o", "object b");
	write_below("in/map", "the map");
	return 0;
}

static void fill(struct ifr_kit *kit, const char *key) {
	char *a = below("in/a.o"), *b = below("in/sub dir/b.o");
	ifr_kit_init(kit);
	strcpy(kit->key, key);
	kit->program = ifr_strdup("prog");
	kit->output = below("prog");
	kit->sha256 = ifr_strdup("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	kit->build_id = ifr_strdup(key);
	kit->linker = ifr_strdup("ld.bfd");
	kit->linker_version = ifr_strdup("GNU ld \"x\" \\ \xc3\xa9");
	kit->cwd = below("in");
	kit->created = ifr_strdup("2020-01-02T03:04:05Z");
	ifr_strings_add(&kit->arguments, "sub dir/../a.o");
	ifr_strings_add(&kit->arguments, "-z");
	ifr_strings_add(&kit->arguments, "");
	ifr_kit_add_input(kit, a);
	ifr_kit_add_input(kit, b);
	ifr_kit_add_input(kit, a);
	assert_int_equal(kit->input_count, 2);
	free(a);
	free(b);
}

static void save(const char *key) {
	struct ifr_kit kit;
	struct ifr_error err = {0};
	char *map = below("in/map");
	fill(&kit, key);
	assert_int_equal(ifr_kit_save(&kit, map, &err), 0);
	ifr_kit_release(&kit);
	free(map);
}

static void cannot_load(const char *key, int code, const char *says) {
	struct ifr_kit kit;
	struct ifr_error err = {0};
	assert_int_equal(ifr_kit_load(key, &kit, &err), -code);
	assert_non_null(strstr(err.message, says));
	ifr_kit_release(&kit);
}

#define KEY "00112233445566778899aabbccddeeff00112233"

/* Digests of FIPS 180-4's examples: NIST's "abc" and the empty message. */
static void test_digests(void **state) {
	(void)state;
	char hex[IFR_SHA256_HEX], *path = below("in/abc");
	int64_t bytes = 0;
	ifr_sha256("", 0, hex);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	write_below("in/abc", "abc");
	assert_int_equal(ifr_sha256_file(path, hex, &bytes, NULL), 0);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(bytes, 3);
	assert_int_equal(ifr_sha256_file(folder, hex, NULL, NULL), -IFR_E_ENVIRONMENT);
	free(path);
}

static void test_save_and_load(void **state) {
	(void)state;
	struct ifr_kit saved, loaded;
	fill(&saved, KEY);
	assert_int_equal(ifr_kit_save(&saved, NULL, NULL), 0);
	/* The sources and objects may go. */
	char *in = below("in");
	assert_int_equal(ifr_tree_remove(in, NULL), 0);
	assert_int_equal(ifr_kit_load(KEY, &loaded, NULL), 0);
	assert_int_equal(ifr_kit_check(&loaded, NULL), 0);
	char *before = ifr_kit_print(&saved), *after = ifr_kit_print(&loaded);
	assert_string_equal(before, after);
	assert_string_equal(loaded.linker_version, "GNU ld \"x\" \\ \xc3\xa9");
	assert_int_equal(loaded.arguments.count, 3);
	assert_int_equal(loaded.inputs[1].bytes, strlen("object b"));
	assert_string_equal(loaded.dir, saved.dir);
	/* The folder "sub dir" exists, so that ld finds "sub dir/..". */
	char *way = ifr_format("%s/root%s/sub dir/../a.o", loaded.dir, in);
	assert_true(ifr_file_exists(way));
	free(way);
	free(before);
	free(after);
	free(in);
	ifr_kit_release(&saved);
	ifr_kit_release(&loaded);
}

static void test_replaced_whole(void **state) {
	(void)state;
	struct ifr_kit kit;
	save(KEY);
	assert_true(exists("kits/kits/" KEY "/map"));
	fill(&kit, KEY);
	kit.input_count = 1;
	free(kit.inputs[1].path);
	assert_int_equal(ifr_kit_save(&kit, NULL, NULL), 0);
	ifr_kit_release(&kit);
	assert_false(exists("kits/kits/" KEY "/map"));
	assert_int_equal(ifr_kit_load(KEY, &kit, NULL), 0);
	assert_int_equal(kit.input_count, 1);
	ifr_kit_release(&kit);
	/* A kit that cannot be saved leaves the old one and nothing else. */
	fill(&kit, KEY);
	ifr_kit_add_input(&kit, "/no/such/input.o");
	struct ifr_error err = {0};
	assert_int_equal(ifr_kit_save(&kit, NULL, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, "/no/such/input.o"));
	ifr_kit_release(&kit);
	assert_int_equal(ifr_kit_load(KEY, &kit, NULL), 0);
	assert_int_equal(kit.input_count, 1);
	ifr_kit_release(&kit);
	struct ifr_strings keys = {0};
	assert_int_equal(ifr_kit_keys(&keys, NULL), 0);
	assert_int_equal(keys.count, 1);
	ifr_strings_release(&keys);
}

static void test_lost_and_changed_inputs(void **state) {
	(void)state;
	struct ifr_kit kit;
	struct ifr_error err = {0};
	save(KEY);
	assert_int_equal(ifr_kit_load(KEY, &kit, NULL), 0);
	char *copy = ifr_format("%s/root%s", kit.dir, kit.inputs[1].path);
	/* Of the same size, so that only the digest can tell. */
	assert_int_equal(ifr_file_write(copy, "object B", 8, 0644, NULL), 0);
	assert_int_equal(ifr_kit_check(&kit, &err), -IFR_E_ENVIRONMENT);
	assert_non_null(strstr(err.message, kit.inputs[1].path));
	assert_non_null(strstr(err.message, "is not what was linked"));
	ifr_kit_release(&kit);
	assert_int_equal(unlink(copy), 0);
	cannot_load(KEY, IFR_E_ENVIRONMENT, "/in/sub dir/b.o: link the program again");
	free(copy);
	write_below("kits/kits/" KEY "/kit.json", "{\"format\": 1, \"key\": ");
	cannot_load(KEY, IFR_E_ENVIRONMENT, "is damaged (line 1");
	write_below("kits/kits/" KEY "/kit.json", "{\"format\": 7}");
	cannot_load(KEY, IFR_E_ENVIRONMENT, "format 7");
}

static void test_beginnings_of_keys(void **state) {
	(void)state;
	struct ifr_kit kit;
	struct ifr_strings keys = {0};
	assert_int_equal(ifr_kit_keys(&keys, NULL), 0);
	assert_int_equal(keys.count, 0);
	save("abcd2222");
	save("abcd1111");
	save("ab");
	save("abcd");
	assert_int_equal(ifr_kit_keys(&keys, NULL), 0);
	static const char *const order[] = {"ab", "abcd", "abcd1111", "abcd2222"};
	assert_int_equal(keys.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(keys.items[i], order[i]);
	ifr_strings_release(&keys);
	static const char *const found[][2] = {{"abcd1", "abcd1111"}, {"abcd", "abcd"}, {"ab", "ab"}};
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(ifr_kit_load(found[i][0], &kit, NULL), 0);
		assert_string_equal(kit.key, found[i][1]);
		ifr_kit_release(&kit);
	}
	assert_int_equal(ifr_kit_remove("abcd", NULL), 0);
	cannot_load("abcd", IFR_E_USAGE, "2 kits begin with abcd");
	cannot_load("abc", IFR_E_USAGE, "\"abc\" is too short for a key");
	cannot_load("abce", IFR_E_USAGE, "there is no kit abce");
	cannot_load("", IFR_E_USAGE, "too short");
	cannot_load("../kits/ab", IFR_E_USAGE, "there is no kit");
	static const char *const hostile[] = {"", ".", "..", "../kits", "abcd1111/../ab"};
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
		assert_int_equal(ifr_kit_remove(hostile[i], NULL), -IFR_E_USAGE);
	assert_int_equal(ifr_kit_remove("abcd9999", NULL), 0);
	assert_true(exists("kits/kits/ab/kit.json"));
}

/* A sweep removes objects of no kit that are an hour old, and keeps objects of kits. */
static void test_sweep(void **state) {
	(void)state;
	struct ifr_kit kit;
	int64_t freed = -1;
	assert_int_equal(ifr_kit_sweep(&freed, NULL), 0);
	assert_int_equal(freed, 0);
	save("abcd1111");
	write_below("in/a.o", "another object a");
	save("abcd2222");
	write_below("kits/kits/.new-XyXyXy/root/x", "left by a killed capture");
	assert_int_equal(ifr_kit_remove("abcd1111", NULL), 0);
	assert_int_equal(ifr_kit_sweep(&freed, NULL), 0);
	assert_int_equal(freed, 0);
	later_s = 3700;
	assert_true(exists("kits/kits/.new-XyXyXy"));
	assert_int_equal(ifr_kit_sweep(&freed, NULL), 0);
	assert_int_equal(freed, strlen("object a"));
	assert_false(exists("kits/kits/.new-XyXyXy"));
	assert_int_equal(ifr_kit_load("abcd2222", &kit, NULL), 0);
	assert_int_equal(ifr_kit_check(&kit, NULL), 0);
	ifr_kit_release(&kit);
	assert_int_equal(ifr_kit_remove("abcd2222", NULL), 0);
	assert_int_equal(ifr_kit_sweep(&freed, NULL), 0);
	assert_int_equal(freed, strlen("another object a") + strlen("object b"));
}

/* Exports a kit from one store and imports it into another. */
static void test_exchange(void **state) {
	(void)state;
	struct ifr_kit kit, other;
	char key[IFR_KEY_MAX], *file = below("kit.tar.zst"), *second = below("kits2");
	save(KEY);
	assert_int_equal(ifr_kit_load(KEY, &kit, NULL), 0);
	assert_int_equal(ifr_kit_export(&kit, file, NULL), 0);
	setenv("INTERFERO_KITS", second, 1);
	assert_int_equal(ifr_kit_import(file, key, NULL), 0);
	assert_string_equal(key, KEY);
	assert_int_equal(ifr_kit_load(KEY, &other, NULL), 0);
	assert_int_equal(ifr_kit_check(&other, NULL), 0);
	char *before = ifr_kit_print(&kit), *after = ifr_kit_print(&other);
	assert_string_equal(before, after);
	assert_true(exists("kits2/kits/" KEY "/map"));
	/* Export does not replace a folder or device. */
	assert_int_equal(ifr_kit_export(&kit, "/dev/null", NULL), -IFR_E_USAGE);
	/* A damaged kit is not exported. */
	char *copy = ifr_format("%s/root%s", kit.dir, kit.inputs[0].path);
	assert_int_equal(ifr_file_write(copy, "OBJECT a", 8, 0644, NULL), 0);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(ifr_kit_export(&kit, file, NULL), -IFR_E_ENVIRONMENT);
	assert_false(exists("kit.tar.zst"));
	assert_false(exists("kit.tar.zst.partial"));
	char *all[] = {copy, before, after, second, file};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	ifr_kit_release(&kit);
	ifr_kit_release(&other);
}

struct entry {
	const char *name, *text;
	unsigned type;
};

static void pack(const struct entry *entries, const char *file) {
	struct archive *archive = archive_write_new();
	archive_write_set_format_pax_restricted(archive);
	archive_write_add_filter_zstd(archive);
	assert_int_equal(archive_write_open_filename(archive, file), ARCHIVE_OK);
	for (; entries->name; entries++) {
		struct archive_entry *entry = archive_entry_new();
		archive_entry_set_pathname(entry, entries->name);
		archive_entry_set_filetype(entry, entries->type);
		archive_entry_set_perm(entry, 0644);
		if (entries->type == AE_IFLNK)
			archive_entry_set_symlink(entry, entries->text);
		archive_entry_set_size(entry, entries->type == AE_IFREG ? (int64_t)strlen(entries->text) : 0);
		assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
		if (entries->type == AE_IFREG)
			archive_write_data(archive, entries->text, strlen(entries->text));
		archive_entry_free(entry);
	}
	archive_write_close(archive);
	archive_write_free(archive);
}

/* Expects that import refuses a file and leaves the store as it was. */
static void refused_with(int code, const char *file, const char *says) {
	char key[IFR_KEY_MAX] = "untouched";
	struct ifr_error err = {0};
	struct ifr_strings keys = {0};
	assert_int_equal(ifr_kit_import(file, key, &err), -code);
	assert_non_null(strstr(err.message, says));
	assert_string_equal(key, "untouched");
	assert_int_equal(ifr_kit_keys(&keys, NULL), 0);
	assert_int_equal(keys.count, 0);
	assert_false(exists("evil"));
	assert_false(exists("kits/evil"));
	ifr_strings_release(&keys);
}

static void refused(const char *file, const char *says) {
	refused_with(IFR_E_ENVIRONMENT, file, says);
}

#define DIGEST "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* of "abc" */
#define MANIFEST(key, path, sha256)                                                                    \
	"{\"format\":1,\"key\":\"" key "\",\"program\":\"p\",\"output\":\"/p\",\"sha256\":\"" DIGEST "\"," \
	"\"build_id\":\"\",\"linker\":\"ld.bfd\",\"linker_version\":\"\",\"cwd\":\"/\",\"created\":\"\","  \
	"\"arguments\":[],\"inputs\":[{\"path\":\"" path "\",\"sha256\":\"" sha256 "\",\"bytes\":3}]}"
#define OBJECT \
	{ "objects/" DIGEST, "abc", AE_IFREG }

static void test_hostile_archives(void **state) {
	(void)state;
	static const char good[] = MANIFEST("abcd", "/x.o", DIGEST);
	static const struct {
		struct entry entries[4];
		const char *says;
	} hostile[] = {
		{{{"../evil", "x", AE_IFREG}}, "it holds \"../evil\""},
		{{{"/evil", "x", AE_IFREG}}, "it holds \"/evil\""},
		{{{"objects/../../evil", "x", AE_IFREG}}, "it holds"},
		{{{"objects/" DIGEST "/../../../evil", "x", AE_IFREG}}, "it holds"},
		{{{"objects/BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD", "x", AE_IFREG}},
	     "it holds"},
		{{{"evil", "x", AE_IFREG}}, "it holds \"evil\""},
		{{{"map", "../../evil", AE_IFLNK}}, "it holds \"map\""},
		{{{"objects", "", AE_IFDIR}}, "it holds"},
		{{{"map", "x", AE_IFREG}}, "kit.json"},
		{{{"kit.json", good, AE_IFREG}}, DIGEST},
		{{{"kit.json", good, AE_IFREG}, {"objects/" DIGEST, "abd", AE_IFREG}}, "/x.o has another content"},
		{{{"kit.json", MANIFEST("../evil", "/x.o", DIGEST), AE_IFREG}, OBJECT}, "a field is missing or wrong"},
		{{{"kit.json", MANIFEST("", "/x.o", DIGEST), AE_IFREG}, OBJECT}, "a field is missing or wrong"},
		{{{"kit.json", MANIFEST("abcd", "/../../evil", DIGEST), AE_IFREG}, OBJECT}, "a field is missing or wrong"},
		{{{"kit.json", MANIFEST("abcd", "evil", DIGEST), AE_IFREG}, OBJECT}, "a field is missing or wrong"},
		{{{"kit.json", MANIFEST("abcd", "/", DIGEST), AE_IFREG}, OBJECT}, "a field is missing or wrong"},
		{{{"kit.json", MANIFEST("abcd", "/x.o", "../../evil"), AE_IFREG}, OBJECT}, "a field is missing or wrong"},
		{{{"kit.json", "[]", AE_IFREG}}, "a field is missing or wrong"},
	};
	char *file = below("hostile.tar.zst"), key[IFR_KEY_MAX];
	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		pack(hostile[i].entries, file);
		refused(file, hostile[i].says);
	}
	/* A correct file of this form is imported: the refusals above have no other reason. */
	pack((const struct entry[]){{"kit.json", good, AE_IFREG}, OBJECT, {0}}, file);
	assert_int_equal(ifr_kit_import(file, key, NULL), 0);
	assert_string_equal(key, "abcd");
	assert_int_equal(ifr_kit_remove(key, NULL), 0);
	free(file);
}

static void test_damaged_archives(void **state) {
	(void)state;
	char *file = below("kit.tar.zst"), *text = below("text"), *missing = below("missing");
	struct ifr_kit kit;
	struct ifr_buffer whole = {0};
	save(KEY);
	assert_int_equal(ifr_kit_load(KEY, &kit, NULL), 0);
	assert_int_equal(ifr_kit_export(&kit, file, NULL), 0);
	ifr_kit_release(&kit);
	assert_int_equal(ifr_kit_remove(KEY, NULL), 0);
	assert_int_equal(ifr_file_read(file, 0, &whole, NULL), 0);
	for (size_t cut = 0; cut < whole.length - 1; cut += 1 + whole.length / 20) {
		assert_int_equal(ifr_file_write(file, whole.data, cut, 0644, NULL), 0);
		refused(file, "");
	}
	write_below("text", "not an archive\n");
	refused(text, "text");
	refused_with(IFR_E_USAGE, missing, missing);
	refused(folder, "");
	ifr_buffer_release(&whole);
	free(missing);
	free(text);
	free(file);
}

static void shell(const char *command, struct ifr_buffer *out) {
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct ifr_process process = {.argv = argv, .cwd = folder, .out = out, .errors = out};
	int status = -1;
	assert_int_equal(ifr_process_run(&process, &status, NULL), 0);
	assert_int_equal(status, 0);
}

/* Build-ids are compared with those of readelf -n. */
static void test_one_path_twice(void **state) {
	(void)state;
	struct ifr_kit kit;
	char *text = ifr_strdup(MANIFEST("ab", "/a", DIGEST "\",\"bytes\":3},{\"path\":\"/a\",\"sha256\":\"" DIGEST));
	assert_int_equal(ifr_kit_parse(text, strlen(text), "it", &kit, NULL), -IFR_E_ENVIRONMENT);
	/* With another path the manifest is correct. */
	free(text);
	text = ifr_strdup(MANIFEST("ab", "/a", DIGEST "\",\"bytes\":3},{\"path\":\"/b\",\"sha256\":\"" DIGEST));
	assert_int_equal(ifr_kit_parse(text, strlen(text), "it", &kit, NULL), 0);
	ifr_kit_release(&kit);
	free(text);
}

static void test_build_id(void **state) {
	(void)state;
	static const char *const kinds[] = {"sha1", "md5", "0xabcdef0123456789", "none"};
	static const size_t digits[] = {40, 32, 16, 0};
	char id[2 * IFR_BUILD_ID_MAX_BYTES + 1], *program = below("p"), *stripped = below("s");
	write_below("p.c", "int main(void) { return 0; }\n");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct ifr_buffer said = {0};
		char *command = ifr_format("gcc -Wl,--build-id=%s p.c -o p && strip -o s p && readelf -n p |"
		                           " sed -n 's/.*Build ID: //p' | tr -d '\\n'",
		                           kinds[i]);
		shell(command, &said);
		assert_int_equal(ifr_build_id_read(program, id, NULL), 0);
		assert_string_equal(id, ifr_buffer_text(&said));
		assert_int_equal(strlen(id), digits[i]);
		assert_int_equal(ifr_build_id_read(stripped, id, NULL), 0);
		assert_string_equal(id, ifr_buffer_text(&said));
		free(command);
		ifr_buffer_release(&said);
	}
	/* Without a build-id the digest finds the kit. */
	struct ifr_kit kit;
	struct ifr_error err = {0};
	char digest[IFR_SHA256_HEX];
	assert_int_equal(ifr_kit_of_program(program, &kit, &err), -IFR_E_USAGE);
	assert_non_null(strstr(err.message, "has no kit"));
	assert_int_equal(ifr_sha256_file(program, digest, NULL, NULL), 0);
	char *key = ifr_format("sha256-%s", digest);
	save(key);
	assert_int_equal(ifr_kit_of_program(program, &kit, &err), 0);
	assert_string_equal(kit.key, key);
	ifr_kit_release(&kit);
	free(key);
	free(stripped);
	free(program);
}

static void test_what_is_not_a_program(void **state) {
	(void)state;
	struct ifr_buffer said = {0};
	write_below("script", "#!/bin/sh\nexit 0\n");
	write_below("text", "x");
	write_below("empty", "");
	write_below("p.c", "int main(void) { return 0; }\n");
	shell("gcc -c p.c -o p.o && ar rc p.a p.o && gcc -m32 -c p.c -o p32.o && ld -m elf_i386 -e 0 p32.o -o p32 &&"
	      " gcc p.c -o p && head -c 40 p > cut",
	      &said);
	static const char *const table[][2] = {
		{"script", "is a script, not an ELF program"},
		{"text", "is not an ELF program"},
		{"empty", "is not an ELF program"},
		{"p.a", "is not an ELF program"},
		{"cut", "is not an ELF program"},
		{"p.o", "not a linked program or library"},
		{"p32", "is not for x86-64"},
		{"missing", "cannot open"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char id[2 * IFR_BUILD_ID_MAX_BYTES + 1], *path = below(table[i][0]);
		struct ifr_error err = {0};
		assert_int_equal(ifr_build_id_read(path, id, &err), -IFR_E_USAGE);
		assert_non_null(strstr(err.message, table[i][1]));
		assert_non_null(strstr(err.message, path));
		assert_string_equal(id, "");
		free(path);
	}
	ifr_buffer_release(&said);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, drop_folder)

int main(void) {
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_digests),
		IN_FOLDER(test_save_and_load),
		IN_FOLDER(test_replaced_whole),
		IN_FOLDER(test_lost_and_changed_inputs),
		IN_FOLDER(test_beginnings_of_keys),
		IN_FOLDER(test_sweep),
		IN_FOLDER(test_exchange),
		IN_FOLDER(test_hostile_archives),
		IN_FOLDER(test_damaged_archives),
		cmocka_unit_test(test_one_path_twice),
		IN_FOLDER(test_build_id),
		IN_FOLDER(test_what_is_not_a_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
