// SPDX-License-Identifier: GPL-3.0-or-later
#![feature(test)]
extern crate test;

#[bench]
fn digits(b: &mut test::Bencher) {
    b.iter(|| words::digits(test::black_box(200)));
}
