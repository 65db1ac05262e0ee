/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The design of an experiment: which layouts there are (layout_generator.h), in which order runs are made
 * (schedule.h), and when enough is known (stopping_rule.h). */
#ifndef IFR_HARNESS_DESIGN_H
#define IFR_HARNESS_DESIGN_H

#include "harness/design/layout_generator.h"
#include "harness/design/schedule.h"
#include "harness/design/stopping_rule.h"

#endif
