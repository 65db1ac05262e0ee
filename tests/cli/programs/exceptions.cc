/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exceptions that pass through functions, with objects to be destroyed on the way. */
#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

int destroyed;

struct Guard {
	~Guard() {
		destroyed++;
	}
};

__attribute__((noinline)) int deep(int level) {
	Guard guard;
	if (level == 0)
		throw std::runtime_error("bottom");
	if (level == 100)
		throw level;
	return deep(level - 1) + 1;
}

__attribute__((noinline)) int middle(int level) {
	Guard guard;
	try {
		return deep(level);
	} catch (int number) {
		return number;
	}
}

__attribute__((noinline)) std::string outer(int level) {
	try {
		return std::to_string(middle(level));
	} catch (const std::exception &error) {
		return error.what();
	}
}

} // namespace

int main() {
	std::printf("%s %s ", outer(5).c_str(), outer(100).c_str());
	/* Five levels above level 0 and it make six guards in deep, one more in middle; then one and one. */
	std::printf("%d\n", destroyed);
	return 0;
}
