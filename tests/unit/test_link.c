/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linker's command line. Kinds and forms of options are from the ld manual, "Command-line Options"; whole
 * command lines are the compiler's, and their links are compared with ld.bfd's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/file.h"
#include "common/process.h"
#include "kit/kit.h"
#include "wrapper/capture/capture.h"
#include "wrapper/capture/options.h"
#include "tests/unit/folder.h"

static int set_up(void **state) {
	(void)state;
	if (make_folder(state))
		return -1;
	write_below("a b.c", "#include <math.h>\nint other(int);\nint main(int c, char **v) { (void)v;"
	                     " return other((int)floor(sqrt(c))); }\n");
	write_below("o.c", "int other(int x);\nint other(int x) { return x - 1; }\n");
	write_below("v.map", "{ local: *; };\n");
	return 0;
}

static void test_options(void **state) {
	(void)state;
	static const struct {
		const char *argument, *next;
		enum option_kind kind;
		const char *value;
		int words;
	} table[] = {
		{"a.o", "b.o", OPTION_INPUT, "a.o", 1},
		{"-", "b.o", OPTION_INPUT, "-", 1},
		{"-o", "out", OPTION_DROP, "out", 2},
		{"-oout", "x", OPTION_DROP, "out", 1},
		{"--output=out", "x", OPTION_DROP, "out", 1},
		{"--output", "out", OPTION_DROP, "out", 2},
		{"-Map", "m", OPTION_DROP, "m", 2},
		{"-Map=m", "x", OPTION_DROP, "m", 1},
		{"--Map=m", "x", OPTION_DROP, "m", 1},
		{"-M", "x", OPTION_DROP, NULL, 1},
		{"-t", "x", OPTION_DROP, NULL, 1},
		{"--build-id", "x", OPTION_DROP, NULL, 1},
		{"--build-id=none", "x", OPTION_DROP, "none", 1},
		{"-plugin", "p.so", OPTION_DROP, "p.so", 2},
		{"-plugin-opt=-pass-through=-lgcc", "x", OPTION_DROP, "-pass-through=-lgcc", 1},
		{"-dynamic-linker", "/lib64/ld.so", OPTION_VALUE, "/lib64/ld.so", 2},
		{"--dynamic-linker=/l", "x", OPTION_VALUE, "/l", 1},
		{"-I", "/lib64/ld.so", OPTION_VALUE, "/lib64/ld.so", 2},
		{"-m", "elf_x86_64", OPTION_VALUE, "elf_x86_64", 2},
		{"-z", "now", OPTION_VALUE, "now", 2},
		{"-znow", "x", OPTION_VALUE, "now", 1},
		{"-lfoo", "x", OPTION_VALUE, "foo", 1},
		{"-l", "foo", OPTION_VALUE, "foo", 2},
		{"-L/usr/lib", "x", OPTION_FOLDERS, "/usr/lib", 1},
		{"-L", "/usr/lib", OPTION_FOLDERS, "/usr/lib", 2},
		{"-rpath-link=/a:/b", "x", OPTION_FOLDERS, "/a:/b", 1},
		{"-rpath", "/a", OPTION_VALUE, "/a", 2},
		{"--sysroot=/s", "x", OPTION_FOLDERS, "/s", 1},
		{"--version-script=v", "x", OPTION_FILE, "v", 1},
		{"--version-script", "v", OPTION_FILE, "v", 2},
		{"-T", "s.ld", OPTION_FILE, "s.ld", 2},
		{"-Ts.ld", "x", OPTION_FILE, "s.ld", 1},
		{"--script=s.ld", "x", OPTION_FILE, "s.ld", 1},
		{"-Ttext=0x400000", "x", OPTION_VALUE, "0x400000", 1},
		{"-Ttext-segment=0x400000", "x", OPTION_VALUE, "0x400000", 1},
		{"-c", "mri", OPTION_FILE, "mri", 2},
		{"--defsym=a=b", "x", OPTION_VALUE, "a=b", 1},
		{"--dynamic-list-data", "x", OPTION_PLAIN, NULL, 1},
		{"--hash-style=gnu", "x", OPTION_PLAIN, NULL, 1},
		{"--start-group", "x", OPTION_PLAIN, NULL, 1},
		{"-(", "x", OPTION_PLAIN, NULL, 1},
		{"-pie", "x", OPTION_PLAIN, NULL, 1},
		{"-static", "x", OPTION_PLAIN, NULL, 1},
		{"-call_shared", "x", OPTION_PLAIN, NULL, 1},
		{"-copy-dt-needed-entries", "x", OPTION_PLAIN, NULL, 1},
		{"-o", NULL, OPTION_DROP, NULL, 1},
		{"-dynamic-linker", NULL, OPTION_VALUE, NULL, 1},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct option_use use = option_read(table[i].argument, table[i].next);
		if (use.kind != table[i].kind || use.words != table[i].words)
			fail_msg("%s: kind %d, %d words", table[i].argument, use.kind, use.words);
		if (table[i].value)
			assert_string_equal(use.value, table[i].value);
		else
			assert_null(use.value);
	}
}

