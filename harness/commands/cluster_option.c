/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/cluster_option.h"

#include <stdlib.h>

#include "harness/commands/commands.h"

int cluster_option(const char *text, struct ifr_cluster **cluster, struct ifr_error *err) {
	struct ifr_buffer *dry_run = *cluster ? (*cluster)->dry_run : NULL;
	if (*cluster)
		ifr_cluster_release(*cluster);
	else
		*cluster = ifr_alloc(sizeof **cluster);
	const int result = ifr_cluster_parse(text, *cluster, err);
	(*cluster)->dry_run = dry_run;
	(*cluster)->say = ifr_command_say;
	return result;
}

int cluster_option_dry_run(struct ifr_cluster **cluster, struct ifr_error *err) {
	(void)err;
	if (!*cluster)
		*cluster = ifr_alloc(sizeof **cluster);
	if (!(*cluster)->dry_run)
		(*cluster)->dry_run = ifr_alloc(sizeof *(*cluster)->dry_run);
	return 0;
}

int cluster_option_check(const struct ifr_cluster *cluster, bool spread, struct ifr_error *err) {
	return cluster && !spread
	           ? ifr_fail(err, IFR_E_USAGE, "--dry-run says what would be submitted: give --on slurm")
	           : 0;
}

int cluster_option_print(const struct ifr_cluster *cluster, struct ifr_error *err) {
	return cluster && cluster->dry_run ? ifr_command_print(cluster->dry_run, err) : 0;
}

void cluster_option_release(struct ifr_cluster **cluster) {
	if (!*cluster)
		return;
	if ((*cluster)->dry_run)
		ifr_buffer_release((*cluster)->dry_run);
	free((*cluster)->dry_run);
	ifr_cluster_release(*cluster);
	free(*cluster);
	*cluster = NULL;
}
