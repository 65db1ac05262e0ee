/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units and latencies of Zen 4 and Zen 5 alike, which LLVM's scheduling models do not have. Private to the decoder. */
#ifndef IFR_MODEL_ZEN_UNITS_H
#define IFR_MODEL_ZEN_UNITS_H

#include "model/core/memory_operations.h"

/* Latencies between general and vector registers. */
struct zen_crossings {
	uint8_t to_vector, from_vector; /* moves */
	uint8_t mask;                   /* signs of a vector's elements, as pmovmskb */
	uint8_t converted, back;        /* an integer to a floating-point number, and back */
	uint8_t compared;               /* floating-point numbers, to flags */
};

/* Changes an operation: tzcnt takes one cycle of any of these ALUs, and a move between general and vector registers
 * one of its port. */
void take_zen_operation(const struct builder *builder, struct ifr_operation *operation, uint16_t alus);
/* Changes the instruction's last operation, if the instruction is between registers of both kinds. */
void take_zen_crossing(const struct builder *builder, struct ifr_operation *last,
                       const struct zen_crossings *crossings);

#endif
