// SPDX-License-Identifier: GPL-3.0-or-later
// words N: counts N words in a map; every hundredth is refused by an exception.
import std.algorithm : endsWith;
import std.conv : to;
import std.stdio : writeln;

pragma(inline, false) void count(ref int[string] counts, string word) {
	if (word.endsWith("00"))
		throw new Exception(word);
	counts[word[0 .. (word.length + 1) / 2]]++;
}

void main(string[] arguments) {
	const most = arguments.length > 1 ? arguments[1].to!int : 1000;
	int[string] counts;
	int refused;
	foreach (i; 0 .. most)
		try
			count(counts, i.to!string);
		catch (Exception e)
			refused++;
	writeln(counts.length, " ", refused);
}