/* Words are separated by '|'. */
static void read_words(struct ifr_link *link, const char *words) {
	struct ifr_strings argv = {0};
	ifr_strings_add(&argv, "ld");
	ifr_strings_split(&argv, words, "|");
	ifr_link_read(link, (int)argv.count, argv.items);
	ifr_strings_release(&argv);
}

static void become(const char *words, const char *expected, const char *files) {
	struct ifr_link link;
	struct ifr_strings arguments = {0}, named = {0};
	struct ifr_buffer text = {0};
	read_words(&link, words);
	ifr_link_arguments(&link, "/w", &arguments, &named);
	for (size_t i = 0; i < arguments.count; i++)
		ifr_buffer_printf(&text, "%s%s", i ? "|" : "", arguments.items[i]);
	assert_string_equal(ifr_buffer_text(&text), expected);
	ifr_buffer_clear(&text);
	for (size_t i = 0; i < named.count; i++)
		ifr_buffer_printf(&text, "%s%s", i ? "|" : "", named.items[i]);
	assert_string_equal(ifr_buffer_text(&text), files);
	ifr_buffer_release(&text);
	ifr_strings_release(&arguments);
	ifr_strings_release(&named);
	ifr_link_release(&link);
}

#define R IFR_KIT_ROOT

static void test_arguments(void **state) {
	(void)state;
	become("", "--sysroot=" R, "");
	become("-plugin|/x/p.so|-plugin-opt=/x/"
	       "w|--build-id|--eh-frame-hdr|-m|elf_x86_64|--hash-style=gnu|-dynamic-linker|"
	       "/lib64/ld-linux-x86-64.so.2|-pie|-o|/w/out|/usr/lib/x/../Scrt1.o|-L/usr/lib/x/../../lib|-L.|a.o|-lm",
	       "--eh-frame-hdr|-m|elf_x86_64|--hash-style=gnu|-dynamic-linker|/lib64/ld-linux-x86-64.so.2|-pie|" R
	       "/usr/lib/Scrt1.o|-L" R "/usr/lib|-L.|a.o|-lm|--sysroot=" R,
	       "");
	become("a.o|-Map=m|-L|/l|--version-script=/v/x.map|-T|s/x.ld",
	       "a.o|-L|" R "/l|--version-script=" R "/v/x.map|-T|s/x.ld|--sysroot=" R, "/v/x.map|/w/s/x.ld");
	become("a.o|--sysroot=/root|-rpath-link=/a:b:/c/../d|-rpath|/keep",
	       "a.o|--sysroot=" R "/root|-rpath-link=" R "/a:b:" R "/d|-rpath|/keep", "");
}

