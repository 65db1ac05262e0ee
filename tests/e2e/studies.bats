# SPDX-License-Identifier: GPL-3.0-or-later
# Studies of examples/studies in the model, with their small sizes: what each paper found comes out.

load ../helpers

setup_file() {
	use_own_kits
}

teardown_file() {
	drop_own_kits
}

setup() {
	need_full_depth
	use_own_folder
}

study() { # NAME [PROGRAMS]
	run env QUICK=1 ${2:+PROGRAMS="$2"} INTERFERO_STUDY=model timeout 300 make -s -C "$BATS_TEST_DIRNAME/../../examples/studies" "O=$PWD" "$1"
	[ "$status" -eq 0 ] || say "$output"
}

@test "branch-predictors: tables II to V and figure 18 of Milenković et al. 2004" {
	study branch-predictors
	[ "$(grep -c '4: 0%, 8: 0%, 16: 0%, 32: 100%, 64: 100%' <<<"$output")" -eq 2 ] || say "$output"
	# Of table II and III: the part of all branches that the paper has, within 14 points, in each row.
	awk '$2 ~ /^[0-9]+$/ && $4 ~ /%$/ && $6 ~ /%$/ { rows++; if (($4 - $6) ^ 2 > 14 ^ 2) wrong = 1 }
		END { exit wrong || rows != 9 }' <<<"$output" || say "$output"
	# Of tables IV and V, and the other steps.
	awk '$1 ~ /^(p6|netburst)$/ && $4 ~ /%$/ { rows++; if (($4 - $5) ^ 2 > 4 ^ 2) wrong = 1 }
		END { exit wrong || rows != 17 }' <<<"$output" || say "$output"
}

@test "interferometry: cycles forecast from layouts are those of the other predictor (Wang and Jiménez 2011, section 7)" {
	study interferometry mawk
	[[ $output != *"cannot be fetched"* ]] || skip "Debian's sources cannot be fetched"
	# Errors within the paper's worst one of a line at perfect prediction, and of a small step within 1 %.
	awk '$1 == "mawk" && $10 ~ /%$/ { rows++; if ($10 ^ 2 > 7.5 ^ 2 || ($3 ~ /^gas/ && $10 ^ 2 > 1)) wrong = 1 }
		END { exit wrong || rows != 4 }' <<<"$output" || say "$output"
}

@test "linearity: cycles grow in a line with mispredictions, as Wang and Jiménez 2011 found" {
	study linearity
	# mawk has no branches that wait for memory: the line meets the perfect predictor within the paper's worst case.
	awk '$1 == "mawk" { found = $6 > 0.99 && $7 ^ 2 < 7.5 ^ 2 } END { exit !found }' <<<"$output" || say "$output"
	awk '$1 == "L-TAGE" { found = $2 < 3 } END { exit !found }' <<<"$output" || say "$output"
}

@test "interaction-cost: the signs of table III of Fields et al. 2004" {
	study interaction-cost
	[[ $output == *"signs as in all of the paper's programs: 10 of 10"* ]] || say "$output"
	# The window experiment: the window's cost and the time fall, and the interaction is less serial.
	awk '$1 == "64" { win = $3; both = $4; time = $5 }
		$1 == "256" { found = $3 < win && $4 > both && $5 < time } END { exit !found }' <<<"$output" || say "$output"
	# Figure 3: a wider window helps more where loads are long.
	[[ $output == *"gzip "*"more where the loop is longer"* && $output != *"NOT more"* ]] || say "$output"
}

@test "heap-and-caches: cycles are linear in the misses of either data cache (Wang and Jiménez 2011, figure 3)" {
	study heap-and-caches
	awk '$1 ~ /^L[12]D?$/ { rows++; if ($3 > 0.05 || $4 <= 0) wrong = 1 } END { exit wrong || rows != 2 }' <<<"$output" ||
		say "$output"
}

@test "correlation-profiling: the cases of Mowry and Luk 1997 have the contexts of the paper" {
	study correlation-profiling
	# By ratio alone a quarter or a half of the references are mispredicted, by context hardly any.
	awk '$2 ~ /^(figure_[34]|5\.1\.[13])$/ { rows++; if ($7 != $8 || $6 > 5 || $5 < $3 / 4 - 1) wrong = 1 }
		END { exit wrong || rows != 4 }' <<<"$output" || say "$output"
}
