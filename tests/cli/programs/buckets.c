/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for each of the buckets into which ld's default script sorts text: unlikely, startup, hot and the
 * rest. */
#include <stdio.h>

#define IN(section_name) __attribute__((noinline, noclone, section(section_name)))
#define FUNCTION(name, bucket, factor)                \
	static IN(bucket) unsigned name(unsigned value) { \
		return value * factor + 1;                    \
	}

FUNCTION(plain_a, ".text.plain_a", 3)
FUNCTION(plain_b, ".text.plain_b", 5)
FUNCTION(plain_c, ".text.plain_c", 7)
FUNCTION(hot_a, ".text.hot.hot_a", 11)
FUNCTION(hot_b, ".text.hot.hot_b", 13)
FUNCTION(hot_c, ".text.hot.hot_c", 17)
FUNCTION(startup_a, ".text.startup.startup_a", 19)
FUNCTION(startup_b, ".text.startup.startup_b", 23)
FUNCTION(unlikely_a, ".text.unlikely.unlikely_a", 29)
FUNCTION(unlikely_b, ".text.unlikely.unlikely_b", 31)
FUNCTION(unlikely_c, ".text.unlikely.unlikely_c", 37)

int main(void) {
	unsigned value = plain_a(plain_b(plain_c(1)));
	value = hot_a(hot_b(hot_c(value)));
	value = startup_a(startup_b(value));
	printf("%u\n", unlikely_a(unlikely_b(unlikely_c(value))));
	return 0;
}
