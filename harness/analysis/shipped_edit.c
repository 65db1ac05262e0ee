/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/analysis/shipped_edit.h"

#include <string.h>

bool ifr_shipped_is_edited(const struct ifr_dataset *dataset, unsigned program,
                           const struct ifr_dataset_counter *counter) {
	return strcmp(counter->source, "model") && ifr_dataset_program_fact(dataset, "edited", program);
}

bool ifr_variant_is_edited(const struct ifr_dataset *dataset, const struct ifr_dataset_variant *variant,
                           const struct ifr_dataset_counter *counter) {
	return !variant->layout && ifr_shipped_is_edited(dataset, variant->program, counter);
}
