/* SPDX-License-Identifier: GPL-3.0-or-later */
/* forbid WHAT... -- COMMAND...: runs a command in which the kernel refuses some of what the runtime asks, with
 * EPERM, as a strict container does: reserve (mmap with MAP_NORESERVE), advise (madvise), move (mremap). */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static int apply(struct sock_filter *code, unsigned short length) {
	struct sock_fprog program = {length, code};
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Flags are the fourth argument, in its lower half on this machine. */
static int forbid_flags(unsigned call, unsigned flags) {
	struct sock_filter code[] = {
		LOAD(nr),      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		LOAD(args[3]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, flags, 0, 1),
		REFUSE,        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	return apply(code, sizeof code / sizeof *code);
}

static int forbid_call(unsigned call) {
	struct sock_filter code[] = {
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		REFUSE,
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	return apply(code, sizeof code / sizeof *code);
}

static int forbid(const char *what) {
	if (!strcmp(what, "reserve"))
		return forbid_flags(SYS_mmap, MAP_NORESERVE);
	return !strcmp(what, "advise") ? forbid_call(SYS_madvise)
	       : !strcmp(what, "move") ? forbid_call(SYS_mremap)
	                               : -1;
}

int main(int argc, char **argv) {
	int i = 1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 77;
	for (; i < argc && strcmp(argv[i], "--"); i++)
		if (forbid(argv[i]))
			return 77;
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 127;
}
