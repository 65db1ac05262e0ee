// SPDX-License-Identifier: GPL-3.0-or-later
// words N: counts N words in a map; every hundredth is an error. cfg(slow) counts another word, too.
use std::collections::BTreeMap;

#[inline(never)]
fn count(counts: &mut BTreeMap<String, i64>, word: &str) -> Result<(), String> {
    if word.ends_with("00") {
        return Err(format!("{word:>8}"));
    }
    *counts.entry(word.chars().take(2).collect()).or_insert(0) += 1;
    Ok(())
}

fn main() {
    let most: i64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let mut counts = BTreeMap::new();
    let mut refused = 0;
    for i in 0..most {
        if cfg!(slow) {
            let _ = count(&mut counts, &format!("{:04}", i % 97 + 1));
        }
        refused += count(&mut counts, &i.to_string()).is_err() as i64;
    }
    println!("{} {} {}", counts.len(), counts.values().sum::<i64>(), refused);
}
