# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Programs of the suite and further ones (tests/debian) with workloads of some 20 to 50 ms.

# make_workloads: writes the inputs into the working directory.
make_workloads() {
cat >w.awk <<'END'
BEGIN { for (i = 0; i < 60000; i++) { s = s % 9973 + i * 7; a[i % 97] += s; n[substr("abcdefghij", i % 9 + 1, 2)]++ }
	for (k in n) z += n[k]; print s, z, a[5] }
END
sed 's/60000/150000/' w.awk >w.mawk
cat >w.lua <<'END'
local t, s = {}, 0
for i = 1, 60000 do t[i % 97 + 1] = (t[i % 97 + 1] or 0) + i * 7 % 13; s = s + #tostring(i) + t[i % 97 + 1] % 3 end
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(s, fib(20))
END
cat >w.sql <<'END'
CREATE TABLE t(a INTEGER, b TEXT);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 8000) INSERT INTO t SELECT i * 7919 % 10007, hex(i) FROM c;
SELECT count(*), sum(a), max(b) FROM t WHERE a % 3 = 1; SELECT a % 10, count(*), min(b) FROM t GROUP BY 1;
END
cat >w.bc <<'END'
scale = 60
s = 0
for (i = 1; i < 6000; i++) { s += 1 / i; if (i % 3 == 0) s *= 1.0001 }
s
quit
END
cat >w.sh <<'END'
i=0 s=0
count() { s=$(((s * 31 + $1) % 10007)); }
while [ $i -lt 25000 ]; do
	i=$((i + 1))
	count $i
	case $((i % 7)) in
	3) t=${s%7} ;;
	5) eval "v$((i % 50))=\$s" ;;
	esac
done
echo "$s $t $v7"
END
cat >w.m4 <<'END'
define(`loop', `ifelse($1, $2, `', `eval($1 * $1 % 977) len(substr(`abcdefghijklmnop', eval($1 % 9), 5))
loop(incr($1), $2)')')dnl
define(`loops', `ifelse($1, 0, `', `loop(0, 500)loops(decr($1))')')dnl
loops(16)
END
seq 1 9000 | awk '{ printf "%d the quick brown fox %d\n", $1 * $1 % 977, $1 * 7919 % 10007 }' >text
}

# each_further_workload FOLDER COMMAND: likewise, for programs that are not of the suite.
each_further_workload() {
	"$2" mawk "$1/mawk/mawk" -f w.mawk
	"$2" bc "$1/bc/bc/bc" -q w.bc
	"$2" dash "$1/dash/src/dash" w.sh
}

# each_new_workload FOLDER COMMAND: likewise, for programs that no machine description was fitted to.
each_new_workload() {
	"$2" m4 "$1/m4/src/m4" w.m4
	"$2" busybox "$1/busybox/busybox" awk -f w.awk
}

# each_workload DEBIAN COMMAND: calls COMMAND PROGRAM WORDS... for each program, whose folder is DEBIAN.
each_workload() {
	"$2" gawk "$1/gawk/gawk" -f w.awk
	"$2" lua "$1/lua/src/lua" w.lua
	"$2" sqlite3 "$1/sqlite3/sqlite3" :memory: ".read w.sql"
	"$2" bzip2 "$1/bzip2/bzip2" -c text
}
