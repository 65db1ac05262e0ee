/* SPDX-License-Identifier: GPL-3.0-or-later */
/* asks WHAT: prints what may differ from run to run. */
#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static unsigned from_device(void) {
	unsigned word = 0;
	FILE *file = fopen("/dev/urandom", "r");
	if (!file || fread(&word, sizeof word, 1, file) != 1)
		return 0;
	fclose(file);
	return word;
}

int main(int argc, char **argv) {
	struct timespec time_spec;
	struct timeval day;
	struct rusage usage;
	struct tms times_spent;
	unsigned word = 0;
	switch (argc > 1 ? *argv[1] : '0') {
	case 'm':
		clock_gettime(CLOCK_MONOTONIC, &time_spec);
		return printf("%ld %ld\n", (long)time_spec.tv_sec, time_spec.tv_nsec) < 0;
	case 'r':
		clock_gettime(CLOCK_REALTIME, &time_spec);
		return printf("%ld %ld\n", (long)time_spec.tv_sec, time_spec.tv_nsec) < 0;
	case 'g':
		gettimeofday(&day, NULL);
		return printf("%ld %ld\n", (long)day.tv_sec, (long)day.tv_usec) < 0;
	case 't':
		return printf("%ld\n", (long)time(NULL)) < 0;
	case 'c':
		return printf("%ld\n", (long)clock()) < 0;
	case 'u':
		getrusage(RUSAGE_SELF, &usage);
		return printf("%ld\n", (long)usage.ru_utime.tv_usec) < 0;
	case 's':
		return printf("%ld\n", (long)times(&times_spent)) < 0;
	case 'x':
		return getrandom(&word, sizeof word, 0) < 0 || printf("%u\n", word) < 0;
	case 'd':
		return printf("%u\n", from_device()) < 0;
	case 'p':
		return printf("%d\n", getpid() > 0) < 0;
	case 'k':
		return printf("%d\n", __rdtsc() > 0) < 0;
	case 'i':
		return printf("%d\n", getchar()) < 0;
	default:
		return 1;
	}
}
