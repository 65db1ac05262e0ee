/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by both C++ objects: the linker keeps one copy of each. */
#ifndef ENGINE_CXX_H
#define ENGINE_CXX_H

template <class T> struct Box {
	T value;
	__attribute__((noinline)) T twice() const {
		return value + value;
	}
	virtual ~Box() {
	}
	virtual int size() {
		return sizeof(T);
	}
};

inline __attribute__((noinline)) int shared_inline(int x) {
	static int count;
	return ++count + x;
}

int other(int x);

#endif
