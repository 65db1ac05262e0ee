/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/exec/process_tree.h"

#include "common/children.h"

enum { DEPTH_MOST = 16 };

static unsigned most_threads(pid_t process, unsigned depth) {
	struct ifr_children children;
	unsigned most = ifr_children_list(process, &children);
	for (size_t i = 0; i < children.count && depth < DEPTH_MOST; i++) {
		const unsigned its = most_threads(children.pids[i], depth + 1);
		most = its > most ? its : most;
	}
	ifr_children_release(&children);
	return most;
}

unsigned ifr_process_threads(pid_t process) {
	return most_threads(process, 0);
}
