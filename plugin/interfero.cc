/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plugin's entry point: reads the options and registers the passes that they ask for (plugin/plugin.h). */
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

static struct ifr_unit unit;

/* GCC's internals differ even between two builds of one version: the plugin runs only in the build it was made for. */
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
	struct ifr_plugin_request request;
	int result =
		ifr_plugin_options_read(options, count, getenv(IFR_PLUGIN_ENVIRONMENT), &unit.note.plan, &request, &err);
	unit.template_wanted = request.templates;
	unit.recipe = request.recipe;
	unit.prefetch_file = request.prefetches ? request.prefetches : getenv(IFR_PLUGIN_PREFETCHES);
	if (unit.prefetch_file && !*unit.prefetch_file)
		unit.prefetch_file = NULL;
	XDELETEVEC(options);
	if (!result && unit.prefetch_file)
		result = ifr_prefetches_read(unit.prefetch_file, &unit.prefetches, &err);
	if (result)
		fatal_error(UNKNOWN_LOCATION, "interfero: %s", err.message);
}

/* The runtime of split stacks reads the instructions behind the prologue that asks for more stack. */
static void check_flags() {
	if (flag_split_stack > 0)
		fatal_error(
			UNKNOWN_LOCATION,
			"interfero: %<-fsplit-stack%> makes prologues that the runtime reads, so that no code may move; "
			"compile without it, or without a plan");
}

static void register_axes() {
	const struct ifr_axis_setting *axis = unit.note.plan.axis;
	bool open = unit.template_wanted;
	if (unit.prefetch_file)
		ifr_prefetch_register(&unit);
	if (axis[IFR_AXIS_FRAMES].on) {
		ifr_stack_alignment_register(&unit);
		ifr_frames_register(&unit);
	}
	if (axis[IFR_AXIS_ALIAS_CHECK].on)
		ifr_alias_check_register(&unit);
	/* Registered last, joins are copied first: a loop is split with the copies in it. */
	if (axis[IFR_AXIS_SPLIT_LOOPS].on)
		ifr_split_loop_register(&unit);
	if (axis[IFR_AXIS_DUPLICATE_JOINS].on)
		ifr_duplicate_join_register(&unit);
	if (axis[IFR_AXIS_GLOBALS].on)
		ifr_globals_register(&unit);
	/* nops before entries and align, whose directives must not be sites of nops. */
	if (axis[IFR_AXIS_NOPS].on || open)
		ifr_nops_register(&unit);
	if (open)
		ifr_entries_register();
	/* unit-order before align: a function is aligned in the section that unit-order has chosen. */
	if (axis[IFR_AXIS_UNIT_ORDER].on || open)
		ifr_unit_order_register(&unit);
	if (axis[IFR_AXIS_ALIGN].on || open)
		ifr_align_register(&unit);
}

int plugin_init(struct plugin_name_args *plugin, struct plugin_gcc_version *compiler) {
	static struct plugin_info info = {INTERFERO_VERSION, "perturbs code layout; see plugin/plugin.h of interfero"};
	check_version(compiler);
	read_options(plugin);
	register_callback(plugin->base_name, PLUGIN_INFO, NULL, &info);
	ifr_attribute_register();
	if (!ifr_plan_axes(&unit.note.plan) && !unit.template_wanted && !unit.prefetch_file)
		return 0;
	check_flags();
	snprintf(unit.note.plugin, sizeof unit.note.plugin, "%s", INTERFERO_VERSION);
	snprintf(unit.note.compiler, sizeof unit.note.compiler, "%s", compiler->basever);
	/* GCC calls the last registered callback first: the axes add their facts before the note is written. */
	ifr_provenance_register(&unit);
	register_axes();
	return 0;
}
