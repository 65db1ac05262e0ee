/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code that is hard to take apart: jump tables, functions in tables, calls and jumps inside one section, exceptions,
 * thread-local variables, constructors, variables of libraries. */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

extern "C" char **environ;
static thread_local int counter = 5;
static thread_local char scratch[64];

struct shape {
	virtual ~shape() {
	}
	virtual int area() const = 0;
};
struct square : shape {
	int side;
	explicit square(int given) : side(given) {
	}
	int area() const override {
		if (side < 0)
			throw std::invalid_argument("negative");
		return side * side;
	}
};

static int started;
struct starter {
	starter() {
		started = 7;
	}
} first;

__attribute__((noinline)) static int twice(int x) {
	return 2 * x;
}
__attribute__((noinline)) static int tail(int x) {
	counter++;
	return twice(x + 1);
}
static int (*const calls[])(int) = {twice, tail, abs};

__attribute__((noinline)) static int classify(int c, const char *text) {
	switch (c) {
	case 0:
		return 7;
	case 1:
		return snprintf(scratch, sizeof scratch, "one %s", text);
	case 2:
		return c * 19 + tail(c);
	case 3:
		throw c;
	case 4:
		return ++counter;
	case 5:
		return atoi(text) + 11;
	case 6:
		return fputs("", stdout) < 0 ? 1 : 3;
	default:
		return -1;
	}
}

__attribute__((noinline)) static int interpret(const char *program) {
	static const void *const steps[] = {&&add, &&twist, &&stop};
	int value = 1;
	goto *steps[*program++ - 'a'];
add:
	value += 3;
	goto *steps[*program++ - 'a'];
twist:
	value = value * 5 % 17;
	goto *steps[*program++ - 'a'];
stop:
	return value;
}

int main(int argc, char **argv) {
	const char *text = argc > 1 ? argv[1] : "4";
	const square good(3), bad(-1);
	const shape *const shapes[] = {&good, &bad};
	for (const shape *each : shapes)
		try {
			printf("area %d\n", each->area());
		} catch (const std::exception &found) {
			printf("caught %s\n", found.what());
		}
	for (int i = 0; i < 9; i++)
		try {
			printf("%d: %d\n", i, classify(i, text));
		} catch (int thrown) {
			printf("thrown %d\n", thrown);
		}
	for (int (*call)(int) : calls)
		printf("call %d\n", call(-4));
	printf("%d %d %s %d %d\n", interpret("abbac"), started, scratch, counter, environ != nullptr);
}
