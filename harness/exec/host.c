/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"

char *ifr_host_name(void) {
	struct utsname name;
	/* Several nodes may be one host. */
	const char *node = getenv("SLURMD_NODENAME");
	return ifr_strdup(node && *node ? node : uname(&name) ? "unknown" : name.nodename);
}

char *ifr_host_kernel(void) {
	struct utsname name;
	return uname(&name) ? ifr_strdup("unknown") : ifr_format("%s %s", name.sysname, name.release);
}

char *ifr_host_boot(void) {
	struct ifr_buffer text = {0};
	ifr_file_read("/proc/sys/kernel/random/boot_id", 0, &text, NULL);
	size_t length = strcspn(ifr_buffer_text(&text), "\n");
	char *boot = length ? ifr_format("%.*s", (int)length, ifr_buffer_text(&text)) : ifr_strdup("unknown");
	ifr_buffer_release(&text);
	return boot;
}

char *ifr_host_processor(void) {
	struct ifr_buffer text = {0};
	ifr_file_read("/proc/cpuinfo", 0, &text, NULL);
	const char *model = strstr(ifr_buffer_text(&text), "model name"), *start = model ? strchr(model, ':') : NULL;
	char *result = start ? ifr_format("%.*s, %ld processors", (int)strcspn(start + 2, "\n"), start + 2,
	                                  sysconf(_SC_NPROCESSORS_ONLN))
	                     : ifr_strdup("unknown");
	ifr_buffer_release(&text);
	return result;
}
