/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/way_tag.h"

#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

#define BIT(number) (UINT64_C(1) << (number))

/* The bits in which the addresses of a pair differ. */
static const struct {
	uint64_t bits;
	bool equal; /* hashes */
} pairs[PROBE_WAY_PAIRS] = {
	{BIT(28), true},
	{BIT(12) | BIT(27), true},
	{BIT(13) | BIT(26), true},
	{BIT(14) | BIT(25), true},
	{BIT(15) | BIT(20), true},
	{BIT(16) | BIT(21), true},
	{BIT(17) | BIT(22), true},
	{BIT(18) | BIT(23), true},
	{BIT(19) | BIT(24), true},
	{BIT(28) | BIT(12), false},
	{BIT(28) | BIT(15), false},
	{BIT(28) | BIT(20), false},
	{BIT(28) | BIT(27), false},
	{BIT(12) | BIT(20), false},
};

void probe_way_pair(struct probe_kernel *kernel, size_t pair) {
	probe_chase_list(kernel, (const uint64_t[]){kernel->data, kernel->data + pairs[pair].bits}, 2);
}

void probe_tell_way_tag(struct ifr_probe_result *result, const enum probe_answer conflicts[PROBE_WAY_PAIRS]) {
	static const char key[] = "pipeline.way_tag";
	unsigned equal = 0, equal_out = 0, others_out = 0, unclear = 0;
	for (size_t i = 0; i < PROBE_WAY_PAIRS; i++) {
		equal += pairs[i].equal;
		equal_out += pairs[i].equal && conflicts[i] == PROBE_YES;
		others_out += !pairs[i].equal && conflicts[i] == PROBE_YES;
		unclear += conflicts[i] == PROBE_UNCLEAR;
	}
	if (!unclear && !others_out && equal_out == equal)
		probe_tell_word(result, IFR_PROBE_CACHES, key, "hashed",
		                "loads in turn from two lines of a set, which push each other out if a hash of bits 12 to "
		                "27 of their addresses is equal, and do not else");
	else if (!unclear && !others_out && !equal_out)
		probe_tell_word(
			result, IFR_PROBE_CACHES, key, "whole",
			"loads in turn from two lines of a set, which do not push each other out if a hash of bits "
			"12 to 27 of their addresses is equal, either");
	else
		probe_tell_nothing(
			result, IFR_PROBE_CACHES, key,
			"of %u pairs of lines with equal hashes %u push each other out, of %u others %u; %u are "
			"unclear",
			equal, equal_out, PROBE_WAY_PAIRS - equal, others_out, unclear);
}
