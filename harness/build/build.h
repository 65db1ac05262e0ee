/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The making of variants: a kit and a plan become a program (variant_builder.h), of units assembled or compiled
 * again (rebuilt_units.h), linked in an overlay of the kit (overlay_kit.h). */
#ifndef IFR_HARNESS_BUILD_H
#define IFR_HARNESS_BUILD_H

#include "harness/build/overlay_kit.h"
#include "harness/build/rebuilt_units.h"
#include "harness/build/variant_builder.h"

#endif
