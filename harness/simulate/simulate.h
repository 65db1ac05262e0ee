/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans become modelled events: a program is recorded in the process context of measured runs (recording.h), its
 * sensitivity to addresses checked (address_check.h), and the recording replayed under plans (plan_replay.h), also
 * as an executor of campaigns (model_executor.h). */
#ifndef IFR_HARNESS_SIMULATE_H
#define IFR_HARNESS_SIMULATE_H

#include "harness/simulate/address_check.h"
#include "harness/simulate/heap_objects.h"
#include "harness/simulate/model_executor.h"
#include "harness/simulate/plan_layouts.h"
#include "harness/simulate/plan_replay.h"
#include "harness/simulate/recording.h"

#endif
