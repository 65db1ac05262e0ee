# SPDX-License-Identifier: GPL-3.0-or-later
# Fields, arrays of arrays, regular expressions, sorting, formats, files, commands, functions, over text that the caller
# generates. The lines marked "known" have answers that follow from arithmetic alone.
@namespace "shape"
function area(w, h) { return w * h }
@namespace "awk"

function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
function gcd(a, b) { return b ? gcd(b, a % b) : a }
function by_length(i1, v1, i2, v2) { return length(i1) != length(i2) ? length(i1) - length(i2) : i1 < i2 ? -1 : i1 > i2 }
function join(a, n, sep,    i, s) { for (i = 1; i <= n; i++) s = s (i > 1 ? sep : "") a[i]; return s }
function fill(a, n,    i) { for (i = 1; i <= n; i++) a[i] = (i * 7919) % 1009; return n }
function twice(f, x) { return @f(@f(x)) }
function square(x) { return x * x }

BEGIN {
	CONVFMT = "%.6g"
	print "known", fib(18), gcd(1071, 462), shape::area(6, 7), twice("square", 3)
	n = fill(numbers, 500)
	asort(numbers, sorted)
	print sorted[1], sorted[250], sorted[500], asort(numbers, sorted, "@val_num_desc"), sorted[1]
	n = split("pear,fig;apple plum", fruit, /[,; ]/, seps)
	print n, join(fruit, n, "+"), seps[1] seps[2] seps[3] "|"
	asorti(fruit, order)
	for (i = 0; i < 10; i++) matrix[i % 3][i] = i * i
	PROCINFO["sorted_in"] = "@ind_num_asc"
	for (row in matrix) { line = row ":"; for (col in matrix[row]) line = line " " matrix[row][col]; print line }
	print isarray(matrix[1]), length(matrix), (4 in matrix[1]), typeof(matrix), typeof(1), typeof("x"), typeof(nothing), typeof(/re/), typeof(@/re/)
	delete matrix[1]
	print length(matrix)
	printf "%5.2f|%-8s|%08d|%x|%o|%e|%g|%c|%c|%i|%+d|%%|%*d|%'d\n", 3.14159, "ab", 42, 255, 8, 12345.678, 1e20, 65, "hello", -7.9, 5, 6, 42, 1234567
	print "known", substr("hello", 2, 3), index("haystack", "st"), length("abc"), toupper("mIx") tolower("MiX"), 2 ^ 10, 7 % 3, -7 % 3, 1e6, 0.1 + 0.2, 100000 * 100000
	print gensub(/(a+)(b*)/, "<\\2\\1>", "g", "aabxabab"), gensub(/o/, "0", 2, "foo boo")
	text = "2024-02-29 and 1999-12-31"
	while (match(text, /([0-9]{4})-([0-9]+)-([0-9]+)/, part)) {
		print RSTART, RLENGTH, part[1] + 0, part[2], part[3, "start"]
		text = substr(text, RSTART + RLENGTH)
	}
	print patsplit("a1b22c333", runs, /[0-9]+/, between), runs[3], between[0] between[2]
	s = "banana"; print gsub(/an/, "[&]", s), s, sub(/a$/, "\\&", s), s
	print and(12, 10), or(12, 10), xor(12, 10), lshift(1, 10), rshift(1024, 3), (compl(0) > 0), strtonum("0x1f"), strtonum("017")
	print strftime("%Y-%m-%d %H:%M:%S %j", 86400 * 10957, 1), mktime("2000 01 01 00 00 00", 1)
	printf "%.9f %.9f %.9f %d\n", sin(1), exp(1) + log(10), sqrt(2) + atan2(0, -1), int(-3.9)
	print "x" > "/dev/stdout"
	switch ("b17") { case /^a/: print "a"; break; case /^b[0-9]+$/: print "b and digits"; default: print "through" }
	command = "printf 'one\\ntwo\\nthree\\n' | sort -r"
	while ((command | getline line) > 0) print "read", line
	print close(command), (getline line < "/nonexistent"), (ERRNO != "")
	print "z\na\nm" | "sort"
	close("sort")
	helper = "cat"
	print "to and back" |& helper
	close(helper, "to")
	helper |& getline line
	print line, close(helper)
	"echo $((6 * 7))" | getline answer
	print "known", answer
	name = scratch "/lines"
	for (i = 1; i <= 5; i++) print i, i * i > name
	close(name)
	while ((getline line < name) > 0) total += split(line, f) + f[2]
	print "known", total
	print length(sprintf("%1000s", "")), substr(sprintf("%s", 1e300 * 1e300), 1, 4), ("10" < "9"), (10 < 9), ("abc" ~ "^a.c$"), ("a.c" ~ /a\.c/)
	SUBSEP = ":"; tuple["x", "y"] = 1; for (k in tuple) print k, (("x", "y") in tuple)
	IGNORECASE = 1; print ("HELLO" ~ /hello/); IGNORECASE = 0
	do { k = k "."; if (length(k) > 8) break; if (length(k) % 2) continue } while (1)
	print k
}
BEGINFILE { files++ }
NR == 1 { first = $0; $3 = "changed"; $(NF + 2) = "grown"; print NF, $0; NF = 2; print }
{
	fields += NF
	for (i = 1; i <= NF; i++) $i ~ /^[0-9]+$/ ? sum += $i : count[$i]++
	chars += length($0)
	if (match($0, /[aeiou]{2,}/)) vowels[substr($0, RSTART, RLENGTH)]++
}
$1 == "branch", $1 == "cache" { ranged++ }
/layout .* block/ && !/the/ { both++ }
FNR % 97 == 0 { last = $NF; nextfile_seen++ }
NR == 400 { FS = "[0-9]+" }
NR > 400 && NR % 50 == 0 { pieces += NF }
END {
	print NR, files, fields, sum, chars, ranged, both, nextfile_seen, last, pieces, length(first)
	PROCINFO["sorted_in"] = "by_length"
	for (w in count) printf "%s=%d ", w, count[w]
	print ""
	PROCINFO["sorted_in"] = "@val_num_desc"
	for (v in vowels) { print v, vowels[v]; break }
	exit 3
}
