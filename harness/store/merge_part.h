/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a merge, over a database with a part attached as "part". Private to this room. */
#ifndef IFR_HARNESS_MERGE_PART_H
#define IFR_HARNESS_MERGE_PART_H

#include "harness/store/database.h"
#include "harness/store/merge.h"

/* Whether the part may be merged. file and part: their names, for messages. */
int merge_check(sqlite3 *database, const char *file, const char *part, struct ifr_error *err);

/* Adds all of the part, in one transaction. copies: the numbers of copies in the file so far. */
int merge_add(sqlite3 *database, int64_t *copies, struct ifr_merge_result *added, struct ifr_error *err);

#endif
