/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of an experiment's configuration as phrases of a sentence: "the seed 42", "no --metrics". */
#include <string.h>

#include "common/buffer.h"
#include "harness/campaign/state.h"

static const struct phrase {
	const char *fact, *before, *behind;
	const char *none, *without; /* the value that means none, and the phrase for it */
} phrases[] = {
	{"program", "the program ", "", NULL, NULL},
	{"run in", "the user ", "", "itself", "no other program around it"},
	{"command", "the command ", "", NULL, NULL},
	{"kit", "the build ", "", "none", "no kit"},
	{"seed", "the seed ", "", NULL, NULL},
	{"axes", "the axes ", "", NULL, NULL},
	{"parameters", "the parameters ", "", "none", "no parameters of axes"},
	{"sweep", "the sweep ", "", "", "no sweep"},
	{"host", "the host ", "", NULL, NULL},
	{"processor", "the processor ", "", NULL, NULL},
	{"kernel", "the kernel ", "", NULL, NULL},
	{"pinned to", "runs on ", "", "not pinned", "runs on any processor"},
	{"aslr", "address randomisation (ASLR) ", "", NULL, NULL},
	{"copies", "copies of files: ", "", NULL, NULL},
	{"environment", "the environment ", "", "", "an empty environment"},
	{"standard input", "the standard input ", "", NULL, NULL},
	{"driver of", "a driver of ", "", "none", "no driver"},
	{"prepare", "--prepare ", "", "none", "no --prepare"},
	{"warmup runs", "", " warm-up runs", "0", "no warm-up runs"},
	{"metrics", "--metrics ", "", "none", "no --metrics"},
	{"expected exit status", "the expected exit status ", "", NULL, NULL},
	{"counters", "the counters ", "", "", "no counters"},
	{"machine", "the machine ", "", NULL, NULL},
	{"programs", "", " programs", NULL, NULL},
};

/* Facts of the second program have a number behind the name of the first one's: "kit 2". */
static const struct phrase *find_phrase(const char *fact) {
	for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
		const size_t length = strlen(phrases[i].fact);
		if (!strncmp(fact, phrases[i].fact, length) &&
		    (!fact[length] || (fact[length] == ' ' && fact[length + 1] >= '0' && fact[length + 1] <= '9')))
			return &phrases[i];
	}
	return NULL;
}

char *campaign_phrase_fact(const char *fact, const char *value) {
	const struct phrase *phrase = find_phrase(fact);
	if (!phrase)
		return ifr_format("%s %.200s", fact, value);
	if (phrase->none && !strcmp(value, phrase->none))
		return ifr_strdup(phrase->without);
	return ifr_format("%s%.200s%s", phrase->before, value, phrase->behind);
}
