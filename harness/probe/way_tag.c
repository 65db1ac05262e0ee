/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/probe/way_tag.h"

#include "harness/probe/findings.h"
#include "harness/probe/kernels.h"

#define BIT(number) (UINT64_C(1) << (number))

/* By what lines are known. What is alike by one is so by the next, but for the last, by which no two are. */
enum known_by { HASH_AND_ABOVE, HASH, WHOLE };

/* The bits in which the addresses of a pair differ, and the first by which the two are alike. */
static const struct {
	uint64_t bits;
	enum known_by alike;
} pairs[PROBE_WAY_PAIRS] = {
	{BIT(12) | BIT(27), HASH_AND_ABOVE}, {BIT(13) | BIT(26), HASH_AND_ABOVE}, {BIT(14) | BIT(25), HASH_AND_ABOVE},
	{BIT(15) | BIT(20), HASH_AND_ABOVE}, {BIT(16) | BIT(21), HASH_AND_ABOVE}, {BIT(17) | BIT(22), HASH_AND_ABOVE},
	{BIT(18) | BIT(23), HASH_AND_ABOVE}, {BIT(19) | BIT(24), HASH_AND_ABOVE}, {BIT(28), HASH},
	{BIT(28) | BIT(15) | BIT(20), HASH}, {BIT(28) | BIT(12), WHOLE},          {BIT(28) | BIT(15), WHOLE},
	{BIT(28) | BIT(20), WHOLE},          {BIT(28) | BIT(27), WHOLE},          {BIT(12) | BIT(20), WHOLE},
};

void probe_way_pair(struct probe_kernel *kernel, size_t pair) {
	uint64_t loads[2 * PROBE_WAY_LOADS];
	for (unsigned i = 0; i < 2 * PROBE_WAY_LOADS; i++)
		loads[i] = kernel->data + (i < PROBE_WAY_LOADS ? 0 : pairs[pair].bits) + 8 * (i % PROBE_WAY_LOADS);
	probe_chase_list(kernel, loads, 2 * PROBE_WAY_LOADS);
}

/* The word and the experiment of a finding, by what lines are known by. */
static const struct {
	const char *word, *experiment;
} told[] = {
	[HASH_AND_ABOVE] = {"hashed-high",
                        "loads in turn from two lines of a set, which push each other out if a hash of bits "
                        "12 to 27 of their addresses is equal, and all above are, and do not else"},
	[HASH] = {"hashed",
              "loads in turn from two lines of a set, which push each other out if a hash of bits 12 to 27 of "
              "their addresses is equal, and do not else"},
	[WHOLE] =
		{"whole",
         "loads in turn from two lines of a set, which do not push each other out if a hash of bits 12 to 27 "
         "of their addresses is equal, either"},
};

static bool is_known_by(const enum probe_answer conflicts[PROBE_WAY_PAIRS], enum known_by known) {
	for (size_t i = 0; i < PROBE_WAY_PAIRS; i++)
		if (conflicts[i] != (known != WHOLE && pairs[i].alike <= known ? PROBE_YES : PROBE_NO))
			return false;
	return true;
}

void probe_tell_way_tag(struct ifr_probe_result *result, const enum probe_answer conflicts[PROBE_WAY_PAIRS]) {
	static const char key[] = "pipeline.way_tag";
	unsigned out = 0, unclear = 0;
	for (unsigned known = 0; known <= WHOLE; known++)
		if (is_known_by(conflicts, known)) {
			probe_tell_word(result, IFR_PROBE_CACHES, key, told[known].word, told[known].experiment);
			return;
		}
	for (size_t i = 0; i < PROBE_WAY_PAIRS; i++) {
		out += conflicts[i] == PROBE_YES;
		unclear += conflicts[i] == PROBE_UNCLEAR;
	}
	probe_tell_nothing(
		result, IFR_PROBE_CACHES, key,
		"of %u pairs of lines of a set %u push each other out, others than a known hash says; %u are "
		"unclear",
		PROBE_WAY_PAIRS, out, unclear);
}
