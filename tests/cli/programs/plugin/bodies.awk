# SPDX-License-Identifier: GPL-3.0-or-later
# Disassembled objects (objdump -dr --no-show-raw-insn): the instructions of every function, by name, without nops and
# addresses; a jump's target is written as function + number of the instruction, nops not counted.
function flush(i, line, target, where) {
	for (i = 1; i <= count; i++) {
		line = text[i]
		if (match(line, /[0-9a-f]+ <[^>]*>/)) {
			target = substr(line, RSTART, RLENGTH); sub(/ .*/, "", target)
			where = section " " target
			# What a relocation fills in has no target yet.
			where = (i in relocated) ? "" : (where in place) ? place[where] : "nowhere"
			line = substr(line, 1, RSTART - 1) where substr(line, RSTART + RLENGTH)
		}
		print owner[i] " " number[i] ": " line
	}
	count = 0
	delete relocated
}
/^Disassembly of section/ { flush(); section = $4; waiting = 0; next }
/^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); n = 0; waiting = 0; next }
/^[ \t]+[0-9a-f]+: R_X86/ {
	if (last) { relocated[last] = 1; text[last] = text[last] " " $2 " " ($3 ~ /^\.text/ ? "TEXT" : $3) }
	next
}
/^[ \t]*[0-9a-f]+:\t/ {
	split($0, part, "\t"); at = part[1]; gsub(/[ :]/, "", at)
	code = part[2]; sub(/[ \t]+$/, "", code); sub(/ *#/, " #", code); gsub(/[ \t]+/, " ", code)
	if (code ~ /#/) sub(/-?0x[0-9a-f]+\(%rip\)/, "(%rip)", code)
	pending[++waiting] = section " " at
	last = 0
	if (code ~ /nop|^xchg %ax,%ax$|^data16$/) next
	for (i = 1; i <= waiting; i++) place[pending[i]] = name "+" n
	waiting = 0
	last = ++count; owner[count] = name; number[count] = n++; text[count] = code
	next
}
END { flush() }
