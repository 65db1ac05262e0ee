/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++ that runs for minutes: a round throws and catches, calls virtual functions and instances of templates, and
 * writes a line through a buffer, and another into the file "lines". At its end, when it is ended after so many
 * rounds or by exit, static objects are destroyed once, in the order of the language; what lives on the stack is
 * not. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

struct Named {
	explicit Named(const char *text) : name(text) {
	}
	~Named() {
		std::cout << "destroyed " << name << '\n';
	}
	std::string name;
};
static Named first("first"), second("second");
static std::ofstream file;
static thread_local Named own("own");

struct Step {
	virtual ~Step() = default;
	virtual uint64_t operator()(uint64_t x) const = 0;
};
template <uint64_t factor> struct Multiply : Step {
	__attribute__((noinline)) uint64_t operator()(uint64_t x) const override {
		return UINT64_MAX / (x | 1) * factor + x;
	}
};

__attribute__((noinline)) static uint64_t risky(uint64_t x) {
	if (x % 3 == 0)
		throw std::out_of_range(std::to_string(x % 1000));
	return x / 3;
}

__attribute__((noinline)) static uint64_t middle(uint64_t x, const Step &step) {
	for (int i = 0; i < 300; i++)
		x = step(x) ^ (uint64_t)i;
	try {
		return x + risky(x);
	} catch (const std::exception &error) {
		return x + std::stoul(error.what());
	}
}

__attribute__((noinline)) static uint64_t round_of(uint64_t x, std::map<std::string, uint64_t> &seen) {
	std::unique_ptr<Step> steps[] = {std::make_unique<Multiply<2654435761u>>(),
	                                 std::make_unique<Multiply<40503u>>()};
	for (int i = 0; i < 100; i++)
		x = middle(x, *steps[i % 2]);
	seen[std::to_string(x % 97)] = x;
	return x;
}

int main(int argc, char **argv) {
	long rounds = argc > 1 ? atol(argv[1]) : 1000000;
	file.open("lines");
	std::map<std::string, uint64_t> seen;
	Named never("from the stack");
	uint64_t x = 1;
	std::ios::sync_with_stdio(false);
	own.name += '!';
	for (long i = 0; i < rounds; i++) {
		x = round_of(x, seen);
		std::cout << i << ' ' << std::hex << x << std::dec << ' ' << seen.size() << '\n';
		file << x << '\n';
	}
	exit(0);
}
