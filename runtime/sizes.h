/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Size classes of small objects:
 *
 *   sizes             classes                         internal fragmentation
 *   16 … 128          multiples of 16
 *   128 … 1024        four to each power of two       at most a fifth
 *   1024 … 32768      eight to each power of two      at most a ninth
 *
 * A size that is a multiple of a power of two p (16 … 4096) has a class whose size is a multiple of p, too.
 * Ref: the classes of jemalloc (Evans 2006) and mimalloc (Leijen, Zorn and de Moura 2019, section 3). */
#ifndef IFR_RUNTIME_SIZES_H
#define IFR_RUNTIME_SIZES_H

#include <stddef.h>
#include <stdint.h>

enum {
	SIZES_CLASSES = 60,
	SIZES_SMALL_MAX = 32768 /* bytes; larger requests are blocks */
};

/* Returns the smallest class for size bytes, 0 … SIZES_SMALL_MAX. */
static inline unsigned sizes_class(size_t size) {
	if (size <= 128)
		return size ? (unsigned)(size - 1) >> 4 : 0;
	unsigned last = (unsigned)size - 1, top = 31u - (unsigned)__builtin_clz(last);
	if (size <= 1024)
		return 8 + (top - 7) * 4 + ((last >> (top - 2)) & 3);
	return 20 + (top - 10) * 8 + ((last >> (top - 3)) & 7);
}

static inline uint32_t sizes_bytes(unsigned class) {
	if (class < 8)
		return (class + 1) * 16;
	if (class < 20)
		return (4 + (class - 8) % 4 + 1) << (5 + (class - 8) / 4);
	return (8 + (class - 20) % 8 + 1) << (7 + (class - 20) / 8);
}

/* Returns the number of chunks of a class's span: at least 16 slots, and little waste. */
static inline unsigned sizes_chunks(unsigned class) {
	uint32_t bytes = sizes_bytes(class);
	return bytes <= 2048 ? 1 : bytes <= 8192 ? 4 : 8;
}

#endif
