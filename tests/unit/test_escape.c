/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words quoted for a shell: by hand from POSIX 2024, 2.2.4 ("Dollar-single-quotes"), and read back by bash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/process.h"
#include "harness/output/output.h"

static void test_by_hand(void **state) {
	(void)state;
	static const char *const words[][2] = {
		{"", "''"},
		{"./prog-1.2+x", "./prog-1.2+x"},
		{"a b", "'a b'"},
		{"it's", "'it'\\''s'"},
		{"$HOME", "'$HOME'"},
		{"gr\xc3\xbc\xc3\x9f", "'gr\xc3\xbc\xc3\x9f'"}, /* UTF-8 is shown as it is */
		{"a\nb", "$'a\\nb'"},
		{"a\tb", "$'a\\tb'"},
		{"it's\n", "$'it\\047s\\n'"},
		{"back\\slash\n", "$'back\\134slash\\n'"},
		{"\xff", "$'\\377'"},
		{"\xff"
	     "7",
	     "$'\\3777'"},                          /* three digits end an escape, whatever follows */
		{"\033[1m", "$'\\033[1m'"},             /* turns no terminal bold */
		{"\xe2\x80\xae", "$'\\342\\200\\256'"}, /* right-to-left override */
		{"\xc3", "$'\\303'"},                   /* a character that is cut off */
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct ifr_buffer out = {0};
		ifr_quote_shell(&out, words[i][0]);
		assert_string_equal(ifr_buffer_text(&out), words[i][1]);
		ifr_buffer_release(&out);
	}
}

/* bash gives every byte but NUL back, beside every other of a sample, and in a command of several words. */
static void test_read_back(void **state) {
	(void)state;
	char all[256];
	for (int i = 1; i < 256; i++)
		all[i - 1] = (char)i;
	all[255] = '\0';
	char digits[] = "\x01"
					"11\xff"
					"77",
		 plain[] = "plain", empty[] = "";
	char *const words[] = {all, digits, plain, empty, NULL};
	struct ifr_buffer command = {0}, out = {0}, expected = {0};
	ifr_buffer_puts(&command, "printf '%s|' ");
	ifr_quote_command(&command, words);
	assert_null(strchr(ifr_buffer_text(&command), '\n'));
	for (int i = 0; words[i]; i++)
		ifr_buffer_printf(&expected, "%s|", words[i]);
	const char *const argv[] = {"bash", "-c", ifr_buffer_text(&command), NULL};
	struct ifr_process process = {.argv = argv, .out = &out};
	int status = 1;
	assert_int_equal(ifr_process_run(&process, &status, NULL), 0);
	assert_int_equal(status, 0);
	assert_int_equal(out.length, expected.length);
	assert_memory_equal(out.data, expected.data, expected.length);
	ifr_buffer_release(&command);
	ifr_buffer_release(&out);
	ifr_buffer_release(&expected);
}

/* One line of a message or a report: marks that tell a line end from a space, and say which byte was there. */
static void test_one_line(void **state) {
	(void)state;
	static const char *const texts[][2] = {
		{"", ""},
		{"gr\xc3\xbc\xc3\x9f a\\b", "gr\xc3\xbc\xc3\x9f a\\b"},
		{"a\nb\tc", "a\\nb\\tc"},
		{"\033[1m\x7f", "\\x1b[1m\\x7f"},
		{"\xff\xc3", "\\xff\\xc3"}, /* not UTF-8, and a character that is cut off */
		{"\xe2\x80\xae"
	     "x",
	     "\\xe2\\x80\\xaex"},       /* right-to-left override */
		{"\xc2\x9b", "\\xc2\\x9b"}, /* the control sequence introducer of eight bits */
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ifr_buffer out = {0};
		ifr_escape_plain(&out, texts[i][0]);
		assert_string_equal(ifr_buffer_text(&out), texts[i][1]);
		ifr_buffer_release(&out);
	}
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_line), cmocka_unit_test(test_by_hand),
	                                   cmocka_unit_test(test_read_back)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
