// SPDX-License-Identifier: GPL-3.0-or-later
// cfg(slow) writes each number a second time.
#[inline(never)]
pub fn digits(n: u64) -> usize {
    (0..n).map(|i| i.to_string().len() + if cfg!(slow) { (i * 7).to_string().len() & 1 } else { 0 }).sum()
}
