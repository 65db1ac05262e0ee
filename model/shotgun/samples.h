/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a shotgun profiler, which know no sequence of addresses.
 *
 *   signature sample   where it begins, and three bits for each of the next instructions
 *   detailed sample    of one instruction: its address, all that the graph must know of its execution, where the
 *                      next one is, and the bits of the ten instructions before it, its own, and of ten behind it
 *
 *   bit 1   a taken branch; of other instructions, an access that the second cache has
 *   bit 2   its code or data missed a first cache or TLB, or it was mispredicted
 *   bit 3   the parity of its normalised address
 *   bit 4   bits 1 and 2 are not known: of samples of a processor (perf_samples.h)
 *
 * A test and a jump that are one operation are one instruction. A branch of x86 may load, too; its bit 1 says only
 * whether it was taken. Without bit 3, two of three fragments of an interpreter are dropped, as every tenth of its
 * instructions is an indirect jump.
 * Ref: Fields et al. 2004, "Interaction cost and shotgun profiling", sections 5.3 and 5.4, table VI (bits 1 and 2);
 * section 6.3 (proposes a bit of the address for programs of many indirect branches). */
#ifndef IFR_MODEL_SHOTGUN_SAMPLES_H
#define IFR_MODEL_SHOTGUN_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buffer.h"
#include "common/error.h"

enum { IFR_SHOTGUN_LENGTH = 2000, IFR_SHOTGUN_AROUND = 10, IFR_SHOTGUN_ACCESSES = 6, IFR_SHOTGUN_BEFORE = 511 };
enum { IFR_SHOTGUN_BITS = 2 * IFR_SHOTGUN_AROUND + 1 };
enum {
	IFR_SHOTGUN_DOES = 1,
	IFR_SHOTGUN_SUFFERS = 2,
	IFR_SHOTGUN_PARITY = 4,
	IFR_SHOTGUN_UNKNOWN = 8
}; /* bits 1 to 4 */

/* An instruction is known by its normalised address; a further round of a repeated string instruction has this bit. */
#define IFR_SHOTGUN_ROUND (UINT64_C(1) << 63)

/* An access. Its address is known by its place in a page, and, where an access shortly before matters to it (the store
 * whose bytes it loads, the load that fetches its line), by the distance to that. */
struct ifr_shotgun_access {
	uint64_t of; /* the instruction of that access */
	uint16_t in_page;
	uint16_t before; /* so many accesses before; 0: none matters */
	int16_t offset;  /* its address less that of the other */
	uint8_t level;   /* IFR_CORE_LEVEL */
};

enum ifr_shotgun_flag { IFR_SHOTGUN_MISPREDICTED = 1, IFR_SHOTGUN_TAKEN = 2, IFR_SHOTGUN_DECODED = 4 };

struct ifr_shotgun_detail {
	uint64_t at;                    /* the instruction */
	uint64_t next;                  /* the instruction executed behind it; 0: none */
	uint32_t does, suffers, parity; /* bit IFR_SHOTGUN_AROUND + n: bits 1, 2 and 3 of instruction n from here … */
	uint32_t unknown, absent;       /* … instructions without bits 1 and 2; and without any */
	uint16_t line_wait, page_wait;  /* cycles for its code */
	uint8_t btb;                    /* of a taken branch: IFR_CORE_BTB_NONE, or the level that has it */
	uint8_t flags;                  /* enum ifr_shotgun_flag; decoded: not from the op cache */
	uint8_t accesses;               /* of `access`; further ones are not sampled */
	struct ifr_shotgun_access access[IFR_SHOTGUN_ACCESSES];
};

struct ifr_shotgun_signature {
	uint64_t at;           /* the first instruction, which begins a block */
	bool head;             /* of the run's first instructions (IFR_CORE_HEAD), which have more signatures */
	uint32_t first, count; /* of its bits, in struct ifr_shotgun_samples */
};

/* The address of a block in the layout that ran. */
struct ifr_shotgun_place {
	uint64_t at, address;
};

struct ifr_shotgun_samples {
	struct ifr_shotgun_place *places;
	struct ifr_shotgun_signature *signatures;
	struct ifr_shotgun_detail *details;
	uint8_t *bits; /* of all signatures, by instruction: IFR_SHOTGUN_DOES and so on */
	size_t places_count, signatures_count, details_count, bits_count;
	size_t places_room, signatures_room, details_room, bits_room;
	uint64_t instructions; /* of the run */
};

void ifr_shotgun_samples_release(struct ifr_shotgun_samples *samples);
void ifr_shotgun_add_place(struct ifr_shotgun_samples *samples, uint64_t at, uint64_t address);
/* Bit 3 of an instruction. */
static inline uint8_t ifr_shotgun_parity(uint64_t at) {
	return __builtin_parityll(at) ? IFR_SHOTGUN_PARITY : 0;
}

/* Begins a signature, or adds the bits of its next instruction. */
void ifr_shotgun_begin_signature(struct ifr_shotgun_samples *samples, uint64_t at, bool head);
void ifr_shotgun_add_bits(struct ifr_shotgun_samples *samples, uint8_t bits);
void ifr_shotgun_drop_signature(struct ifr_shotgun_samples *samples);
void ifr_shotgun_add_detail(struct ifr_shotgun_samples *samples, const struct ifr_shotgun_detail *detail);

/* Has `parse` read each line of a text but empty ones, until it returns false: that line is named, with the remedy behind
 * "no line of samples". Errors: IFR_E_USAGE. */
int ifr_shotgun_parse_lines(const char *text, const char *name, bool (*parse)(char *line, void *into), void *into,
                            const char *remedy, struct ifr_error *err);
/* Prints a stream of samples as text, a line each; reads one. Errors: IFR_E_USAGE with the malformed line. */
void ifr_shotgun_samples_print(const struct ifr_shotgun_samples *samples, struct ifr_buffer *out);
int ifr_shotgun_samples_parse(const char *text, const char *name, struct ifr_shotgun_samples *samples,
                              struct ifr_error *err);

#endif
