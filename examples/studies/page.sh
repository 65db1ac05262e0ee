# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# A study's page: page.html, self-contained, in its folder. Beside study.sh. The study adds rows and figures while it runs;
# what it prints stands on the page, too.
# shellcheck disable=SC2154 # $study and $sources are set by study.sh

# row WHAT PAPER OURS WHY: a row of the page. WHY says in one sentence why the figures agree or differ.
row() {
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >>page.rows
}

# figure FILE.svg CAPTION
figure() {
	[ ! -s "$1" ] || printf '%s\t%s\n' "$1" "$2" >>page.figures
}

# draw NAME CAPTION: a figure by the gnuplot commands on standard input.
draw() {
	command -v gnuplot >/dev/null || { echo "no figure $1: gnuplot is not installed" >&2; return 0; }
	{
		echo "set terminal svg size 760,420 font 'sans,13' background '#ffffff'"
		echo "set output '$1.svg'"
		cat
	} >"$1.gp"
	gnuplot "$1.gp" || return 0
	figure "$1.svg" "$2"
}

escape() {
	sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g'
}

# The head of the study's script, as a paragraph.
describe_study() {
	awk 'NR > 2 && !/^# ./ { exit } NR > 2 { sub(/^# /, ""); print }' "$sources/run"
}

# stated_time: what examples/studies/README.md says about the time of this study.
stated_time() {
	awk -F ' *[|] *' -v name="\`$study\`" -v column="${QUICK:+4}" 'NF == 5 && $2 == name { print column ? $4 : $3; exit }' \
		"$sources/../README.md"
}

style() {
	cat <<-'END'
		:root{--paper:#fff;--ink:#1c1e21;--soft:#5d6470;--line:#d9dde3;--shade:#f4f6f8}
		@media (prefers-color-scheme:dark){:root{--paper:#17191c;--ink:#e4e6ea;--soft:#a0a7b2;--line:#3a3f47;--shade:#212429}}
		html{color-scheme:light dark;background:var(--paper);color:var(--ink)}
		body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1.2rem}
		h1{font-size:1.6rem}h2{font-size:1.2rem;margin:2.2rem 0 .6rem;border-bottom:1px solid var(--line)}
		p,td,li{overflow-wrap:anywhere}.soft,figcaption{color:var(--soft);font-size:.9rem}
		table{border-collapse:collapse;width:100%;font-size:.9rem}
		th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
		th{background:var(--shade)}td:nth-child(2),td:nth-child(3){font-variant-numeric:tabular-nums;min-width:6rem}
		pre{background:var(--shade);border:1px solid var(--line);padding:.7rem .9rem;overflow-x:auto;font-size:.82rem;line-height:1.35}
		figure{margin:1.2rem 0;overflow-x:auto}figure img{display:block;width:100%;background:#fff}
		@media (max-width:40rem){figure img{min-width:34rem}figcaption{position:sticky;left:0}thead{display:none}tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
		td{display:block;border:0;padding:.1rem 0}td:first-child{font-weight:600}
		td:nth-child(2)::before{content:"the paper: ";color:var(--soft)}td:nth-child(3)::before{content:"ours: ";color:var(--soft)}}
	END
}

put_rows() {
	echo "<table><thead><tr><th>What</th><th>The paper</th><th>Ours</th><th>Why</th></tr></thead><tbody>"
	escape <page.rows | awk -F '\t' '{ printf "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n", $1, $2, $3, $4 }'
	echo "</tbody></table>"
}

put_figures() {
	while IFS='	' read -r file caption; do
		printf '<figure><img alt="%s" src="data:image/svg+xml;base64,' "$(echo "$caption" | escape)"
		base64 -w 0 "$file"
		printf '"><figcaption>%s</figcaption></figure>\n' "$(echo "$caption" | escape)"
	done <page.figures
}

# put_page STATUS SECONDS
put_page() {
	echo "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Study: $study</title>"
	echo '<meta name="viewport" content="width=device-width, initial-scale=1">'
	echo "<style>" && style && echo "</style></head><body><h1>Study: $study</h1>"
	echo "<p>$(describe_study | escape)</p>"
	[ "$1" -eq 0 ] || echo "<p><strong>The study ended with status $1: what there is so far. The same command goes on.</strong></p>"
	[ ! -s page.rows ] || put_rows
	[ ! -s page.figures ] || { echo "<h2>Figures</h2>" && put_figures; }
	echo "<h2>What the study printed</h2><pre>$(escape <page.printed)</pre>"
	echo "<h2>How it was run</h2><p class=\"soft\">$(interfero --version | head -n 1 | escape); $(name_machine | escape);"
	echo "${QUICK:+small sizes; }${INTERFERO_STUDY:+only the part \"$INTERFERO_STUDY\"; }it took $2 s (stated: $(stated_time)).</p>"
	set -- *.exp *.trace
	[ ! -e "$1" ] && [ ! -e "${2:-}" ] || echo "<p class=\"soft\">Kept beside this page: $(ls -d -- *.exp *.trace 2>/dev/null | paste -s -d ' ' | escape).
		<code>interfero report FILE.exp</code> reports an experiment.</p>"
	echo "</body></html>"
}

# run_with_page: runs the study itself, in the folder, and writes its page, whatever became of it; ends as the study does.
run_with_page() {
	: >page.rows
	: >page.figures
	echo 130 >page.status
	begun=$(date +%s)
	# Ctrl-C ends the study; what it had printed still becomes a page.
	trap : INT
	{
		code=0
		STUDY_FOLDER=$PWD "$sources/run" "$PWD" || code=$?
		echo "$code" >page.status
	} | tee -i page.printed
	code=$(cat page.status)
	put_page "$code" "$(($(date +%s) - begun))" >page.html
	[ ! -s page.rows ] || printf '\nRows and figures beside those of the paper:\n%s\n' "$PWD/page.html"
	exit "$code"
}
