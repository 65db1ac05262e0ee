/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns plans into address maps, under which traces are replayed. */
#ifndef IFR_HARNESS_PLAN_LAYOUTS_H
#define IFR_HARNESS_PLAN_LAYOUTS_H

#include "common/plan.h"
#include "harness/exec/exec.h"
#include "harness/build/build.h"
#include "model/model.h"

/* Whether the layout of a plan needs the kit of the recorded program. */
bool ifr_layout_needs_kit(const struct ifr_plan *plan);
/* Whether any of them does. */
bool ifr_layouts_need_kit(const struct ifr_plan *plans, size_t count);

/* Makes the address map of a trace under a plan; the caller frees it (ifr_address_map_free). The builder is of the
 * recorded program's kit; NULL if the plan needs no kit. Errors: IFR_E_USAGE for axes that a replay cannot follow,
 * with the reason; those of ifr_builder_lay_out and ifr_objects_place. */
int ifr_layout_of_plan(const struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *plan,
                       struct ifr_address_map **map, struct ifr_error *err);

/* Makes the address map in a process context other than the plan's own (ifr_recording_context). Errors: the same. */
int ifr_layout_in_context(const struct ifr_trace *trace, struct ifr_builder *builder, const struct ifr_plan *plan,
                          const struct ifr_context *context, struct ifr_address_map **map, struct ifr_error *err);

/* Checks that the plan needs nothing of the runtime that a recording lacks. Errors: IFR_E_USAGE for a stack offset
 * below main (stack:main). */
int ifr_layout_check_runtime(const struct ifr_plan *plan, struct ifr_error *err);

/* The axes that layouts of a trace support: a mask of 1u << enum ifr_axis. */
unsigned ifr_layout_axes(void);
/* The axes among them that change the instructions themselves: a core cannot replay such layouts. */
unsigned ifr_instruction_axes(void);

#endif
