/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends with status 3 where the kernel's restartable sequences are missing, as under qemu-user. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
	return syscall(SYS_rseq, 0, 0, 0, 0) && errno == ENOSYS ? 3 : 0;
}
