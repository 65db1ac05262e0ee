/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open experiment, for the files of this room that write it. */
#ifndef IFR_HARNESS_EXPERIMENT_FILE_H
#define IFR_HARNESS_EXPERIMENT_FILE_H

#include "harness/store/database.h"
#include "harness/store/experiment.h"

struct ifr_experiment {
	sqlite3 *database;
	sqlite3_stmt *add_run, *add_sample; /* kept, as there may be a million runs */
};

#endif
