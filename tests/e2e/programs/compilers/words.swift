// SPDX-License-Identifier: GPL-3.0-or-later
// words N: counts N words in a dictionary; every hundredth is an error.
struct Refusal: Error {}

@inline(never)
func count(_ counts: inout [String: Int], _ word: String) throws {
    if word.hasSuffix("00") { throw Refusal() }
    counts[String(word.prefix((word.count + 1) / 2)), default: 0] += 1
}

let most = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1])! : 1000
var counts: [String: Int] = [:]
var refused = 0
for i in 0..<most {
    do { try count(&counts, String(i)) } catch { refused += 1 }
}
print(counts.count, refused)
