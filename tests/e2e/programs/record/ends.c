/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ends WAY: work, and then an end of that kind. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static volatile long counted;

int main(int argc, char **argv) {
	for (; counted < 100000; counted++) {
	}
	switch (argc > 1 ? *argv[1] : '0') {
	case 'k':
		raise(SIGKILL);
		break;
	case 'a':
		abort();
	case 's':
		*(volatile int *)8 = 1;
		break;
	case '_':
		_exit(9);
	case 'w':
		for (;;)
			pause();
	case 'l':
		for (;;)
			counted++;
	default:
		break;
	}
	return 0;
}
