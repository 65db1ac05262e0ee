/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/simulate/load_names.h"

#include <stdlib.h>

#include "common/strings.h"
#include "harness/simulate/site_names.h"

enum { NAMES_SHOWN = 2 };

/* A name that all elements of an array and all objects of a kind share. */
static char *name_sample(struct ifr_site_names *names, const struct ifr_load_site *site, uint64_t data) {
	const struct ifr_mapping *mapping = ifr_site_mapping(names, data);
	struct ifr_source *source = ifr_site_source(names, data);
	struct ifr_global global;
	char *name = NULL, *code = NULL;
	if (source && ifr_source_find_global(source, data & IFR_OFFSET_MASK, &global))
		return ifr_strdup(global.name);
	if (mapping && mapping->kind == IFR_MAPPING_OBJECTS)
		return ifr_site_objects(names, data);
	ifr_site_access(names, site->block, site->access, data, &name, &code);
	free(code);
	return name;
}

static char *name_data(struct ifr_site_names *names, const struct ifr_load_site *site,
                       const struct ifr_load_count *load) {
	struct ifr_strings different = {0};
	struct ifr_buffer text = {0};
	for (unsigned i = 0; i < load->sample_count; i++) {
		char *name = name_sample(names, site, load->samples[i]);
		if (ifr_strings_contain(&different, name))
			free(name);
		else
			ifr_strings_take(&different, name);
	}
	for (size_t i = 0; i < different.count && i < NAMES_SHOWN; i++)
		ifr_buffer_printf(&text, "%s%s", i ? ", " : "", different.items[i]);
	if (different.count > NAMES_SHOWN)
		ifr_buffer_puts(&text, ", …");
	ifr_strings_release(&different);
	return ifr_buffer_detach(&text);
}

void ifr_load_names_find(const struct ifr_trace *trace, struct ifr_load_misses *profile) {
	struct ifr_site_names *names = ifr_site_names_new(trace);
	profile->names = ifr_alloc((profile->named + 1) * sizeof *profile->names);
	for (size_t i = 0; i < profile->named; i++) {
		const struct ifr_load_site *site = &profile->summary.sites.items[profile->order[i]];
		profile->names[i].code = ifr_site_code(names, site->normalised);
		profile->names[i].data = name_data(names, site, &profile->summary.loads[profile->order[i]]);
	}
	ifr_site_names_free(names);
}
