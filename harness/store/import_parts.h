/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of import.h, a file each. Private to this folder. */
#ifndef IFR_HARNESS_IMPORT_PARTS_H
#define IFR_HARNESS_IMPORT_PARTS_H

#include "harness/store/import.h"

enum { IMPORT_COUNTERS_MOST = 256 };

int import_csv(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err);
int import_hyperfine(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err);
int import_google(const struct ifr_import_text *text, struct ifr_dataset *dataset, struct ifr_error *err);
int import_perf(const struct ifr_import_text *texts, size_t count, struct ifr_dataset *dataset,
                struct ifr_error *err);

/* The place of a variant in the dataset, which is added where it is new. */
size_t import_variant(struct ifr_dataset *dataset, const char *name);
/* The place of a counter; added where it is new, which must be before the first run. -1 if there are too many. */
int import_counter(struct ifr_dataset *dataset, const char *name, const char *unit, const char *source);
/* The next run of a variant, its repetition one more than that of its last. */
struct ifr_dataset_run *import_run(struct ifr_dataset *dataset, size_t variant);

#endif
