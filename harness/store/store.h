/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store: experiments as files (experiment.h), as data in memory (dataset.h), and as other tools wrote them
 * (import.h); experiments of several machines as one (merge.h). */
#ifndef IFR_HARNESS_STORE_H
#define IFR_HARNESS_STORE_H

#include "harness/store/dataset.h"
#include "harness/store/experiment.h"
#include "harness/store/import.h"
#include "harness/store/merge.h"

#endif
