//! What a measured launch costs beside its work: the choice before it and the end after it, with learning.

use std::ffi::CStr;
use std::hint::black_box;
use std::ptr::null;
use std::time::Duration;

use criterion::Criterion;
use ipda_models::table::Region;
use ipda_rt::{__ipda_rt_choose, __ipda_rt_end, __ipda_rt_region};

const NAME: &CStr = c"bench at calls.rs:1";

fn main() {
    // SAFETY: there is one thread.
    unsafe { std::env::set_var("IPDA_LEARN", "on") };
    let made = Region::new(NAME);
    let region: *const Region = &raw const made;
    // SAFETY: a region without a table, that outlives its use.
    assert_eq!(unsafe { __ipda_rt_region(region) }, 1, "times are wanted");
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .without_plots();
    for (name, host) in [("the same size", 1.0), ("sizes that change", 1.01)] {
        let mut predicted = 1e-4;
        criterion.bench_function(&format!("choose and end/{name}"), |bencher| {
            bencher.iter(|| {
                predicted = if predicted > 1.0 { 1e-4 } else { predicted * host };
                // SAFETY: as above.
                unsafe {
                    let token = __ipda_rt_choose(region, 2, 3.0 * predicted, black_box(predicted), null(), 0);
                    __ipda_rt_end(region, token);
                }
            });
        });
    }
    criterion.bench_function("the clock, twice", |bencher| {
        bencher.iter(|| (std::time::Instant::now(), std::time::Instant::now()));
    });
}
