/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF files and archives as binutils makes them, whole, cut off and missing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kit/kit.h"
#include "tests/unit/folder.h"

static void open_below(struct ifr_elf_file *file, const char *name) {
	char *path = below(name);
	assert_true(ifr_elf_open(file, path));
	free(path);
}

/* The current member has these bytes. */
static void assert_bytes(const struct ifr_elf_file *archive, const char *text, size_t length) {
	struct ifr_buffer bytes = {0};
	ifr_elf_read_member(archive, &bytes);
	assert_int_equal(bytes.length, length);
	assert_memory_equal(ifr_buffer_text(&bytes), text, length);
	ifr_buffer_release(&bytes);
}

/* Short names, names that do not fit into a header, odd sizes, an empty member, and one name twice. */
static void test_members(void **state) {
	(void)state;
	struct ifr_elf_file archive;
	static const char *const names[] = {"a", "a-name-of-more-than-16-bytes", "empty", "a"};
	static const char *const texts[] = {"odd", "even", "", "odd"};
	write_below("a", "odd");
	write_below("a-name-of-more-than-16-bytes", "even");
	write_below("empty", "");
	shell_below("ar qc all.a a a-name-of-more-than-16-bytes empty a", NULL);
	open_below(&archive, "all.a");
	for (size_t i = 0; i < 4; i++) {
		const char *name;
		while ((name = ifr_elf_next_member(&archive)) && *name == '/')
			;
		assert_non_null(name);
		assert_string_equal(name, names[i]);
		assert_bytes(&archive, texts[i], strlen(texts[i]));
	}
	assert_null(ifr_elf_next_member(&archive));
	ifr_elf_close(&archive);
}

static void test_cut_archive(void **state) {
	(void)state;
	struct ifr_elf_file archive;
	write_below("a", "0123456789");
	/* The archive's head has 8 bytes, a member's 60: four bytes of the member stay. Versions of libelf differ in
	 * whether such a member is one. */
	shell_below("ar qc all.a a && head -c 72 all.a > cut.a", NULL);
	open_below(&archive, "cut.a");
	const char *name = ifr_elf_next_member(&archive);
	if (name)
		assert_bytes(&archive, "0123", 4);
	assert_null(ifr_elf_next_member(&archive));
	ifr_elf_close(&archive);
}

static void test_sections(void **state) {
	(void)state;
	struct ifr_elf_file file;
	GElf_Shdr header;
	write_below("p.s", "\t.section mine,\"a\",@progbits\n\t.ascii \"12345\"\n\t.file \"p.c\"\n");
	shell_below("as p.s -o p.o && ar rc p.a p.o", NULL);
	open_below(&file, "p.o");
	assert_null(ifr_elf_next_member(&file));
	Elf_Scn *mine = ifr_elf_find_section(file.elf, "mine", &header);
	assert_non_null(mine);
	assert_int_equal(header.sh_size, 5);
	assert_memory_equal(elf_rawdata(mine, NULL)->d_buf, "12345", 5);
	assert_non_null(ifr_elf_find_section_type(file.elf, SHT_SYMTAB, &header));
	assert_int_equal(header.sh_entsize, 24);
	assert_null(ifr_elf_find_section(file.elf, "min", &header));
	assert_null(ifr_elf_find_section_type(file.elf, SHT_DYNAMIC, &header));
	ifr_elf_close(&file);
	/* An archive has no sections; its members have. */
	open_below(&file, "p.a");
	assert_null(ifr_elf_find_section(file.elf, "mine", &header));
	assert_null(ifr_elf_find_section_type(file.elf, SHT_SYMTAB, &header));
	for (const char *name = ""; name && strcmp(name, "p.o");)
		name = ifr_elf_next_member(&file);
	assert_non_null(ifr_elf_find_section(file.member, "mine", &header));
	ifr_elf_close(&file);
}

static void test_other_files(void **state) {
	(void)state;
	struct ifr_elf_file file;
	GElf_Shdr header;
	char *missing = below("missing");
	errno = 0;
	assert_false(ifr_elf_open(&file, missing));
	assert_int_equal(errno, ENOENT);
	ifr_elf_close(&file);
	free(missing);
	write_below("empty", "");
	write_below("text", "no ELF file");
	for (size_t i = 0; i < 2; i++) {
		open_below(&file, i ? "empty" : "text");
		assert_int_equal(elf_kind(file.elf), ELF_K_NONE);
		assert_null(ifr_elf_next_member(&file));
		assert_null(ifr_elf_find_section(file.elf, "mine", &header));
		ifr_elf_close(&file);
	}
	assert_null(ifr_elf_of_bytes(NULL, 0));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void) {
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_members),
		IN_FOLDER(test_cut_archive),
		IN_FOLDER(test_sections),
		IN_FOLDER(test_other_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
