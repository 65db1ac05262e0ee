/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that a core knows without executing them, and pairs that it fuses. Private to the decoder. */
#ifndef IFR_MODEL_IDIOMS_H
#define IFR_MODEL_IDIOMS_H

#include "model/core/cores.h"
#include "model/core/operands.h"

enum idiom {
	IDIOM_NONE,
	IDIOM_ZERO,        /* xor eax, eax: waits for nothing, needs no port */
	IDIOM_INDEPENDENT, /* pcmpeqd xmm0, xmm0: waits for nothing */
	IDIOM_MOVE         /* an eliminated move */
};
enum idiom idiom_of(const struct ifr_core *core, const struct decoded *decoded);

/* Whether the core fuses an instruction with a conditional jump behind it. */
bool fuses_with(const struct ifr_core *core, const struct decoded *first, const struct decoded *jump);

/* Whether the core makes one slot of an eliminated move between registers and of an instruction behind it that changes
 * the register it wrote. */
bool joins_move(const struct ifr_core *core, const struct decoded *move, const struct decoded *next);

/* Whether a core splits at rename the pairs that an instruction with this memory operand was decoded to. */
bool is_unlaminated(const struct ifr_core *core, const struct decoded *decoded,
                    const struct memory_operand *memory, bool store);

#endif
