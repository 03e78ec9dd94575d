//! Criterion's record of every variant that runs here, on every bundled capture: rows, 32-bit words.
//!
//! Ids are `tokens/rows/<capture>/<variant>`. No logic of its own: the lab prepares, criterion times.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use varint_lab::{
    cloud::Resolutions,
    measure::{
        contestants,
        stream::{self, Arrangement, LONG_ENOUGH},
        tokens::{Aligned, words},
    },
};

fn tokens(criterion: &mut Criterion) {
    let streams = stream::bundled(&Resolutions::default()).unwrap_or_else(|error| {
        eprintln!("varint-lab: {error}");
        std::process::exit(2);
    });
    let mut buffer = Aligned::<u32>::default();
    for stream in streams.iter().filter(|stream| !stream.facts.short) {
        let Some(words) = stream.tokens(Arrangement::Rows).and_then(|tokens| words::<u32>(tokens).ok())
        else {
            continue;
        };
        let out = buffer.of(words.len().min(LONG_ENOUGH));
        let mut group = criterion.benchmark_group(format!("tokens/rows/{}", stream.facts.name));
        for contestant in contestants::all().into_iter().filter(|contestant| contestant.runs_here) {
            let encoded = (contestant.u32.encode)(&words, LONG_ENOUGH);
            group.throughput(Throughput::ElementsAndBytes {
                elements: words.len() as u64,
                bytes: encoded.bytes.len() as u64,
            });
            group.bench_function(BenchmarkId::from_parameter(contestant.name), |bencher| {
                bencher.iter(|| (contestant.u32.decode_over)(&encoded, out));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = time;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .nresamples(10_000)
        .without_plots();
    targets = tokens
}
criterion_main!(time);
