/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds variants: a kit and a plan become a program.
 *
 *     variant_builder.h   kit and plan -> variant, or its layout alone
 *     rebuilt_units.h     units assembled from their templates or compiled by their recipes
 *     edited_program.h    whether a program is still what its link gave
 *     matched_plan.h      plans under which two programs' functions lie at equal addresses
 *     moved_units.h       functions that a common layout of two builds moves, and why
 *     plan_names.h        units that a plan names and a program lacks
 *     unit_pairs.h        the units of two programs, paired by name
 *     unit_index.h        the unit at an address
 *     overlay_kit.h       a kit with some units replaced by rebuilt ones
 */
#ifndef IFR_HARNESS_BUILD_H
#define IFR_HARNESS_BUILD_H

#include "harness/build/edited_program.h"
#include "harness/build/matched_plan.h"
#include "harness/build/moved_units.h"
#include "harness/build/overlay_kit.h"
#include "harness/build/plan_names.h"
#include "harness/build/rebuilt_units.h"
#include "harness/build/unit_index.h"
#include "harness/build/unit_pairs.h"
#include "harness/build/variant_builder.h"

#endif
