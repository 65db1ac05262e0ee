/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Families of variants: number i of a family has its plan from (master seed, axes, parameters, i) alone. */
#ifndef IFR_HARNESS_VARIANTS_H
#define IFR_HARNESS_VARIANTS_H

#include "common/plan.h"
#include "harness/build/variant_builder.h"
#include "relinker/relinker.h"

enum { IFR_VARIANTS_MAX = 99999 };

struct ifr_layout_generator {
	const struct ifr_kit *kit; /* NULL: its plans name none */
	uint64_t seed;
	unsigned axes;              /* mask of 1u << enum ifr_axis */
	struct ifr_plan parameters; /* only its values are used */
};

/* "v00000", "v00001", …: of one length, because the length of a path moves the stack. */
void ifr_variant_name(unsigned index, char name[IFR_NAME_MAX]);

/* The plan of variant index; 0 has no axes. */
void ifr_layout_generator_plan(const struct ifr_layout_generator *generator, unsigned index,
                               struct ifr_plan *plan);

/* Makes DIR/NAME and, unless plan_too is false, DIR/NAME.plan, from which it can be made again. */
int ifr_variant_write(struct ifr_builder *builder, const struct ifr_plan *plan, const char *folder, bool plan_too,
                      struct ifr_variant *variant, struct ifr_error *err);

/* The bytes of environment that a plan's `stack` axis asks for. */
uint64_t ifr_plan_stack_bytes(const struct ifr_plan *plan);
/* The pages by which its `load` axis moves mappings down, 1 … max; 0 when it is off. */
uint64_t ifr_plan_load_pages(const struct ifr_plan *plan);

#endif
