/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers keyed by name.
 *
 * Every random decision is a hash of (seed, axis, name of the entity), never a position in a stream of numbers. An
 * unchanged function keeps its decisions when another one is added, and a seed gives the same decisions on every
 * machine, in every order and under any parallelism.
 * Ref: Aumasson and Bernstein 2012, "SipHash: a fast short-input PRF" (SipHash-2-4). */
#ifndef IFR_COMMON_RANDOM_H
#define IFR_COMMON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* SipHash-2-4 of length bytes under the 128-bit key (k0, k1). */
uint64_t ifr_siphash(uint64_t k0, uint64_t k1, const void *data, size_t length);

/* Returns 64 uniform bits that depend on seed, axis and name alone. */
uint64_t ifr_random_keyed(uint64_t seed, const char *axis, const char *name);

/* Returns the bits of ifr_random_keyed in two steps, for many names under one seed and axis. */
struct ifr_random_key {
	uint64_t k0, k1;
};
struct ifr_random_key ifr_random_key_of(uint64_t seed, const char *axis);
uint64_t ifr_random_named(struct ifr_random_key key, const char *name);

/* Maps 64 uniform bits to 0 … n-1 (bias below n/2^64); n = 0 gives 0. */
uint64_t ifr_random_below(uint64_t bits, uint64_t n);

/* Maps 64 uniform bits to [0, 1). */
double ifr_random_unit(uint64_t bits);

#ifdef __cplusplus
}
#endif
#endif
