/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a plan and a request of the plugin's options and its environment variable (plugin/plugin.h). */
#ifndef IFR_PLUGIN_OPTIONS_H
#define IFR_PLUGIN_OPTIONS_H

#include "common/error.h"
#include "common/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define IFR_PLUGIN_ENVIRONMENT "INTERFERO_PLAN"
#define IFR_PLUGIN_PREFETCHES "INTERFERO_PREFETCH"

/* One option -fplugin-arg-interfero-KEY=VALUE; value is NULL without '='. */
struct ifr_plugin_option {
	const char *key, *value;
};

/* The options that are not about axes. */
struct ifr_plugin_request {
	bool templates;         /* the option `templates` */
	const char *recipe;     /* the value of the option `recipe`, or NULL */
	const char *prefetches; /* the file of the option `prefetch`, or NULL */
};

/* Reads the options into a request and a plan. The plan comes from the file of the option `plan`, or else from the
 * file that environment names (the variable's value, or NULL), and the axis options change it. Only the plugin's
 * axes stay on; the plan has no name and no kit. Errors: IFR_E_USAGE and IFR_E_ENVIRONMENT for unknown options, and
 * for plans that cannot be read or parsed. */
int ifr_plugin_options_read(const struct ifr_plugin_option *options, int count, const char *environment,
                            struct ifr_plan *plan, struct ifr_plugin_request *request, struct ifr_error *err);

#ifdef __cplusplus
}
#endif
#endif
