/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/commands/interrupts.h"

#include <signal.h>
#include <stddef.h>

#include "harness/exec/exec.h"

static void on_signal(int number) {
	(void)number;
	ifr_launch_interrupt();
}

void catch_interrupts(void) {
	struct sigaction action = {.sa_handler = on_signal};
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}
