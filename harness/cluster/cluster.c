/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of a cluster. */
#include "harness/cluster/cluster.h"

#include <stdlib.h>
#include <string.h>

static char **find_option(struct ifr_cluster *cluster, const char *key) {
	if (!strcmp(key, "partition"))
		return &cluster->partition;
	if (!strcmp(key, "account"))
		return &cluster->account;
	if (!strcmp(key, "time"))
		return &cluster->time_limit;
	if (!strcmp(key, "constraint") && cluster->kinds < IFR_CLUSTER_KINDS)
		return &cluster->constraints[cluster->kinds++];
	return NULL;
}

static int set_option(struct ifr_cluster *cluster, char *word, struct ifr_error *err) {
	char *value = strchr(word, '='), *end;
	unsigned long number = 0;
	if (!value || !value[1])
		return ifr_fail(err, IFR_E_USAGE, "--on slurm: \"%.40s\" is no KEY=VALUE", word);
	*value++ = '\0';
	if (!strcmp(word, "pieces") || !strcmp(word, "cores")) {
		number = strtoul(value, &end, 10);
		if (*end || !number || number > 100000)
			return ifr_fail(err, IFR_E_USAGE, "--on slurm: %s is a number from 1 to 100000, not \"%.40s\"", word,
			                value);
		*(*word == 'p' ? &cluster->chunks : &cluster->cores) = (unsigned)number;
		return 0;
	}
	char **option = find_option(cluster, word);
	if (!option)
		return ifr_fail(err, IFR_E_USAGE,
		                "--on slurm knows partition, constraint, account, time, cores and pieces, not \"%.40s\"",
		                word);
	free(*option);
	*option = ifr_strdup(value);
	return 0;
}

int ifr_cluster_parse(const char *text, struct ifr_cluster *cluster, struct ifr_error *err) {
	struct ifr_strings words = {0};
	*cluster = (struct ifr_cluster){.cores = 1};
	if (strcmp(text, "slurm") != 0 && !ifr_starts_with(text, "slurm:"))
		return ifr_fail(err, IFR_E_USAGE, "--on knows slurm, not \"%.40s\"", text);
	ifr_strings_split(&words, text[5] ? text + 6 : "", ",");
	int result = 0;
	for (size_t i = 0; i < words.count && !result; i++)
		result = set_option(cluster, words.items[i], err);
	cluster->kinds = cluster->kinds ? cluster->kinds : 1;
	ifr_strings_release(&words);
	return result;
}

void ifr_cluster_release(struct ifr_cluster *cluster) {
	for (unsigned i = 0; i < IFR_CLUSTER_KINDS; i++)
		free(cluster->constraints[i]);
	free(cluster->partition);
	free(cluster->account);
	free(cluster->time_limit);
	*cluster = (struct ifr_cluster){0};
}
