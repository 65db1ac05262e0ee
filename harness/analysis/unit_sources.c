/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source lines of units, from the debugging information of the shipped program. */
#include <string.h>

#include "harness/analysis/unit_addresses.h"
#include "harness/code/code.h"

/* Opens the shipped program; NULL where it has changed since it was linked. */
static struct ifr_source *open_shipped(const struct ifr_kit *kit) {
	char digest[IFR_SHA256_HEX];
	int64_t bytes;
	if (!kit->output || ifr_sha256_file(kit->output, digest, &bytes, NULL) || strcmp(digest, kit->sha256))
		return NULL;
	return ifr_source_open(kit->output);
}

void ifr_unit_addresses_find_sources(const struct ifr_kit *kit, const struct ifr_relinker *relinker,
                                     struct ifr_unit_addresses *addresses) {
	struct ifr_source *shipped = open_shipped(kit);
	for (size_t i = 0; shipped && i < ifr_relinker_unit_count(relinker); i++) {
		struct ifr_relinker_unit unit;
		ifr_relinker_unit(relinker, i, &unit);
		size_t place = ifr_unit_addresses_index(addresses, unit.name);
		if (place < addresses->unit_count && !addresses->sources[place])
			addresses->sources[place] = ifr_source_function(shipped, unit.address);
	}
	ifr_source_close(shipped);
}
