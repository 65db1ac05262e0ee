/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine "native": the description that a probe made of this processor, or the nearest
 * one, by CPUID. Private to the folder and its tests. */
#ifndef INTERFERO_MODEL_NATIVE_H
#define INTERFERO_MODEL_NATIVE_H

#include <stdbool.h>

struct ifr_processor {
	char vendor[13]; /* "GenuineIntel", "AuthenticAMD", … */
	unsigned family, model, stepping;
};

/* Reads the processor that this process runs on. */
void ifr_processor_read(struct ifr_processor *processor);
/* Returns the name of the nearest built-in description, NULL if none is near. is_same: it describes this core;
 * the size of the last cache may differ. */
const char *ifr_processor_find(const struct ifr_processor *processor, bool *is_same);

#endif
