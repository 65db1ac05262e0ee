/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as the harness makes it: in the surroundings that measured runs have, of the shipped program or of a
 * variant, with all that replaying needs to know about them. */
#ifndef IFR_HARNESS_RECORDING_H
#define IFR_HARNESS_RECORDING_H

#include "common/plan.h"
#include "common/strings.h"
#include "model/model.h"

struct ifr_recording_request {
	const char *program; /* absolute */
	char *const *argv;
	const struct ifr_strings *more_environment; /* as for ifr_environment_make */
	const char *path;                           /* of the trace */
	const char *stdin_file;                     /* NULL: /dev/null */
	bool silent;                                /* nobody wants the program's output */
	const struct ifr_plan *plan; /* record the variant of this plan, stack and load as well; NULL: the program */
	uint64_t stack_bytes;        /* of environment on top */
	uint64_t from, to;           /* instructions; 0, 0: all */
	const char *region;          /* of interfero.h; NULL: all */
	bool everything;
	bool objects; /* the allocator's, too */
	int64_t timeout_ns;
};

/* Its output and errors are passed on when it has ended. Errors: as ifr_record; what making the variant says;
 * IFR_E_USAGE for a plan that moves objects where they are not recorded, or where several threads have them. */
int ifr_recording_make(const struct ifr_recording_request *request, struct ifr_recorded *recorded,
                       struct ifr_error *err);

#endif
