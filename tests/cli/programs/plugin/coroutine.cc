/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coroutines, which GCC splits into functions of its own. */
#include <coroutine>
#include <cstdio>
#include <exception>

struct Numbers {
	struct promise_type {
		int value = 0;
		Numbers get_return_object() {
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept {
			return {};
		}
		std::suspend_always final_suspend() noexcept {
			return {};
		}
		std::suspend_always yield_value(int number) {
			value = number;
			return {};
		}
		void return_void() {
		}
		void unhandled_exception() {
			throw;
		}
	};
	std::coroutine_handle<promise_type> handle;
};

static Numbers squares(int n) {
	for (int i = 0; i < n; i++) {
		if (i == 7)
			throw 70 + i;
		co_yield i *i;
	}
}

int main() {
	Numbers numbers = squares(20);
	try {
		while (!numbers.handle.done()) {
			numbers.handle.resume();
			std::printf("%d ", numbers.handle.promise().value);
		}
	} catch (int thrown) {
		std::printf("thrown %d\n", thrown);
	}
	numbers.handle.destroy();
}