static void test_facts(void **state) {
	(void)state;
	static const struct {
		const char *words, *output, *map, *dependencies;
		bool build_id, relocatable, inputs;
	} table[] = {
		{"a.o", "a.out", NULL, NULL, false, false, true},
		{"--version", "a.out", NULL, NULL, false, false, false},
		{"-o|x|a.o", "x", NULL, NULL, false, false, true},
		{"a.o|-ox/y", "x/y", NULL, NULL, false, false, true},
		{"--output=x|a.o|--output|y", "y", NULL, NULL, false, false, true},
		{"-Map|m|a.o", "a.out", "m", NULL, false, false, true},
		{"-Map=m|--dependency-file=d|--build-id=none|a.o", "a.out", "m", "d", true, false, true},
		{"-r|a.o|-o|b.o", "b.o", NULL, NULL, false, true, true},
		{"--relocatable|a.o", "a.out", NULL, NULL, false, true, true},
		{"-rpath|/r|a.o", "a.out", NULL, NULL, false, false, true},
		{"-o", "a.out", NULL, NULL, false, false, false},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct ifr_link link;
		read_words(&link, table[i].words);
		assert_string_equal(link.output, table[i].output);
		assert_string_equal(link.map ? link.map : "-", table[i].map ? table[i].map : "-");
		assert_string_equal(link.dependency_file ? link.dependency_file : "-",
		                    table[i].dependencies ? table[i].dependencies : "-");
		assert_int_equal(link.has_build_id, table[i].build_id);
		assert_int_equal(link.relocatable, table[i].relocatable);
		assert_int_equal(link.has_inputs, table[i].inputs);
		ifr_link_release(&link);
	}
}

