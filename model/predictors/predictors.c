/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of direction predictors: a new one has its line here. */
#include "model/predictors/predictor.h"

#include <string.h>

extern const struct ifr_predictor ifr_predictor_gshare, ifr_predictor_perfect;

const struct ifr_predictor *const ifr_predictors[] = {&ifr_predictor_gshare, &ifr_predictor_perfect, NULL};

const struct ifr_predictor *ifr_predictor_find(const char *name) {
	for (size_t i = 0; ifr_predictors[i]; i++)
		if (!strcmp(ifr_predictors[i]->name, name))
			return ifr_predictors[i];
	return NULL;
}
