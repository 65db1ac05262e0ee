// SPDX-License-Identifier: GPL-3.0-or-later
// A bench of Criterion, short.
use criterion::{black_box, criterion_group, criterion_main, Criterion};
use std::time::Duration;

fn digits(c: &mut Criterion) {
    c.bench_function("digits", |b| b.iter(|| words::digits(black_box(200))));
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .without_plots()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(100));
    targets = digits
}
criterion_main!(benches);