static void test_response_files(void **state) {
	(void)state;
	struct ifr_link link;
	char *inner = ifr_format("\"a b.o\" -o 'an out' @%s/two", folder),
		 *words = ifr_format("@%s/one|@/no/such/file", folder);
	write_below("one", inner);
	write_below("two", "-L/x\\ y\n\t-lm -r");
	read_words(&link, words);
	static const char *const expected[] = {"a b.o", "-o", "an out", "-L/x y", "-lm", "-r", "@/no/such/file"};
	assert_int_equal(link.arguments.count, 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(link.arguments.items[i], expected[i]);
	assert_string_equal(link.output, "an out");
	assert_true(link.relocatable);
	ifr_link_release(&link);
	free(words);
	free(inner);
}

/* Repeats the compiler's link with the kit's arguments and / as the root, and expects the same bytes. */
static void repeats(const char *options) {
	struct ifr_buffer line = {0};
	struct ifr_strings words = {0}, arguments = {0}, files = {0}, again = {0};
	char *link_it = ifr_format("gcc %s 'a b.o' o.o -o out -Wl,--build-id=none -lm", options);
	char *show = ifr_format("gcc -### %s 'a b.o' o.o -o out -Wl,--build-id=none -lm 2>&1 | grep /collect2 |"
	                        " xargs printf '%%s\\n'",
	                        options);
	struct ifr_link link;
	shell_below("gcc -O1 -c 'a b.c' o.c", NULL);
	shell_below(link_it, NULL);
	shell_below(show, &line);
	ifr_strings_split(&words, ifr_buffer_text(&line), "\n");
	assert_true(words.count > 20);
	ifr_link_read(&link, (int)words.count, words.items);
	assert_string_equal(link.output, "out");
	assert_true(link.has_build_id && link.has_inputs && !link.relocatable);
	ifr_link_arguments(&link, folder, &arguments, &files);
	ifr_strings_add(&again, "ld.bfd");
	for (size_t i = 0; i < arguments.count; i++) {
		const char *root = strstr(arguments.items[i], R "/");
		assert_null(strstr(arguments.items[i], "liblto_plugin"));
		if (root)
			ifr_strings_take(&again, ifr_format("%.*s%s", (int)(root - arguments.items[i]), arguments.items[i],
			                                    root + strlen(R)));
		else if (!strstr(arguments.items[i], R))
			ifr_strings_add(&again, arguments.items[i]);
	}
	ifr_strings_add(&again, "-oagain");
	struct ifr_process process = {.argv = (const char *const *)again.items, .cwd = folder};
	int status = -1;
	assert_int_equal(ifr_process_run(&process, &status, NULL), 0);
	assert_int_equal(status, 0);
	shell_below("cmp out again", NULL);
	struct ifr_strings *lists[] = {&words, &arguments, &files, &again};
	for (size_t i = 0; i < 4; i++)
		ifr_strings_release(lists[i]);
	ifr_link_release(&link);
	ifr_buffer_release(&line);
	free(show);
	free(link_it);
}

static void test_repeated_links(void **state) {
	(void)state;
	repeats("");
	repeats("-no-pie -Wl,-z,now -Wl,-Map=m -L.");
	repeats("-static -Wl,--gc-sections");
	repeats("-rdynamic -Wl,--version-script=v.map -Wl,-rpath,/opt/x -Wl,-u,other -Wl,-e,_start");
}

static void test_probes(void **state) {
	(void)state;
	static const char *const probes[] = {"conftest",
	                                     "x/conftest.out",
	                                     "cmTC_1a2b3",
	                                     "/b/CMakeFiles/CMakeScratch/T/x",
	                                     "CMakeFiles/CMakeTmp/x",
	                                     "meson-private/sanitycheckc.exe",
	                                     "/dev/null",
	                                     "b/CMakeFiles/3.25.1/CompilerIdC/a.out"};
	for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
		assert_true(ifr_link_is_probe(probes[i], "/w"));
	assert_true(ifr_link_is_probe("a.out", "/b/CMakeFiles/CMakeTmp"));
	static const char *const programs[] = {"a.out", "lua", "my-conftest", "dev/null", "CMake", "cmake"};
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		assert_false(ifr_link_is_probe(programs[i], "/w"));
}

static void test_dependency_files(void **state) {
	(void)state;
	struct ifr_buffer text = {0};
	struct ifr_strings files = {0};
	/* A dependency file of the linker keeps blanks, and names a shared library twice. */
	shell_below("gcc -c 'a b.c' o.c && gcc 'a b.o' o.o -lm -o 'an out' -Wl,--dependency-file=d && cat d", &text);
	ifr_dependencies_parse(ifr_buffer_text(&text), &files);
	assert_true(ifr_strings_contain(&files, "a b.o"));
	assert_true(ifr_strings_contain(&files, "o.o"));
	assert_false(ifr_strings_contain(&files, "an out"));
	for (size_t i = 0; i < files.count; i++) {
		char *path = ifr_path_normalise(folder, files.items[i]);
		if (strcmp(files.items[i], "linker stubs"))
			assert_true(ifr_file_exists(path));
		free(path);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(files.items[i], files.items[j]);
	}
	ifr_strings_release(&files);
	ifr_dependencies_parse("out: \\\n  a \\\n  x\\ y \\\n  a \\\n  last\n\nnot this:\n  nor this\n", &files);
	static const char *const expected[] = {"a", "x\\ y", "last"};
	assert_int_equal(files.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(files.items[i], expected[i]);
	ifr_strings_release(&files);
	ifr_dependencies_parse("", &files);
	ifr_dependencies_parse("out:", &files);
	ifr_dependencies_parse("out:\n", &files);
	assert_int_equal(files.count, 0);
	ifr_buffer_release(&text);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_probes),
		cmocka_unit_test_setup_teardown(test_response_files, set_up, drop_folder),
		cmocka_unit_test_setup_teardown(test_repeated_links, set_up, drop_folder),
		cmocka_unit_test_setup_teardown(test_dependency_files, set_up, drop_folder),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
