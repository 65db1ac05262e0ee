/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/limit/quiet_time.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

int64_t quiet_time_parse_delay(const char *line) {
	int64_t running, waiting;
	if (sscanf(line, "%" SCNd64 " %" SCNd64, &running, &waiting) != 2 || waiting < 0)
		return 0;
	return waiting;
}

int64_t quiet_time_of(pid_t process, int64_t elapsed_ns) {
	char path[64], line[128] = "";
	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)process);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
	if (fd >= 0)
		close(fd);
	const int64_t delay_ns = got > 0 ? quiet_time_parse_delay(line) : 0;
	return delay_ns < elapsed_ns ? elapsed_ns - delay_ns : 0;
}

int64_t quiet_time_correct(int64_t budget_ns, int64_t took_ns) {
	/* Programs end within the last tenth of a budget, if they can. Farther corrections than fourfold are of programs
	 * whose time is another in every run. */
	static const double near = 0.1, farthest = 4;
	if (took_ns <= 0)
		return 0;
	const double ratio = (double)budget_ns / (double)took_ns;
	if (fabs(1 / ratio - 1) <= near)
		return 0;
	return (int64_t)((double)budget_ns * fmin(farthest, fmax(1 / farthest, ratio)));
}
