#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# stacks.py TRACE: what perf script prints of samples with branch stacks (the last 32 taken branches), had one been taken at
# each 997th block of a recorded run.
import re, subprocess, sys
trace, = sys.argv[1:]
bases, last, count = {}, [], 0
for line in subprocess.run(["interfero", "trace", "info", trace], capture_output=True, text=True, check=True).stdout.splitlines():
    found = re.match(r"mapping (\d+) (program|library) (\d+) bytes (\S+)", line)
    if found:
        bases[found[2] + found[1]] = base = int(found[1]) << 32
        print("p 7 PERF_RECORD_MMAP2 7/7: [%#x(0x10000000) @ 0 08:01 12 0]: r-xp %s" % (base, found[4]))
blocks = subprocess.run(["interfero", "trace", "dump", trace], capture_output=True, text=True, check=True).stdout.splitlines()
for line in blocks:
    found = re.match(r"block (\w+):0x(\w+) \+(\d+), .*?(taken)?$", line)
    if line == "break":
        last = []
    if not found or found[1] not in bases:
        continue
    at, count = bases[found[1]] + int(found[2], 16), count + 1
    if last and last[-1][1] is None:
        last[-1] = (last[-1][0], at)
    if count % 997 == 0 and last:
        print("1000003 cycles:upp: %x %s" % (at, " ".join("%#x/%#x/P/-/-/0" % pair for pair in reversed(last[-32:]))))
    if found[4]:
        last.append((at + int(found[3]) - 1, None))
