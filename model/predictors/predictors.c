/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of predictors. A new predictor gets its line here. */
#include "model/predictors/predictor.h"

#include <string.h>

extern const struct ifr_predictor ifr_predictor_static, ifr_predictor_bimodal, ifr_predictor_local,
	ifr_predictor_gag, ifr_predictor_gas, ifr_predictor_gshare, ifr_predictor_tournament, ifr_predictor_perceptron,
	ifr_predictor_path, ifr_predictor_l_tage, ifr_predictor_tage_sc_l, ifr_predictor_perfect;
extern const struct ifr_target_predictor ifr_target_predictor_last, ifr_target_predictor_cache,
	ifr_target_predictor_ittage, ifr_target_predictor_perfect;

const struct ifr_predictor *const ifr_predictors[] = {
	&ifr_predictor_static,
	&ifr_predictor_bimodal,
	&ifr_predictor_local,
	&ifr_predictor_gag,
	&ifr_predictor_gas,
	&ifr_predictor_gshare,
	&ifr_predictor_tournament,
	&ifr_predictor_perceptron,
	&ifr_predictor_path,
	&ifr_predictor_l_tage,
	&ifr_predictor_tage_sc_l,
	&ifr_predictor_perfect,
	NULL,
};

const struct ifr_target_predictor *const ifr_target_predictors[] = {
	&ifr_target_predictor_last,
	&ifr_target_predictor_cache,
	&ifr_target_predictor_ittage,
	&ifr_target_predictor_perfect,
	NULL,
};

const struct ifr_predictor *ifr_predictor_find(const char *name) {
	for (size_t i = 0; ifr_predictors[i]; i++)
		if (!strcmp(ifr_predictors[i]->name, name))
			return ifr_predictors[i];
	return NULL;
}

const struct ifr_target_predictor *ifr_target_predictor_find(const char *name) {
	for (size_t i = 0; ifr_target_predictors[i]; i++)
		if (!strcmp(ifr_target_predictors[i]->name, name))
			return ifr_target_predictors[i];
	return NULL;
}
