/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes the plugin's own options from GCC's saved command line, and reads them from there. Reasons:
 *
 * 1. GCC's own splitting of -fplugin-arg-NAME-KEY=VALUE cuts one character off the end of the value for each '='
 *    inside it: seed=7 arrives as "seed=". The saved command line has the whole text.
 * 2. GCC writes the saved command line into debug information (DW_AT_producer) and .GCC.command.line. With the
 *    plugin's path there, an object would differ from the plain compiler's, and from one made in another folder.
 *    .note.interfero records the plugin's work instead. */
#include "plugin/gcc.h"

#include "plugin/passes.h"

/* Whether the path's last component is name, with or without ".so". */
static bool names_plugin_p(const char *path, const char *name) {
	const char *base = lbasename(path);
	size_t length = strlen(name);
	return !strncmp(base, name, length) && (!base[length] || !strcmp(base + length, ".so"));
}

/* The text behind "NAME-" if the option is one of the plugin's, or NULL. */
static const char *own_argument(const struct cl_decoded_option *option, const char *name) {
	size_t length = strlen(name);
	if (option->opt_index != OPT_fplugin_arg_ || strncmp(option->arg, name, length) || option->arg[length] != '-')
		return NULL;
	return option->arg + length + 1;
}

static struct ifr_plugin_option split_option(const char *argument) {
	char *key = xstrdup(argument);
	char *value = strchr(key, '=');
	if (value)
		*value++ = '\0';
	return {key, value};
}

int ifr_own_options_take(const char *plugin_name, struct ifr_plugin_option **options) {
	unsigned kept = 0;
	int count = 0;
	*options = XNEWVEC(struct ifr_plugin_option, save_decoded_options_count + 1);
	for (unsigned i = 0; i < save_decoded_options_count; i++) {
		const struct cl_decoded_option option = save_decoded_options[i];
		const char *argument = own_argument(&option, plugin_name);
		if (argument)
			(*options)[count++] = split_option(argument);
		else if (option.opt_index != OPT_fplugin_ || !names_plugin_p(option.arg, plugin_name))
			save_decoded_options[kept++] = option;
	}
	save_decoded_options_count = kept;
	return count;
}
