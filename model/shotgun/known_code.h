/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The code that the samples know: the blocks that have a place among them, and which bits their instructions may have in
 * a signature. Private to this folder. */
#ifndef IFR_MODEL_SHOTGUN_KNOWN_CODE_H
#define IFR_MODEL_SHOTGUN_KNOWN_CODE_H

#include "model/shotgun/fragments.h"

/* A block that may be executed. */
struct known_block {
	uint64_t at, address;
	uint32_t block; /* UINT32_MAX: the code has none there */
	struct ifr_placed placed;
	uint32_t parities, parities_known; /* bits 3 of the first instructions, by known_code_place */
};

struct known_code {
	const struct ifr_shotgun_code *code;
	struct known_block *blocks; /* by `at` */
	size_t count;
};

/* Borrows the code. Of several blocks that begin alike, the largest is known. */
void known_code_init(struct known_code *known, const struct ifr_shotgun_code *code,
                     const struct ifr_shotgun_samples *samples);
void known_code_release(struct known_code *known);
/* Finds the block at a normalised address; NULL: none is known. */
struct known_block *known_code_find(const struct known_code *known, uint64_t at);
/* Places the instructions of a block. */
const struct ifr_placed *known_code_place(const struct known_code *known, struct known_block *block);
/* Counts the accesses of an instruction of a placed block: from one of the block's on, up to those of the next. */
size_t known_code_accesses(const struct known_code *known, const struct known_block *block, unsigned index,
                           size_t from);
/* The normalised address of an instruction of a placed block. */
uint64_t known_code_address(const struct known_block *block, unsigned index);
/* Whether instruction number `index` of a placed block, with so many accesses, may have these bits. */
bool known_code_may_have(const struct known_code *known, const struct known_block *block, unsigned index,
                         size_t accesses, uint8_t bits);

#endif
