/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols for people: mangled by hand from the Itanium C++ ABI (5.1) and Rust's RFC 2603, and shortened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/output/output.h"

static void test_demangle(void **state) {
	(void)state;
	static const char *const symbols[][2] = {
		{"_Z3foov", "foo()"},
		{"_ZNK4Json5Value4sizeEv", "Json::Value::size() const"},
		{"_ZN1aI1bIiEE1cEPKcd", "a<b<int> >::c(char const*, double)"},
		{"_Z3barv.cold", "bar() [clone .cold]"},
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"}, /* Rust, legacy */
		{"_RNvCs1234_7mycrate3foo", "mycrate::foo"},                                     /* Rust, v0 */
		{"main", NULL},
		{"_start", NULL},
		{"_Z", NULL},
		{"", NULL},
		{"luaV_execute", NULL},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		char *name = ifr_symbol_demangle(symbols[i][0]);
		if (!symbols[i][1])
			assert_null(name);
		else
			assert_string_equal(name, symbols[i][1]);
		free(name);
	}
}

static void assert_shortened(const char *name, size_t columns, const char *expected) {
	char *text = ifr_symbol_shorten(name, columns);
	assert_string_equal(text, expected);
	assert_true(ifr_text_width(text, strlen(text)) <= columns);
	free(text);
}

static void test_shorten(void **state) {
	(void)state;
	static const char name[] = "std::map<int, std::vector<char> >::at(int const&) const";
	assert_shortened(name, 80, name);
	assert_shortened(name, 54, "std::map<int, std::vector<char> >::at(..) const");
	assert_shortened(name, 30, "std::map<..>::at(..) const");
	assert_shortened(name, 20, "at(..) const");
	assert_shortened(name, 21, "map<..>::at(..) const");
	assert_shortened("main()", 5, "..n()");
	/* Brackets of operators open nothing; those of an unnamed namespace are its name. */
	assert_shortened("a::operator<<(std::ostream&, a const&)", 20, "a::operator<<(..)");
	assert_shortened("name<int, long>::operator<<(long)", 26, "name<..>::operator<<(..)");
	assert_shortened("a::operator()(int, int) const", 25, "a::operator()(..) const");
	assert_shortened("a<int>::operator->(long, long)", 26, "a<int>::operator->(..)");
	assert_shortened("a<int, int>::operator->(long)", 24, "a<..>::operator->(..)");
	assert_shortened("(anonymous namespace)::f(int, int)", 30, "(anonymous namespace)::f(..)");
	/* Unbalanced names are cut. */
	assert_shortened("f(((((((((((((((", 8, "..((((((");
	assert_shortened(">>>>>>>>>>)))))))))<", 8, "..)))))<");
	/* Columns are characters. */
	assert_shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 8,
	                 "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
}

int main(void) {
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_demangle), cmocka_unit_test(test_shorten)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
