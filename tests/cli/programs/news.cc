// SPDX-License-Identifier: GPL-3.0-or-later
// new and delete in all forms, and containers that use them.
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

struct alignas(256) wide {
	char byte[300];
};

int main() {
	for (int i = 0; i < 1000; i++) {
		int *one = new int(i), *many = new int[i + 1], *quiet = new (std::nothrow) int[i + 1];
		wide *single = new wide, *row = new wide[3];
		if (reinterpret_cast<uintptr_t>(single) % 256 || reinterpret_cast<uintptr_t>(row) % 256)
			return 1;
		delete one;
		delete[] many;
		::operator delete[](quiet, std::nothrow);
		delete single;
		delete[] row;
		void *sized = ::operator new(100);
		::operator delete (sized, std::size_t{100});
		void *both = ::operator new (100, std::align_val_t{128});
		::operator delete (both, std::size_t{100}, std::align_val_t{128});
	}
	try {
		std::vector<char> impossible(static_cast<std::size_t>(PTRDIFF_MAX));
		return 2;
	} catch (const std::bad_alloc &) {
	} catch (const std::length_error &) {
	}
	std::map<std::string, std::shared_ptr<std::vector<int>>> all;
	for (int i = 0; i < 5000; i++)
		all["a rather long key, number " + std::to_string(i)] = std::make_shared<std::vector<int>>(i % 100);
	std::puts(all.size() == 5000 ? "fine" : "not fine");
}
