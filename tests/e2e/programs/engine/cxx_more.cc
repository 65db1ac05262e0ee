/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <cstdio>

#include "cxx.h"

int defined_twice() {
	return 2;
}

int other(int x) {
	Box<int> box;
	box.value = x;
	try {
		if (x == 4)
			throw x;
	} catch (int caught) {
		return -caught;
	}
	switch (x) {
	case 0:
		return 5;
	case 1:
		return std::puts("one");
	case 2:
		return 77;
	case 3:
		return 9;
	case 4:
		return shared_inline(2);
	case 5:
		return 8;
	}
	return box.twice() + shared_inline(x);
}
