/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Size classes of small objects:
 *
 *   sizes             classes                         internal fragmentation
 *   16 … 128          multiples of 16
 *   128 … 1024        four to each power of two       at most a fifth
 *   1024 … 32768      eight to each power of two      at most a ninth
 *
 * A size that is a multiple of a power of two p (16 … 4096) has a class whose size is a multiple of p, too.
 *
 * Slots of a page and more would all begin at one of a few page offsets, if they lay at multiples of their size. So
 * such a size has three classes, by the alignment of its objects:
 *
 *   alignment         class                           slots
 *   up to 16          that of the table               at multiples of 16, from a page offset that the seed draws
 *   32, 64            the same and SIZES_PAGED        at multiples of 64, likewise
 *   128 … 4096        the same and 2 * SIZES_PAGED    at multiples of their size
 *
 * Ref: the classes of jemalloc (Evans 2006) and mimalloc (Leijen, Zorn and de Moura 2019, section 3). */
#ifndef IFR_RUNTIME_SIZES_H
#define IFR_RUNTIME_SIZES_H

#include <stddef.h>
#include <stdint.h>

enum {
	SIZES_PLAIN = 60,                             /* classes of the table */
	SIZES_PAGE_CLASS = 35,                        /* that of a page, 4096 bytes */
	SIZES_PAGED = SIZES_PLAIN - SIZES_PAGE_CLASS, /* classes from a page on */
	SIZES_CLASSES = SIZES_PLAIN + 2 * SIZES_PAGED,
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

/* Returns the class for objects of an alignment, a power of two up to 4096, given the smallest for their size. */
static inline unsigned sizes_aligned_class(unsigned class, size_t alignment) {
	if (class < SIZES_PAGE_CLASS || alignment <= 16)
		return class;
	return class + (alignment <= 64 ? SIZES_PAGED : 2 * SIZES_PAGED);
}

/* Returns what the addresses of a class's slots are multiples of, where the seed draws their page offset; 0: it does
 * not. */
static inline uint32_t sizes_step(unsigned class) {
	if (class < SIZES_PAGE_CLASS || class >= SIZES_PLAIN + SIZES_PAGED)
		return 0;
	return class < SIZES_PLAIN ? 16 : 64;
}

/* Returns the bytes of a class's objects: slots can be further apart. */
static inline uint32_t sizes_bytes(unsigned class) {
	if (class >= SIZES_PLAIN)
		class = SIZES_PAGE_CLASS + (class - SIZES_PLAIN) % SIZES_PAGED;
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
