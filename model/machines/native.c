/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/machines/native.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/strings.h"
#include "model/machines/parts.h"

/* Ref: Intel 2024, "Software developer's manual", volume 4, table 2-1 (families and models); AMD's "Processor programming
 * reference" of families 17h, 19h and 1Ah, for the models of each core. */
static const struct known {
	const char *vendor;
	unsigned family, first, last; /* models */
	bool same;
	const char *name;
} all[] = {
	{"GenuineIntel", 6, 0x17, 0x17, true, "core2-e5440"},
	{"GenuineIntel", 6, 0x1d, 0x1d, true, "core2-e5440"},
	{"GenuineIntel", 6, 0x0f, 0x0f, false, "core2-e5440"}, /* Merom */
	{"GenuineIntel", 6, 0x3a, 0x3a, true, "ivybridge"},
	{"GenuineIntel", 6, 0x3e, 0x3e, true, "ivybridge"},  /* server */
	{"GenuineIntel", 6, 0x2a, 0x2a, false, "ivybridge"}, /* Sandy Bridge */
	{"GenuineIntel", 6, 0x2d, 0x2d, false, "ivybridge"},
	{"GenuineIntel", 6, 0x3c, 0x3c, true, "haswell"},
	{"GenuineIntel", 6, 0x3f, 0x3f, true, "haswell"}, /* server */
	{"GenuineIntel", 6, 0x45, 0x46, true, "haswell"},
	{"GenuineIntel", 6, 0x3d, 0x3d, false, "haswell"}, /* Broadwell */
	{"GenuineIntel", 6, 0x47, 0x47, false, "haswell"},
	{"GenuineIntel", 6, 0x4f, 0x4f, false, "haswell"},
	{"GenuineIntel", 6, 0x56, 0x56, false, "haswell"},
	{"GenuineIntel", 6, 0x4e, 0x4e, true, "skylake"},
	{"GenuineIntel", 6, 0x5e, 0x5e, true, "skylake"},
	{"GenuineIntel", 6, 0x8e, 0x8e, true, "skylake"}, /* Kaby, Coffee, Whiskey Lake */
	{"GenuineIntel", 6, 0x9e, 0x9e, true, "skylake"},
	{"GenuineIntel", 6, 0xa5, 0xa6, true, "skylake"},        /* Comet Lake */
	{"GenuineIntel", 6, 0x66, 0x66, false, "skylake"},       /* Cannon Lake */
	{"GenuineIntel", 6, 0x55, 0x55, true, "skylake-server"}, /* and Cascade Lake, Cooper Lake */
	{"GenuineIntel", 6, 0x6a, 0x6a, true, "icelake-server"},
	{"GenuineIntel", 6, 0x6c, 0x6c, true, "icelake-server"},
	{"GenuineIntel", 6, 0x7d, 0x7e, false, "icelake-server"}, /* Ice Lake, client */
	{"GenuineIntel", 6, 0x8c, 0x8d, false, "icelake-server"}, /* Tiger Lake */
	{"GenuineIntel", 6, 0xa7, 0xa7, false, "icelake-server"}, /* Rocket Lake */
	{"GenuineIntel", 6, 0x97, 0x97, true, "goldencove"},      /* Alder Lake */
	{"GenuineIntel", 6, 0x9a, 0x9a, true, "goldencove"},
	{"GenuineIntel", 6, 0x8f, 0x8f, false, "goldencove"}, /* Sapphire Rapids: other L2 and L3 */
	{"GenuineIntel", 6, 0xcf, 0xcf, false, "goldencove"}, /* Emerald Rapids */
	{"GenuineIntel", 6, 0xb7, 0xb7, false, "goldencove"}, /* Raptor Lake: other L2 */
	{"GenuineIntel", 6, 0xba, 0xba, false, "goldencove"},
	{"GenuineIntel", 6, 0xbf, 0xbf, false, "goldencove"},
	{"GenuineIntel", 6, 0xaa, 0xaa, false, "goldencove"}, /* Meteor Lake */
	{"GenuineIntel", 6, 0xac, 0xae, false, "goldencove"}, /* and Granite Rapids */
	{"AuthenticAMD", 0x17, 0x00, 0x2f, false, "zen2"},    /* Zen, Zen+ */
	{"AuthenticAMD", 0x17, 0x50, 0x5f, false, "zen2"},
	{"AuthenticAMD", 0x17, 0x30, 0xff, true, "zen2"},
	{"AuthenticAMD", 0x19, 0x10, 0x1f, true, "zen4"},
	{"AuthenticAMD", 0x19, 0x60, 0xaf, true, "zen4"},
	{"AuthenticAMD", 0x19, 0x00, 0x0f, true, "zen3"},
	{"AuthenticAMD", 0x19, 0x20, 0x5f, true, "zen3"},
	{"AuthenticAMD", 0x1a, 0x00, 0x4f, true, "zen5"},
	{"AuthenticAMD", 0x1a, 0x60, 0x7f, true, "zen5"},
};

