/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The design of an experiment: its layouts (layout_generator.h), the order of its runs (schedule.h), and its end
 * (stopping_rule.h); and that of an audit, which has many (audit_triggers.h). */
#ifndef IFR_HARNESS_DESIGN_H
#define IFR_HARNESS_DESIGN_H

#include "harness/design/audit_triggers.h"
#include "harness/design/layout_generator.h"
#include "harness/design/schedule.h"
#include "harness/design/stopping_rule.h"

#endif
