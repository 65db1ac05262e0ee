/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plugin/options.h"

#include <stdlib.h>
#include <string.h>

#include "common/buffer.h"
#include "compiletime/compiletime.h"

#define OPTION "-fplugin-arg-interfero-"

static int read_plan(const char *path, const char *origin, struct ifr_plan *plan, struct ifr_error *err) {
	struct ifr_error inner = {0};
	if (!ifr_plan_read(path, plan, &inner))
		return 0;
	return ifr_fail(err, inner.code, "%s (correct the file or drop %s)", inner.message, origin);
}

static int read_base(const struct ifr_plugin_option *options, int count, const char *environment,
                     struct ifr_plan *plan, struct ifr_error *err) {
	const char *path = NULL;
	for (int i = 0; i < count; i++) {
		if (strcmp(options[i].key, "plan"))
			continue;
		path = options[i].value;
		if (!path || !*path)
			return ifr_fail(err, IFR_E_USAGE, OPTION "plan names no file; write " OPTION "plan=FILE");
	}
	if (path)
		return read_plan(path, OPTION "plan", plan, err);
	if (environment && *environment)
		return read_plan(environment, "the environment variable " IFR_PLUGIN_ENVIRONMENT, plan, err);
	return 0;
}

static int set_axis(const struct ifr_plugin_option *option, struct ifr_plan *plan, struct ifr_error *err) {
	int axis = 0;
	while (axis < IFR_AXIS_COUNT && strcmp(ifr_axes[axis].name, option->key))
		axis++;
	if (axis == IFR_AXIS_COUNT || ifr_axes[axis].owner != IFR_OWNER_PLUGIN)
		return ifr_fail(err, IFR_E_USAGE,
		                OPTION "%.64s is not known; the options are unit-order, nops, align, frames, globals, "
		                       "alias-check, split-loops, duplicate-joins, plan, prefetch, templates and recipe",
		                option->key);
	if (!option->value || !*option->value)
		return ifr_fail(err, IFR_E_USAGE, OPTION "%s has no value; write " OPTION "%s=seed=1", option->key,
		                option->key);
	struct ifr_error inner = {0};
	int result = ifr_plan_set(plan, (enum ifr_axis)axis, option->value, &inner);
	if (!result && ifr_decide_by_name_alone((enum ifr_axis)axis) && !plan->axis[axis].only)
		return ifr_fail(err, IFR_E_USAGE, OPTION "%s names no function; write " OPTION "%s=only=FUNCTION",
		                option->key, option->key);
	if (!result)
		return 0;
	return ifr_fail(err, inner.code, OPTION "%s=%.64s: %s (write it as seed=7 or seed=7,PARAMETER=VALUE)",
	                option->key, option->value, inner.message);
}

int ifr_plugin_options_read(const struct ifr_plugin_option *options, int count, const char *environment,
                            struct ifr_plan *plan, struct ifr_plugin_request *request, struct ifr_error *err) {
	ifr_plan_init(plan);
	*request = (struct ifr_plugin_request){0};
	int result = read_base(options, count, environment, plan, err);
	for (int i = 0; i < count && !result; i++)
		if (!strcmp(options[i].key, "templates"))
			request->templates = true;
		else if (!strcmp(options[i].key, "recipe"))
			request->recipe = options[i].value;
		else if (!strcmp(options[i].key, "prefetch"))
			request->prefetches = options[i].value ? options[i].value : "";
		else if (strcmp(options[i].key, "plan"))
			result = set_axis(&options[i], plan, err);
	for (int i = 0; i < IFR_AXIS_COUNT; i++)
		if (ifr_axes[i].owner != IFR_OWNER_PLUGIN)
			plan->axis[i].on = false;
	*plan->name = *plan->kit = '\0';
	return result;
}
