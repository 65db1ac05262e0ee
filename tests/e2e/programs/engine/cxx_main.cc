/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exceptions through destructors, templates and an inline function that the other object has too, virtual
 * functions, a computed goto, weak symbols that are there and that are not. */
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "cxx.h"

struct Guard {
	const char *name;
	explicit Guard(const char *given) : name(given) {
	}
	__attribute__((noinline)) ~Guard() {
		std::printf("~%s\n", name);
	}
};

__attribute__((noinline)) int thrower(int x) {
	Guard guard("guard");
	if (x == 3)
		throw std::runtime_error("three");
	return x;
}

extern __attribute__((weak)) int missing(int);
__attribute__((weak)) int defined_twice() {
	return 1;
}

static int (*table[])(int) = {thrower, other, shared_inline};

int computed(int n) {
	static void *const labels[] = {&&one, &&ten, &&hundred};
	int sum = 0;
	for (int i = 0; i < n; i++) {
		goto *labels[i % 3];
	one:
		sum += 1;
		continue;
	ten:
		sum += 10;
		continue;
	hundred:
		sum += 100;
	}
	return sum;
}

int main() {
	Box<int> number;
	number.value = 4;
	Box<std::string> text;
	text.value = "x";
	std::vector<Box<int> *> boxes{&number};
	for (int i = 0; i < 5; i++)
		try {
			std::printf("%d\n", table[i % 3](i) + table[0](i));
		} catch (const std::exception &caught) {
			std::printf("caught %s\n", caught.what());
		}
	std::printf("%d %s %d %d %d %d\n", number.twice(), text.twice().c_str(), boxes[0]->size(),
	            missing ? missing(1) : 0, defined_twice(), computed(20));
}
