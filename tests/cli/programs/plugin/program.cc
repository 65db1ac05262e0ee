/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exceptions through several frames, virtual thunks, templates, static objects, lambdas. */
#include <cstdio>
#include <stdexcept>
#include <string>
struct Loud {
	const char *name;
	Loud(const char *n) : name(n) {
		printf("made %s\n", n);
	}
	~Loud() {
		printf("dropped %s\n", name);
	}
};
static Loud first("first"), second("second"), third("third");
struct A {
	virtual int a() {
		return 1;
	}
	virtual ~A() {
	}
};
struct B {
	virtual int b() {
		return 2;
	}
	virtual ~B() {
	}
};
struct C : A, virtual B {
	int a() override {
		return 3;
	}
	int b() override {
		return 4;
	}
};
template <class T> T sum(T a, T b) {
	return a + b;
}
static int __attribute__((noinline)) thrower(int n) {
	Loud local("local");
	if (n == 1)
		throw std::runtime_error("one");
	if (n == 2)
		throw n;
	if (n == 3)
		throw std::string("three");
	return n;
}
static int __attribute__((noinline)) catcher(int n) {
	try {
		Loud outer("outer");
		return thrower(n);
	} catch (const std::exception &e) {
		printf("caught %s\n", e.what());
		return -1;
	} catch (int i) {
		printf("caught %d\n", i);
		return -2;
	} catch (...) {
		printf("caught something\n");
		return -3;
	}
}
int main() {
	C c;
	A *a = &c;
	B *b = &c;
	auto lambda = [&](int n) { return n + a->a() * 10 + b->b(); };
	for (int i = 0; i < 5; i++)
		printf("%d\n", catcher(i));
	printf("%d %d %s\n", lambda(5), sum(2, 3), sum(std::string("x"), std::string("y")).c_str());
}
