/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/runtime_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"
#include "runtime/runtime.h"

enum { PAGE_FD = 900, FILLED = 160, FILLED_WITH_SITES = 256, SPREAD = -1 };
#define BESIDE "beside;" /* the runtime is loaded and has nothing to do */
static const uint64_t nonce = UINT64_C(1234567890123456789);

/* Whether any plan of the design asks the runtime for something. */
static bool needs_runtime(const struct ifr_plan *plan, unsigned axes) {
	return axes & (1u << IFR_AXIS_HEAP | 1u << IFR_AXIS_BLOCKS | 1u << IFR_AXIS_HUGE_PAGES) ||
	       (axes & 1u << IFR_AXIS_STACK && ifr_axis_setting_most(&plan->axis[IFR_AXIS_STACK], IFR_AXIS_STACK, 1));
}

/* Whether the plan asks the runtime for nothing that another value of its axes asks for. A runtime that is there takes
 * time, loaded and in each call of malloc, which must not tell such layouts from the others. */
static bool stands_beside(const struct ifr_plan *plan) {
	const struct ifr_axis_setting *stack = &plan->axis[IFR_AXIS_STACK];
	return plan->axis[IFR_AXIS_HUGE_PAGES].on || (stack->on && ifr_axis_setting_most(stack, IFR_AXIS_STACK, 1));
}

char *ifr_runtime_settings(const struct ifr_plan *plan, unsigned axes, const struct ifr_runtime_wishes *wishes) {
	static const char *const policies[] = {"aligned", "random", "alias-free"};
	const struct ifr_axis_setting *heap = &plan->axis[IFR_AXIS_HEAP], *blocks = &plan->axis[IFR_AXIS_BLOCKS];
	struct ifr_buffer text = {0};
	if (!needs_runtime(plan, axes) && !wishes->regions)
		return NULL;
	const bool asked = heap->on || blocks->on || wishes->main_bytes || wishes->huge_text || wishes->regions,
			   beside = !asked && stands_beside(plan);
	ifr_buffer_puts(&text, asked || beside ? "1;" : "0;");
	if (beside)
		ifr_buffer_puts(&text, BESIDE);
	if (heap->on)
		ifr_buffer_printf(
			&text, "heap=%s;heap-seed=%" PRIu64 ";fullness=%" PRId64 ";window=%" PRId64 ";granule=%" PRId64 ";",
			heap->value[0] ? "diehard" : "shuffle", heap->seed, heap->value[1], heap->value[2], heap->value[3]);
	if (blocks->on)
		ifr_buffer_printf(&text, "blocks=%s;blocks-seed=%" PRIu64 ";", policies[blocks->value[0]], blocks->seed);
	if (blocks->on && blocks->only)
		ifr_buffer_printf(&text, "sites=%s;", blocks->only);
	if (blocks->on && blocks->only && blocks->given[0] != SPREAD)
		ifr_buffer_printf(&text, "site-offset=%" PRId64 ";", blocks->given[0]);
	if (wishes->main_bytes)
		ifr_buffer_printf(&text, "stack=%" PRIu64 ";", wishes->main_bytes);
	if (wishes->huge_text)
		ifr_buffer_puts(&text, "text=huge;");
	/* The stack begins alike with and without sites. */
	while (text.length < (axes & 1u << IFR_AXIS_BLOCKS ? FILLED_WITH_SITES : FILLED))
		ifr_buffer_puts(&text, "x");
	return ifr_buffer_detach(&text);
}

bool ifr_runtime_wanted(const char *settings) {
	return settings && *settings == '1';
}

int ifr_runtime_page(int *fd, struct ifr_error *err) {
	const uint64_t head[2] = {IFR_REPORT_MAGIC, nonce};
	int page = memfd_create("page", MFD_CLOEXEC);
	*fd = page >= 0 ? fcntl(page, F_DUPFD_CLOEXEC, PAGE_FD) : -1;
	if (page >= 0)
		close(page);
	if (*fd < 0 || ftruncate(*fd, IFR_REPORT_BYTES) || pwrite(*fd, head, sizeof head, 0) != sizeof head)
		return ifr_fail_errno(err, IFR_E_ENVIRONMENT,
		                      "cannot prepare the runtime's page (the limit of open files must be above %d)",
		                      PAGE_FD);
	return 0;
}

char *ifr_runtime_library(void) {
	return ifr_path_libexec("libinterfero.so");
}

static size_t find_preload(const struct ifr_strings *environment) {
	size_t i = 0;
	while (i < environment->count && !ifr_starts_with(environment->items[i], "LD_PRELOAD="))
		i++;
	return i;
}

/* As many strings and as many bytes in every case. A preload of the user's stays, behind ours. */
void ifr_runtime_environment(struct ifr_strings *environment, const char *settings, unsigned repeats,
                             unsigned events, int fd) {
	char *library = ifr_runtime_library(), *filler = ifr_strdup("");
	size_t preload = find_preload(environment);
	if (ifr_runtime_wanted(settings) && preload < environment->count) {
		char *old = environment->items[preload];
		environment->items[preload] = ifr_format("LD_PRELOAD=%s:%s", library, strchr(old, '=') + 1);
		free(old);
	} else if (preload < environment->count) {
		free(filler);
		filler = ifr_format(":%s", library);
	} else {
		const char *name = ifr_runtime_wanted(settings) ? "LD_PRELOAD" : "LD_PRELOAX";
		ifr_strings_take(environment, ifr_format("%s=%s", name, library));
	}
	ifr_strings_take(environment,
	                 ifr_format("Q=%s%s;repeat=%03u;events=%u;report=%03d:%019" PRIu64, settings, filler,
	                            repeats ? repeats : 1, events, fd >= 0 ? fd : PAGE_FD, nonce));
	free(filler);
	free(library);
}

/* Whether the policy that follows name in the settings is one of the runtime's own. */
static bool asks(const char *settings, const char *name) {
	const char *found = strstr(settings, name);
	return found && !ifr_starts_with(found + strlen(name), "glibc");
}

void ifr_runtime_check(int fd, const char *settings, struct ifr_runtime_report *report, char *refused,
                       size_t size) {
	const char *why = NULL;
	bool heap = asks(settings, ";heap="), blocks = asks(settings, ";blocks=");
	*report = (struct ifr_runtime_report){0};
	if (strstr(settings, ";" BESIDE))
		return;
	if (pread(fd, report, sizeof *report, 0) != sizeof *report || !(report->applied & IFR_APPLIED_RUNTIME))
		why = "the runtime was not loaded: a static program, or one with more rights than its user?";
	else if (*report->refused)
		why = report->refused;
	else if ((heap && !(report->applied & IFR_APPLIED_HEAP)) ||
	         (blocks && !(report->applied & IFR_APPLIED_BLOCKS)))
		why = "the runtime did not place the heap";
	else if (strstr(settings, ";stack=") && !(report->applied & IFR_APPLIED_STACK))
		why = "the runtime did not move main's frame: the program does not begin through libc";
	else if (strstr(settings, ";text=") && !(report->applied & IFR_APPLIED_TEXT))
		why = "the runtime did not put the text into huge pages: the program does not begin through libc";
	else if ((heap || blocks) && !(report->applied & IFR_APPLIED_ADDRESS))
		why = "the heap's usual address was taken";
	else if (report->elsewhere)
		why = "the heap was too large for the runtime, in part";
	if (why)
		snprintf(refused, size, "%.160s", why);
}
