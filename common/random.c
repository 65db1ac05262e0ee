/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/random.h"

#include <endian.h>
#include <string.h>

static uint64_t rotate(uint64_t x, int bits) {
	return x << bits | x >> (64 - bits);
}

static uint64_t load_little_endian(const unsigned char *bytes, size_t count) {
	uint64_t word = 0;
	for (size_t i = 0; i < count; i++)
		word |= (uint64_t)bytes[i] << (8 * i);
	return word;
}

static void run_rounds(uint64_t v[4], int count) {
	for (int i = 0; i < count; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void absorb(uint64_t v[4], uint64_t word) {
	v[3] ^= word;
	run_rounds(v, 2);
	v[0] ^= word;
}

uint64_t ifr_siphash(uint64_t k0, uint64_t k1, const void *data, size_t length) {
	const unsigned char *bytes = data;
	uint64_t v[4] = {
		k0 ^ UINT64_C(0x736f6d6570736575),
		k1 ^ UINT64_C(0x646f72616e646f6d),
		k0 ^ UINT64_C(0x6c7967656e657261),
		k1 ^ UINT64_C(0x7465646279746573),
	};
	size_t whole = length & ~(size_t)7;
	for (size_t i = 0; i < whole; i += 8) {
		uint64_t word;
		memcpy(&word, bytes + i, sizeof word);
		absorb(v, le64toh(word));
	}
	absorb(v, load_little_endian(bytes + whole, length & 7) | (uint64_t)length << 56);
	v[2] ^= 0xff;
	run_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

struct ifr_random_key ifr_random_key_of(uint64_t seed, const char *axis) {
	/* The axis is the second half of the key: two axes under one seed stay independent. */
	return (struct ifr_random_key){seed, ifr_siphash(0, 0, axis, strlen(axis))};
}

uint64_t ifr_random_named(struct ifr_random_key key, const char *name) {
	return ifr_siphash(key.k0, key.k1, name, strlen(name));
}

uint64_t ifr_random_keyed(uint64_t seed, const char *axis, const char *name) {
	return ifr_random_named(ifr_random_key_of(seed, axis), name);
}

uint64_t ifr_random_below(uint64_t bits, uint64_t n) {
	return (uint64_t)(((unsigned __int128)bits * n) >> 64);
}

double ifr_random_unit(uint64_t bits) {
	return (double)(bits >> 11) * 0x1p-53;
}
