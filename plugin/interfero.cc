/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's entry: reads the options and registers what they ask for (plugin/plugin.h). */
#include "plugin/gcc.h"

#include "plugin-version.h"

#include "plugin/options.h"
#include "plugin/passes.h"
#include "plugin/plugin.h"

#define EXPORT __attribute__((visibility("default")))

extern "C" {
EXPORT int plugin_is_GPL_compatible;
EXPORT int plugin_init(struct plugin_name_args *plugin, struct plugin_gcc_version *compiler);
}

static struct ifr_note note;

/* GCC's internals have no stable form, so that even two builds of one version count as different. */
static void check_version(struct plugin_gcc_version *compiler) {
	if (plugin_default_version_check(compiler, &gcc_version))
		return;
	fatal_error(UNKNOWN_LOCATION,
	            "this interfero plugin is built for GCC %s (%s) and cannot run in GCC %s (%s); "
	            "build interfero again with that compiler as CC and CXX",
	            gcc_version.basever, gcc_version.datestamp, compiler->basever, compiler->datestamp);
}

static void read_options(const struct plugin_name_args *plugin) {
	struct ifr_plugin_option *options;
	int count = ifr_own_options_take(plugin->base_name, &options);
	struct ifr_error err = {};
	int result = ifr_plugin_options_read(options, count, getenv(IFR_PLUGIN_ENVIRONMENT), &note.plan, &err);
	XDELETEVEC(options);
	if (result)
		fatal_error(UNKNOWN_LOCATION, "interfero: %s", err.message);
}

static void register_axes() {
	const struct ifr_axis_setting *axis = note.plan.axis;
	/* nops before align: the directives of align are then no places of nops. */
	if (axis[IFR_AXIS_NOPS].on)
		ifr_nops_register(&axis[IFR_AXIS_NOPS], &note.did);
	if (axis[IFR_AXIS_ALIGN].on)
		ifr_align_register(&axis[IFR_AXIS_ALIGN], &note.did);
	if (axis[IFR_AXIS_UNIT_ORDER].on)
		ifr_unit_order_register(&axis[IFR_AXIS_UNIT_ORDER], &note.did);
}

int plugin_init(struct plugin_name_args *plugin, struct plugin_gcc_version *compiler) {
	static struct plugin_info info = {INTERFERO_VERSION, "perturbs code layout; see plugin/plugin.h of interfero"};
	check_version(compiler);
	read_options(plugin);
	register_callback(plugin->base_name, PLUGIN_INFO, NULL, &info);
	if (!ifr_plan_axes(&note.plan))
		return 0;
	snprintf(note.plugin, sizeof note.plugin, "%s", INTERFERO_VERSION);
	snprintf(note.compiler, sizeof note.compiler, "%s", compiler->basever);
	register_axes();
	ifr_provenance_register(&note);
	return 0;
}
