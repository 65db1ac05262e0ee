/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a library, calls it and closes it, five times. */
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
	int sum = 0;
	for (int i = 0; i < 5; i++) {
		void *library = dlopen("./libloaded.so", RTLD_NOW);
		int (*touch)(int) = library ? (int (*)(int))dlsym(library, "touch") : NULL;
		if (!touch)
			return 1;
		sum += touch(i);
		dlclose(library);
	}
	printf("%d\n", sum);
	return 0;
}
