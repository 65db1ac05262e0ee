#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The value align-bytes of the axis frames: the stack is aligned at a function's entry.

load ../helpers
load ../plugin

setup_file() {
	use_own_kits
	use_plugin
}

setup() {
	use_own_folder
	cat >kernel.c <<-'END'
		#include <alloca.h>
		#include <stdarg.h>
		#include <stdio.h>
		#include <string.h>
		/* The eighth argument comes by the stack above the aligned frame. */
		__attribute__((noinline, noclone)) long kernel(int a, int b, int c, int d, int e, int f, int g, int h, char *name, ...) {
			volatile int local = a;
			char *more = alloca((size_t)h);
			va_list list;
			va_start(list, name);
			memset(more, g, (size_t)h);
			const long sum = local + b + c + d + e + f + g + h + more[h - 1] + va_arg(list, int);
			va_end(list);
			printf("%s %ld\n", name, (long)&local % 4096);
			return sum;
		}
		__attribute__((noinline, noclone)) void other(void) {
			volatile int local = 0;
			printf("other %ld\n", (long)&local % 4096);
		}
		int main(int argc, char **argv) {
			(void)argv;
			printf("sum %ld\n", kernel(argc, 2, 3, 4, 5, 6, 7, 8, "kernel", 9));
			other();
			return 0;
		}
	END
}

teardown_file() {
	drop_own_kits
}

# places PROGRAM NAME: the address of a function's variable modulo 4096, each one once, over 300 sizes of the environment.
places() {
	local size text
	for ((size = 0; size < 4800; size += 16)); do
		printf -v text '%*s' "$size" ''
		env -i FILL="$text" setarch -R "$1"
	done | awk -v name="$2" '$1 == name { print $2 }' | sort -u | wc -l
}

@test "the variables of a function lie at the same bytes modulo 4096 in every environment; those of others move" {
	local options
	for options in -O0 -O2 "-O2 -fomit-frame-pointer -g" "-O3 -mavx2" "-O1 -fsanitize=undefined"; do
		with frames=max=0,align-bytes=4096,only=kernel -- $CC $options -fchecking kernel.c -o kernel
		# 1 to 8 and 9, and the last byte of the allocated ones, which is 7.
		./kernel | grep -qx 'sum 52' || say "$options: $(./kernel)"
		[ "$(places ./kernel kernel)" = 1 ] || say "$options"
	done
	with frames=max=0,align-bytes=4096,only=kernel -- $CC -O2 kernel.c -o kernel
	[ "$(places ./kernel other)" = 256 ]
	interfero explain kernel | grep -q 'frames'
	with frames=max=0,align-bytes=100,only=kernel -- $CC -O2 kernel.c -o kernel
	[ "$(places ./kernel kernel)" = 64 ] # 64 bytes, of 4096
	with frames=max=0,align-bytes=16,only=kernel -- $CC -O2 kernel.c -o kernel
	$CC -O2 kernel.c -o plain
	[ "$(objdump -d kernel | grep -A20 '<kernel>:')" = "$(objdump -d plain | grep -A20 '<kernel>:')" ]
}

@test "exceptions pass through an aligned frame" {
	cat >throw.cc <<-'END'
		#include <cstdio>
		#include <string>
		__attribute__((noinline)) void fail(int n) {
			std::string text(n, 'x');
			if (n > 3)
				throw text;
		}
		__attribute__((noinline)) extern "C" void kernel(int n) {
			std::string kept(n, 'y');
			fail(n);
			std::puts(kept.c_str());
		}
		int main() {
			for (int n = 1; n < 100; n++)
				try { kernel(n); } catch (const std::string &text) { if (text.size() != (unsigned)n) return 1; }
			return 0;
		}
	END
	with frames=max=0,align-bytes=4096,only=kernel -- $CXX -O2 throw.cc -o throw
	objdump -d throw | grep -q 'and .*0xfffffffffffff000,%rsp'
	[ "$(./throw)" = "y
yy
yyy" ]
}

@test "a kit with sources has its kernel aligned by a plan, as a cure" {
	INTERFERO_SOURCES=1 interfero-gcc -O2 -ffunction-sections kernel.c -o kernel
	printf 'interfero-plan 1\nframes seed=0 max=0 align-bytes=4096 only=kernel\n' >cure.plan
	interfero variants -q --plan cure.plan -o cured ./kernel
	[ "$(places cured/cure kernel)" = 1 ]
	[ "$(places ./kernel kernel)" = 256 ]
	refuse 2 "align-bytes" -- interfero cure --line 'frames align-bytes=8192' -- ./kernel
}
