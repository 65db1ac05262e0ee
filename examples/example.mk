# SPDX-License-Identifier: GPL-3.0-or-later
# Builds one example into the folder O: PROGRAM from the object files OBJECTS, linked in that order.
# FLAGS are the example's own flags, as GCC spells them; CC, CFLAGS and LDFLAGS are yours.

O ?= .
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla -Werror \
	-Wno-ignored-optimization-argument

$(O)/$(PROGRAM): $(OBJECTS:%=$(O)/%.o)
	$(CC) $(CFLAGS) $^ -o $@ $(LDFLAGS)

$(O)/%.o: %.c $(wildcard *.h) ../argument.h Makefile ../example.mk
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -I.. $(WARNINGS) $(CFLAGS) $(FLAGS) -c $< -o $@

.PHONY: clean
clean:
	rm -f $(O)/$(PROGRAM) $(OBJECTS:%=$(O)/%.o)
