//! The look at the regions of a host's module.

use super::compilation::Compilation;
use super::launches::{Launched, Launches};
use super::look::{Described, Lazy, add_skewed, or_nothing};
use crate::analysis::dependences::skewed_nests;
use crate::analysis::region::{Analysed, Asked, Begun};
use crate::openmp::outline::TargetRegion;

/// What is seen of a region of a host's module.
#[derive(Default)]
pub(super) struct OnHost {
    pub description: Option<Analysed>,
    pub launched: Option<Launched>,
}

/// Looks at all regions of a host's module, which is afterwards as it was.
pub(super) fn look_at_host(
    compilation: &Compilation<'_, '_>,
    described: Described,
    launches: Option<&Launches>,
) -> Vec<OnHost> {
    compilation.trace.enter("look");
    let _untouched = compilation.untouched();
    let one = |(number, region): (usize, &TargetRegion)| {
        or_nothing(compilation, region, || host_region(compilation, number, described, launches))
    };
    let seen = compilation.regions.iter().enumerate().map(one).collect();
    compilation.ends("look");
    seen
}

fn host_region(
    compilation: &Compilation<'_, '_>,
    number: usize,
    described: Described,
    launches: Option<&Launches>,
) -> OnHost {
    let flat = Lazy::new(compilation, &compilation.regions[number]);
    let launched = launches.and_then(|launches| launches.of_region(compilation, number, || flat.get()));
    let description = match described {
        Described::All => true,
        Described::Decided => launched.as_ref().is_some_and(|launched| launched.waiting.is_predictable()),
        Described::Nothing => false,
    };
    // For people alone.
    let skews = described == Described::All;
    let find = |begun: Begun<'_>| skewed_nests(&mut begun.analysis.clone());
    let asked = Asked { description, work: skews };
    let (mut description, skewed) =
        flat.answer(asked, || None, |_, begun| begun.ok().filter(|_| skews).map(find).unwrap_or_default());
    add_skewed(&mut description, skewed.unwrap_or_default());
    OnHost { description, launched }
}
