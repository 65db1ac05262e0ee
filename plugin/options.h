/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the plugin is asked to do: its options and its environment variable (plugin/plugin.h) become a plan. */
#ifndef IFR_PLUGIN_OPTIONS_H
#define IFR_PLUGIN_OPTIONS_H

#include "common/error.h"
#include "common/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IFR_PLUGIN_ENVIRONMENT "INTERFERO_PLAN"

/* -fplugin-arg-interfero-KEY=VALUE; value is NULL if there is no '='. */
struct ifr_plugin_option {
	const char *key, *value;
};

/* What the options say beside the axes. */
struct ifr_plugin_request {
	bool templates;     /* the option `templates` */
	const char *recipe; /* the value of the option `recipe`, or NULL */
};

/* Reads the wishes, and makes the plan: the file that the option
 * `plan` names, or else the one that environment (the variable's value, or NULL) names, changed by the axis
 * options. Only the plugin's axes stay on, and the plan has no name and no kit. Errors: IFR_E_USAGE and
 * IFR_E_ENVIRONMENT, for unknown options and for plans that cannot be read or parsed. */
int ifr_plugin_options_read(const struct ifr_plugin_option *options, int count, const char *environment,
                            struct ifr_plan *plan, struct ifr_plugin_request *wishes, struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
