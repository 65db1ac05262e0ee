/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/children.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/file.h"

/* A process that is ending may still be there; one that stays this long runs on. */
enum { GRACE_MS = 20, ROUNDS_MOST = 100 };

static void add_children(const char *path, struct ifr_children *children) {
	struct ifr_buffer text = {0};
	if (!ifr_file_read(path, 0, &text, NULL))
		for (char *next = (char *)ifr_buffer_text(&text), *end; *next; next = end) {
			pid_t pid = (pid_t)strtol(next, &end, 10);
			if (end == next)
				break;
			children->pids = ifr_realloc(children->pids, children->count + 1, sizeof *children->pids);
			children->pids[children->count++] = pid;
			end += strspn(end, " \n");
		}
	ifr_buffer_release(&text);
}

unsigned ifr_children_list(pid_t process, struct ifr_children *children) {
	char *folder = ifr_format("/proc/%d/task", (int)process);
	DIR *tasks = opendir(folder);
	unsigned threads = 0;
	*children = (struct ifr_children){0};
	for (const struct dirent *entry; tasks && (entry = readdir(tasks));)
		if (*entry->d_name != '.') {
			char *path = ifr_format("%s/%s/children", folder, entry->d_name);
			add_children(path, children);
			free(path);
			threads++;
		}
	if (tasks)
		closedir(tasks);
	free(folder);
	return threads;
}

void ifr_children_adopt(struct ifr_children *known) {
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ifr_children_list(getpid(), known);
}

void ifr_children_release(struct ifr_children *children) {
	free(children->pids);
	*children = (struct ifr_children){0};
}

static bool is_known(const struct ifr_children *known, pid_t pid) {
	for (size_t i = 0; i < known->count; i++)
		if (known->pids[i] == pid)
			return true;
	return false;
}

/* Whether the child is still there after the grace; reaps it if not. */
static bool runs_on(pid_t pid) {
	for (int waited_ms = 0; waited_ms <= GRACE_MS; waited_ms++) {
		if (waitpid(pid, NULL, WNOHANG))
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

unsigned ifr_children_end(const struct ifr_children *known) {
	unsigned left = 0;
	size_t found = 1;
	/* The end of one hands its own children over. */
	for (int round = 0; round < ROUNDS_MOST && found; round++) {
		struct ifr_children children;
		ifr_children_list(getpid(), &children);
		found = 0;
		for (size_t i = 0; i < children.count; i++) {
			if (is_known(known, children.pids[i]))
				continue;
			found++;
			if (!runs_on(children.pids[i]))
				continue;
			left++;
			kill(children.pids[i], SIGKILL);
			while (waitpid(children.pids[i], NULL, 0) < 0 && errno == EINTR)
				;
		}
		ifr_children_release(&children);
	}
	return left;
}
