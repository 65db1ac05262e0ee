# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What commands cost: time by the clock and by the processor, and memory. Needs a folder $work.

# spent FILE COMMAND...: adds a line to the file: seconds of the clock, seconds of the processor. Fails as the command does.
spent() {
	local TIMEFORMAT='%R %U %S' file=$1 times
	shift
	times=$({ time "$@" </dev/null >"$work/out" 2>"$work/errors"; } 2>&1) || {
		head -n 3 "$work/errors" >&2
		return 1
	}
	awk '{ print $1, $2 + $3 }' <<<"$times" >>"$file"
}
# middle FILE COLUMN: the column's median.
middle() {
	sort -g -k "$2,$2" "$1" | awk -v c="$2" '{ v[NR] = $c }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# held PID: KiB of a process and its children now.
held() {
	local pid files=()
	for pid in "$1" $(cat "/proc/$1/task"/*/children 2>/dev/null || true); do files+=("/proc/$pid/smaps_rollup"); done
	cat "${files[@]}" 2>/dev/null | awk '/^Pss:/ { sum += $2 } END { print sum + 0 }' || true
}
# most_held COMMAND...: the most MiB that it holds with its children; at most for a minute.
most_held() {
	local most=0 now pid
	"$@" </dev/null >"$work/out" 2>"$work/errors" &
	pid=$!
	for ((i = 0; i < 1200; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		now=$(held "$pid")
		((now <= most)) || most=$now
		sleep 0.05
	done
	kill "$pid" 2>/dev/null || true
	wait "$pid" || true
	awk -v kib="$most" 'BEGIN { printf "%.0f", kib / 1024 }'
}