/* Ref: Intel, "Software developer's manual", volume 2, CPUID, leaf 1; AMD 24594, the same. */
void ifr_processor_read(struct ifr_processor *processor) {
	unsigned a = 0, b = 0, c = 0, d = 0;
	*processor = (struct ifr_processor){0};
	__cpuid(0, a, b, c, d);
	memcpy(processor->vendor, &b, 4);
	memcpy(processor->vendor + 4, &d, 4);
	memcpy(processor->vendor + 8, &c, 4);
	__cpuid(1, a, b, c, d);
	processor->stepping = a & 15;
	processor->family = a >> 8 & 15;
	processor->model = a >> 4 & 15;
	if (processor->family == 6 || processor->family == 15)
		processor->model |= a >> 12 & 0xf0;
	if (processor->family == 15)
		processor->family += a >> 20 & 255;
}

const char *ifr_processor_find(const struct ifr_processor *processor, bool *is_same) {
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (strcmp(all[i].vendor, processor->vendor) || all[i].family != processor->family ||
		    processor->model < all[i].first || processor->model > all[i].last)
			continue;
		*is_same = all[i].same;
		return all[i].name;
	}
	return NULL;
}

static const char *name_vendor(const struct ifr_processor *processor) {
	if (!strcmp(processor->vendor, "GenuineIntel"))
		return "Intel";
	return strcmp(processor->vendor, "AuthenticAMD") ? processor->vendor : "AMD";
}

int ifr_machine_nearest(char **name, bool *is_same, struct ifr_error *err) {
	struct ifr_processor processor;
	ifr_processor_read(&processor);
	const char *found = ifr_processor_find(&processor, is_same);
	if (!found)
		return ifr_fail(
			err, IFR_E_USAGE,
			"native: no description is near this processor (%s family %u model %u): choose a machine by its "
			"name (\"interfero replay --machine help\" lists them)",
			name_vendor(&processor), processor.family, processor.model);
	*name = ifr_strdup(found);
	return 0;
}

int ifr_machine_kept_path(const char *ending, char **path, struct ifr_error *err) {
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct ifr_processor processor;
	ifr_processor_read(&processor);
	char *folder = config && *config == '/' ? ifr_format("%s/interfero", config)
	               : home && *home          ? ifr_format("%s/.config/interfero", home)
	                                        : NULL;
	if (!folder)
		return ifr_fail(err, IFR_E_ENVIRONMENT, "no place for descriptions: set XDG_CONFIG_HOME or HOME");
	*path = ifr_format("%s/%s-%u-%u-%u.%s", folder, processor.vendor, processor.family, processor.model,
	                   processor.stepping, ending);
	free(folder);
	return 0;
}

char *ifr_machine_find_kept(void) {
	char *path = NULL;
	/* A specification's changes begin with a comma. */
	if (!ifr_machine_kept_path("cfg", &path, NULL) && ifr_file_exists(path) && !strchr(path, ','))
		return path;
	free(path);
	return NULL;
}

/* The description that a probe made, else the nearest one. */
static int resolve_native(const char *changes, char **resolved, char **note, struct ifr_error *err) {
	char *name = ifr_machine_find_kept();
	struct ifr_processor processor;
	bool is_same = false;
	int rc = 0;
	if (name) {
		*note = ifr_format("native: probed on this processor, %s", name);
	} else {
		rc = ifr_machine_nearest(&name, &is_same, err);
		ifr_processor_read(&processor);
		if (!rc)
			*note = ifr_format("native: %s%s (%s family %u model %u)", name,
			                   is_same ? "" : ", the nearest description", name_vendor(&processor),
			                   processor.family, processor.model);
	}
	if (!rc)
		*resolved = ifr_format("%s%s", name, changes);
	free(name);
	return rc;
}

int ifr_machine_resolve(const char *spec, char **resolved, char **note, struct ifr_error *err) {
	static const char native[] = "native";
	const size_t length = strcspn(spec, ",");
	*note = NULL;
	*resolved = NULL;
	if (length == strlen(native) && !strncmp(spec, native, length))
		return resolve_native(spec + length, resolved, note, err);
	*resolved = ifr_strdup(spec);
	return 0;
}
