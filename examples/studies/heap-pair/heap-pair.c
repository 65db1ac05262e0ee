/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smooths an array of the heap into another one with five weights, TIMES times:
 *
 *     heap-pair FLOATS PADDING TIMES               the second array begins PADDING floats later
 *     heap-pair FLOATS clock ROUNDS PADDING...     prints each padding, and picoseconds a float
 *
 * -DPROMISE=restrict lets the compiler assume that the arrays are apart. -DHALVES: four floats at once, loaded and
 * stored in halves, as GCC 4.6 vectorises the loop. Ref: Melhus 2013, section 4.1.2. */
#include <string.h>
#include <xmmintrin.h>

#include "../clock.h"

#ifndef PROMISE
#define PROMISE
#endif

enum { REACH = 2, PADDING_MOST = 1024, PADDINGS_MOST = 64 };

static float weight[2 * REACH + 1] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
static float *source, *target;
static long floats, paddings[PADDINGS_MOST];

#ifdef HALVES
static __m128 load_halves(const float *from) {
	const __m128 low = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(const void *)from);
	return _mm_loadh_pi(low, (const __m64 *)(const void *)(from + 2));
}

static void store_halves(float *to, __m128 value) {
	_mm_storel_pi((__m64 *)(void *)to, value);
	_mm_storeh_pi((__m64 *)(void *)(to + 2), value);
}

__attribute__((noinline)) static void smooth(long count, const float *from, float *to) {
	__m128 weights[2 * REACH + 1];
	for (int near = 0; near <= 2 * REACH; near++)
		weights[near] = _mm_set1_ps(weight[near]);
	for (long at = REACH; at + 4 <= count - REACH; at += 4) {
		__m128 sum = _mm_setzero_ps();
		store_halves(to + at, sum);
		for (int near = -REACH; near <= REACH; near++) {
			sum = _mm_add_ps(sum, _mm_mul_ps(load_halves(from + at + near), weights[near + REACH]));
			store_halves(to + at, sum);
		}
	}
}
#else
__attribute__((noinline)) static void smooth(long count, const float *PROMISE from, float *PROMISE to) {
	for (long at = REACH; at < count - REACH; at++) {
		to[at] = 0;
		for (int near = -REACH; near <= REACH; near++)
			to[at] += from[at + near] * weight[near + REACH];
	}
}
#endif

static void smooth_padded(int which) {
	smooth(floats, source, target + paddings[which]);
}

static long parse(const char *text, long most) {
	char *end;
	const long value = strtol(text, &end, 10);
	if (end == text || *end || value < 0 || value > most) {
		fprintf(stderr, "heap-pair: %s is not a number from 0 to %ld\n", text, most);
		exit(2);
	}
	return value;
}

static void print_times(int count, int rounds) {
	double median_ns[PADDINGS_MOST];
	time_in_turn(count, rounds, smooth_padded, median_ns);
	for (int i = 0; i < count; i++)
		printf("%ld %.0f\n", paddings[i], 1e3 * median_ns[i] / (double)floats);
}

int main(int argc, char **argv) {
	if (argc < 4 || argc > 4 + PADDINGS_MOST) {
		fputs("usage: heap-pair FLOATS PADDING TIMES | FLOATS clock ROUNDS PADDING...\n", stderr);
		return 2;
	}
	floats = parse(argv[1], 1L << 28);
	source = need(malloc((size_t)floats * sizeof *source));
	target = need(malloc((size_t)(floats + PADDING_MOST) * sizeof *target));
	memset(source, 0, (size_t)floats * sizeof *source);
	memset(target, 0, (size_t)(floats + PADDING_MOST) * sizeof *target);
	if (!strcmp(argv[2], "clock")) {
		for (int i = 4; i < argc; i++)
			paddings[i - 4] = parse(argv[i], PADDING_MOST);
		print_times(argc - 4, (int)parse(argv[3], 10000));
	} else {
		paddings[0] = parse(argv[2], PADDING_MOST);
		for (long left = parse(argv[3], 1L << 30); left > 0; left--)
			smooth_padded(0);
	}
	free(target);
	free(source);
	return 0;
}
