/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate SEED: writes a small C program to standard output. The program prints a checksum.
 *
 * Every program is free of undefined behaviour and ends, so that all compilers and layouts must agree on the checksum:
 * arithmetic is unsigned, shifts are masked, divisors are odd, loops are counted, jumps backwards use up fuel, and
 * functions call only functions before them. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/random.h"

static uint64_t seed;
static unsigned drawn, labels, indent = 1;

static unsigned below(unsigned n) {
	char name[32];
	snprintf(name, sizeof name, "%u", drawn++);
	return (unsigned)ifr_random_below(ifr_random_keyed(seed, "program", name), n);
}

static void line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void line(const char *format, ...) {
	va_list args;
	for (unsigned i = 0; i < indent; i++)
		putchar('\t');
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

enum { VARIABLES = 5, FUNCTIONS = 6 };

static void operand(void) {
	switch (below(5)) {
	case 0:
		printf("%uu", below(2) ? below(16) : below(UINT32_MAX));
		break;
	case 1:
		printf("g[%u]", below(8));
		break;
	case 2:
		printf("p.%s", below(2) ? "a" : "b[1]");
		break;
	default:
		printf("v%u", below(VARIABLES));
	}
}

static void expression(unsigned depth) {
	static const char *const operators[] = {"+", "-", "*", "^", "|", "&", "<", "=="};
	unsigned kind = depth ? below(7) : 6;
	if (kind < 4) {
		printf("(");
		expression(depth - 1);
		printf(" %s ", operators[below(8)]);
		expression(depth - 1);
		printf(")");
	} else if (kind == 4) {
		printf("(");
		expression(depth - 1);
		printf(below(2) ? " << (%u & 31))" : " >> (%u & 31))", below(32));
	} else if (kind == 5) {
		printf("(");
		expression(depth - 1);
		printf(below(2) ? " / %uu)" : " %% %uu)", below(1000) | 1);
	} else {
		operand();
	}
}

static void assign(void) {
	printf("%.*sv%u %s ", (int)indent, "\t\t\t\t\t\t\t\t", below(VARIABLES), below(2) ? "=" : "^=");
	expression(3);
	printf(";\n");
}

static void statement(unsigned depth, unsigned function);

static void block(unsigned depth, unsigned function) {
	indent++;
	for (unsigned i = 0, count = 1 + below(3); i < count; i++)
		statement(depth, function);
	indent--;
}

static void condition(const char *word) {
	printf("%.*s%s (", (int)indent, "\t\t\t\t\t\t\t\t", word);
	expression(2);
	printf(" & 1u) {\n");
}

static void choose(unsigned depth, unsigned function) {
	line("switch (v%u %% 9u) {", below(VARIABLES));
	for (unsigned i = 0; i < 9; i += 1 + below(2)) {
		line("case %u:", i);
		block(depth, function);
		if (below(3))
			line("\tbreak;");
	}
	line("default:");
	line("\tv0 += 3u;");
	line("}");
}

static void call(unsigned function) {
	unsigned callee = function ? below(function) : 0;
	if (!function)
		line("v1 += vary(%u, v0, v2, v3 & 0xffu);", 3u);
	else
		switch (below(3)) {
		case 0:
			line("v%u += f%u(v%u, v%u);", below(VARIABLES), callee, below(VARIABLES), below(VARIABLES));
			break;
		case 1:
			line("p = turn(p, v%u);", below(VARIABLES));
			break;
		default:
			line("v%u ^= table[v%u %% %uu](v0, v1);", below(VARIABLES), below(VARIABLES), function);
		}
}

static void statement(unsigned depth, unsigned function) {
	unsigned kind = depth ? below(9) : below(2);
	switch (kind) {
	case 2:
		condition("if");
		block(depth - 1, function);
		if (below(2)) {
			line("} else {");
			block(depth - 1, function);
		}
		line("}");
		break;
	case 3:
		line("for (unsigned i%u = 0; i%u < %uu; i%u++) {", depth, depth, 1 + below(9), depth);
		block(depth - 1, function);
		line("\tv%u += i%u;", below(VARIABLES), depth);
		line("}");
		break;
	case 4:
		choose(depth - 1, function);
		break;
	case 5:
		call(function);
		break;
	case 6: {
		unsigned label = labels++;
		line("again%u:;", label);
		block(depth - 1, function);
		line("if (fuel && fuel-- && v%u & 1u) goto again%u;", below(VARIABLES), label);
		break;
	}
	case 7:
		line("g[v%u & 7u] += v%u;", below(VARIABLES), below(VARIABLES));
		break;
	default:
		assign();
	}
}

static void function(unsigned number) {
	printf("static unsigned __attribute__((noinline)) f%u(unsigned v0, unsigned v1) {\n", number);
	line("unsigned v2 = v0 ^ %uu, v3 = v1 + 5u, v4 = 1u, fuel = 6;", below(100000));
	line("struct pair p = {v0, {v1, v0 * 3u}};");
	for (unsigned i = 0, count = 3 + below(5); i < count; i++)
		statement(2, number);
	line("return v0 + 31u * v1 + 7u * v2 + v3 + (v4 ^ p.a ^ p.b[0] ^ p.b[1]);");
	printf("}\n\n");
}

static void head(void) {
	printf("#include <setjmp.h>\n#include <stdarg.h>\n#include <stdio.h>\n"
	       "struct pair { unsigned a, b[2]; };\n"
	       "static unsigned g[8] = {1, 2, 3, 4, 5, 6, 7, 8};\nstatic jmp_buf back;\n"
	       "static unsigned vary(unsigned n, ...) {\n"
	       "\tva_list list;\n\tunsigned sum = n;\n\tva_start(list, n);\n"
	       "\twhile (n--) sum = sum * 33u + va_arg(list, unsigned);\n\tva_end(list);\n\treturn sum;\n}\n"
	       "static struct pair turn(struct pair p, unsigned n) {\n"
	       "\tstruct pair q = {p.b[n & 1u], {p.a, p.b[0] + n}};\n\treturn q;\n}\n"
	       "static void __attribute__((noinline, noreturn)) leap(int n) { longjmp(back, n); }\n"
	       "static unsigned __attribute__((noinline)) jump(unsigned n) {\n"
	       "\tvolatile unsigned kept = n;\n\tint got = setjmp(back);\n"
	       "\tif (got < 3) { kept = kept * 5u + 1u; leap(got + 1); }\n\treturn kept + (unsigned)got;\n}\n"
	       "typedef unsigned made(unsigned, unsigned);\nstatic made");
	for (unsigned i = 0; i < FUNCTIONS; i++)
		printf("%s f%u", i ? "," : "", i);
	printf(";\nstatic made *const table[] = {");
	for (unsigned i = 0; i < FUNCTIONS; i++)
		printf("%sf%u", i ? ", " : "", i);
	printf("};\n\n");
}

int main(int argc, char **argv) {
	if (argc != 2)
		return 2;
	seed = strtoull(argv[1], NULL, 10);
	printf("/* program %" PRIu64 " */\n", seed);
	head();
	for (unsigned i = 0; i < FUNCTIONS; i++)
		function(i);
	printf("int main(void) {\n\tunsigned sum = jump(%uu) + vary(2u, 7u, 9u);\n", below(1000));
	for (unsigned i = 0; i < FUNCTIONS; i++)
		printf("\tsum = sum * 31u + f%u(%uu, sum);\n", i, below(1000));
	printf("\tfor (int i = 0; i < 8; i++) sum = sum * 17u + g[i];\n\tprintf(\"%%u\\n\", sum);\n\treturn 0;\n}\n");
	return 0;
}
