// SPDX-License-Identifier: GPL-3.0-or-later
// words N: counts N words in a map; every hundredth is refused by an exception. SLOW counts each twice.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

struct Totals {
	std::map<std::string, long> counts;
	long refused = 0;
	Totals() {
		counts["first"] = 1;
	}
};

static Totals totals; // a constructor before main

__attribute__((noinline)) void count(const std::string &word) {
	if (word.size() > 1 && word.compare(word.size() - 2, 2, "00") == 0)
		throw std::invalid_argument(word);
	totals.counts[word.substr(0, 2)]++;
}

int main(int argc, char **argv) {
	const int most = argc > 1 ? std::atoi(argv[1]) : 1000;
	for (int i = 0; i < most; i++)
		try {
#ifdef SLOW
			count("x" + std::to_string(i % 97));
			totals.counts["x" + std::to_string(i % 97).substr(0, 1)]--;
#endif
			count(std::to_string(i));
		} catch (const std::invalid_argument &) {
			totals.refused++;
		}
	long sum = 0;
	for (const auto &entry : totals.counts)
		sum += entry.second * static_cast<long>(entry.first.size());
	std::printf("%zu %ld %ld\n", totals.counts.size(), sum, totals.refused);
}
