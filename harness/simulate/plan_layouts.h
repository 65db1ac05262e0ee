/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans become the layouts under which a trace is replayed. */
#ifndef IFR_HARNESS_LAYOUTS_H
#define IFR_HARNESS_LAYOUTS_H

#include "common/plan.h"
#include "harness/exec/exec.h"
#include "harness/build/build.h"
#include "model/model.h"

/* Whether the layout of a plan needs the kit of the program that was recorded. */
bool ifr_layout_needs_kit(const struct ifr_plan *plan);

/* The layout of a plan. builder: of that kit; NULL if the plan needs none. Errors: IFR_E_USAGE for axes that a
 * replay cannot follow, with the reason; what placing says. */
int ifr_layout_of_plan(const struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *plan,
                       struct ifr_address_map **map, struct ifr_error *err);

/* Lays a plan out in a process context other than the plan's own (harness/simulate/heap_objects.h makes them). */
int ifr_layout_in_context(const struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *plan,
                          const struct ifr_context *context, struct ifr_address_map **map, struct ifr_error *err);

/* Errors: IFR_E_USAGE if the plan asks the runtime for what no recording has: an offset under main. */
int ifr_layout_check_runtime(const struct ifr_plan *plan, struct ifr_error *err);

/* Axes that layouts of a trace can have: a mask of 1u << enum ifr_axis. */
unsigned ifr_layout_axes(void);

#endif
