/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four running totals in static memory, fed from four prices on the stack. */
#include <stdint.h>

#include "argument.h"

/* volatile keeps both in memory at every optimisation level: their addresses are the point. */
static volatile uint32_t total[4] __attribute__((aligned(16)));

/* Sells everything `sales` times, at prices that rise by one each time. */
__attribute__((noinline)) static void sell(unsigned long sales) {
	volatile uint32_t price[4] __attribute__((aligned(16))) = {1, 2, 3, 4};
	while (sales-- > 0) {
		for (int i = 0; i < 4; i++) {
			total[i] = total[i] + price[i];
			price[i] = price[i] + 1;
		}
	}
}

int main(int argc, char **argv) {
	static const struct argument arguments[] = {{"SALES", 20000000, 1, 1000000000}};
	unsigned long sales;
	arguments_parse(argc, argv, arguments, 1, &sales);
	sell(sales);
	printf("checksum %08x\n", (unsigned)(total[0] + total[1] + total[2] + total[3]));
	return 0;
}
