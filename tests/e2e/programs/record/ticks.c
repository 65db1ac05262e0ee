/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for twenty ticks of a timer, and counts what it does in between where nothing may be lost: two counters
 * that only the handler's interruptions could part. */
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void tick(int number) {
	(void)number;
	ticks++;
}

int main(void) {
	struct itimerval every = {{0, 2000}, {0, 2000}};
	volatile long first = 0, second = 0;
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &every, NULL);
	while (ticks < 20) {
		first++;
		second++;
	}
	return first != second;
}
