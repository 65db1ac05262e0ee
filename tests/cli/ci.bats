#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# examples/ci/layout.yml, by its own shell lines: two pull requests to a small repository, one with a planted slowdown. What
# installs interfero and gh is left out: interfero is this build, and gh writes down what it is told.

load ../helpers

recipe=$BATS_TEST_DIRNAME/../../examples/ci/layout.yml

setup_file() {
	use_own_kits
	make_repository
}

setup() {
	use_own_folder
}

teardown_file() {
	drop_own_kits
}

# The workflow's lines: the block under "run: |" of the step of that name, without its indent.
lines_of() { # STEP
	awk -v step="$1" '
		/^ *- / { inside = 0; found = $0 ~ "- name: " step "$" }
		found && /^ *run: \|$/ { inside = 1; match($0, /^ */); indent = RLENGTH + 2; next }
		inside && substr($0, 1, indent) ~ /^ *$/ { print substr($0, indent + 1) }' "$recipe"
}

# The workflow's env, but for what only GitHub knows.
settings() {
	sed -n '/^env:/,/^jobs:/s/^  \([A-Z_]*\): \([^$]*\)$/\1=\2/p' "$recipe"
}

commit() { # MESSAGE
	git -c user.name=t -c user.email=t@localhost commit -q -a -m "$1"
}

# make_repository: main, and the branches of two pull requests: "slower" executes more instructions, "same" has another
# function in front of the hot one, which moves.
make_repository() {
	git init -q -b main repository
	(
		cd repository
		cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static unsigned table[1024];
/* here */
__attribute__((noinline)) static unsigned mix(unsigned x) {
	return table[x & 1023] += x ^ (x >> 7);
}
int main(int argc, char **argv) {
	unsigned sum = 0;
	const int n = argc > 1 ? atoi(argv[1]) : 1;
	for (int i = 0; i < n; i++)
		sum += mix(sum + (unsigned)i);
	printf("%u\n", sum);
	return 0;
}
END
		printf 'prog: prog.c\n\t$(CC) -O1 prog.c -o prog\n' >Makefile
		git add .
		commit "the program"
		git checkout -q -b slower
		sed -i 's,return table,for (int i = 0; i < 4; i++) __asm__ volatile("nop");\n\treturn table,' prog.c
		commit "a loop that nobody needs"
		git checkout -q -b same main
		sed -i 's,^/. here ./$,int other(void);\nint other(void) { return getchar() + 1; },' prog.c
		commit "another function"
	)
}

# pull BRANCH: the workflow's steps in a fresh clone, as a runner makes it; the status is that of the first that fails.
# said is what gh was told.
pull() {
	git clone -q "$place/repository" work
	git -C work checkout -q "$1"
	[ ! -e baseline.exp ] || cp baseline.exp work
	mkdir -p bin
	printf '#!/bin/sh\necho "$*" >>"%s/said"\ncat "$5" >>"%s/said"\n' "$PWD" "$PWD" >bin/gh
	chmod +x bin/gh
	: >output
	: >summary
	: >said
	local step status=0
	for step in "Measure the base" "Measure the change" Compare Post Judge; do
		lines_of "$step" >step
		[ -s step ] || say "the recipe has no step $step"
		mapfile -t environment < <(settings)
		(cd work && within 60 env "${environment[@]}" PATH="$PWD/../bin:$PATH" HOME="$here" BASE="$(git rev-parse origin/main)" NUMBER=17 \
			GITHUB_OUTPUT="$here/output" GITHUB_STEP_SUMMARY="$here/summary" STATUS="$(sed -n 's/^status=//p' "$here/output")" \
			bash -eo pipefail ../step) || status=$?
		[ "$status" -eq 0 ] || break
	done
	cp work/baseline.exp .
	rm -rf work base
	echo "$step" >ended
	return $status
}

@test "a slowdown fails the job, and is posted with its verdict" {
	run pull slower
	[ "$status" -eq 1 ] || say "$status: $output"
	[ "$(cat ended)" = Judge ]
	[ "$(head -1 said)" = "pr comment 17 --body-file layout.md" ]
	grep -q '^| ./prog 100000 | change, a regression | +' said
	cmp <(tail -n +2 said) summary
	# The artifact is an experiment of the base: its shipped layout, and those asked for.
	[ "$(interfero report --json baseline.exp | jq '.variants | length')" = 17 ]
}

@test "a change of the layout alone passes, and takes the base's experiment from the cache" {
	run pull same
	[ "$status" -eq 0 ] || say "$status: $output"
	grep -q '^| ./prog 100000 | no change | ' said
	digest=$(sha256sum <baseline.exp)
	run pull slower
	[ "$status" -eq 1 ] || say "$status: $output"
	[ "$(sha256sum <baseline.exp)" = "$digest" ]
}

@test "a broken build, or a program that fails, ends the job where it fails, without a verdict" {
	(cd "$place/repository" && git checkout -q -b broken main && echo 'int main(void) { return 3; }' >prog.c && commit broken)
	run pull broken
	[ "$status" -ne 0 ]
	[ "$(cat ended)" = "Measure the change" ]
	[ ! -s said ]
}

@test "the recipe is YAML, and its actions have versions" {
	python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
	python3 - "$recipe" <<'END'
import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))["jobs"]["layout"]
assert all(("run" in step) != ("@v" in step.get("uses", "")) for step in job["steps"]), job
END
}
