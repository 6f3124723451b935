//! How often a warp makes an access in a launch.

use ipda_models::report::{Access, Hardware, Loop, LoopKind, Region, StrideKind};
use ipda_models::sizes::Sizes;

use super::basis::Basis;
use crate::select::values::{NoNames, Scope, Values};
use crate::words::index_name;

/// Whether expressions call a loop's iteration number so. Without an index in the report, it has the variable's name, or one made of it
/// where the variable does not begin at 0 or has another step.
pub fn is_index(each: &Loop, name: &str) -> bool {
    match &each.index {
        Some(index) => index == name,
        // Of fused loops, the variables stand side by side.
        None => {
            name.strip_prefix('#').map_or(index_name(each) == name, |name| index_name(each).replace(", ", "") == name)
        }
    }
}

/// The loops around an access, the innermost first.
pub fn ancestors<'a>(access: &Access, region: &'a Region) -> Vec<&'a Loop> {
    let find = |id: &str| region.loops.iter().find(|each| each.id == id);
    let mut found: Vec<&Loop> = Vec::new();
    let mut next = access.in_loop.as_deref().and_then(find);
    while let Some(each) = next.filter(|_| found.len() < region.loops.len()) {
        found.push(each);
        next = each.parent.as_deref().and_then(find);
    }
    found
}

/// Iteration numbers are taken in the middle of their range, where a sum over all iterations has its mean if it grows evenly.
struct Middle<'a> {
    loops: &'a [&'a Loop],
    values: &'a Values,
    basis: Basis,
    /// Which of the two numbers in the middle.
    middle: i128,
}

impl Middle<'_> {
    /// The mean value of an expression, if it is none below `least`.
    fn value(&self, text: &str, least: i128) -> Option<f64> {
        let [low, high] = [0, 1].map(|middle| {
            let of = Middle { middle, ..*self };
            let value = match self.basis {
                Basis::Exact => self.values.exact(text, &of),
                Basis::Assumed => self.assumed(text, &of),
            };
            // A loop whose end is before its start has no iterations.
            let value = if self.basis == Basis::Exact { value.map(|value| value.max(0)) } else { value };
            value.filter(|&value| value >= least).map(|value| value as f64)
        });
        Some((low? + high?) / 2.0)
    }
}

impl Middle<'_> {
    /// The value with sizes that nobody gave. For these, a loop may end before it begins: the program's own sizes, for which it does not, would not wrap either.
    fn assumed(&self, text: &str, of: &Middle<'_>) -> Option<i128> {
        let value = |text: &str| self.values.assumed_count(text, of, Sizes::Counted);
        match ["u32(", "u64("].iter().any(|wrapped| text.contains(wrapped)) {
            true => value(&text.replace("u32(", "(").replace("u64(", "(")),
            false => value(text),
        }
    }
}

impl Scope for Middle<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        let at = self.loops.iter().position(|each| is_index(each, name))?;
        let outer = Middle { loops: &self.loops[at + 1..], ..*self };
        let trips = outer.value(self.loops[at].trips.value.as_deref()?, 0)?;
        Some(((trips as i128 - 1).max(0) + self.middle) / 2)
    }
}

/// How often a warp makes an access in a launch.
pub fn runs(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> (f64, Basis) {
    if has_empty_rows(access, values) {
        return (0.0, Basis::Exact);
    }
    runs_in(&ancestors(access, region), access.executions.value.as_deref(), hardware, values)
}

/// The same in loops of which the plugin made one that threads share: as many warps as hold all of their iterations, in each of which a thread runs what is
/// left inside. None where the access is not in all of these loops, or they are digits of what threads shared as it was written.
pub fn runs_in_changed(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Option<(f64, Basis)> {
    let nest = region.changed_nest(access)?;
    let recipe = &nest.version.recipe;
    if recipe.is_order_of_collapsed() || recipe.digits_in_words().is_some() || has_empty_rows(access, values) {
        return None;
    }
    let loops = ancestors(access, region);
    let is_fused = |each: &Loop| recipe.threads().iter().any(|named| named.is(each));
    let fused: Vec<usize> = (0..loops.len()).filter(|&at| is_fused(loops[at])).collect();
    let is_shared = |each: &Loop| matches!(each.kind, LoopKind::For | LoopKind::DistributeParallelFor);
    if fused.len() != recipe.threads().len() || !fused.iter().any(|&at| is_shared(loops[at])) {
        return None;
    }
    // All iterations of all threads, as they were written, one thread a warp.
    let alone = Hardware { warp_lanes: 1, ..hardware.clone() };
    let (all, basis) = runs_in(&loops, access.executions.value.as_deref(), &alone, values);
    let trips = |at: usize| {
        let text = loops[at].trips.value.as_deref();
        let of = |basis| Middle { loops: &loops[at + 1..], values, basis, middle: 0 };
        let exact = text.and_then(|text| of(Basis::Exact).value(text, 0));
        exact
            .or_else(|| text.and_then(|text| of(Basis::Assumed).value(text, 1)))
            .unwrap_or_else(|| by_nothing(loops[at], values))
    };
    let threads: f64 = fused.into_iter().map(trips).product();
    let lanes = f64::from(hardware.warp_lanes.max(1));
    Some(if threads > 0.0 { (all / threads * (threads / lanes).ceil(), basis) } else { (0.0, basis) })
}

/// Whether rows of collapsed loops have no iterations, though the product of the loops' numbers may be more than 0 where two are below it.
fn has_empty_rows(access: &Access, values: &Values) -> bool {
    let is_empty = |(length, _)| values.exact(length, &NoNames).is_some_and(|length| length <= 0);
    access.stride.kind == StrideKind::RowEnds && access.stride.rows().into_iter().any(is_empty)
}

/// The same of one that is made once for all iterations of the innermost loop around it.
pub fn runs_outside(
    innermost: &Loop,
    access: &Access,
    region: &Region,
    hardware: &Hardware,
    values: &Values,
) -> (f64, Basis) {
    if has_empty_rows(access, values) {
        return (0.0, Basis::Exact);
    }
    let mut loops = ancestors(access, region);
    loops.retain(|each| each.id != innermost.id);
    runs_in(&loops, None, hardware, values)
}

/// How often a loop runs for which sizes that nobody gave make no sense.
fn by_nothing(each: &Loop, values: &Values) -> f64 {
    let most = each.trips.value.as_deref().and_then(|text| values.at_most(text)).filter(|&most| most > 0);
    let otherwise = i128::from(Sizes::Counted.value());
    most.unwrap_or(otherwise).min(otherwise) as f64
}

fn runs_in(loops: &[&Loop], executions: Option<&str>, hardware: &Hardware, values: &Values) -> (f64, Basis) {
    // Exactly, else as assumed, else by nothing.
    let count = |loops: &[&Loop], text: Option<&str>| {
        let of = |basis| Middle { loops, values, basis, middle: 0 };
        match text.and_then(|text| of(Basis::Exact).value(text, 0)) {
            Some(count) => (Some(count), Basis::Exact),
            None => (text.and_then(|text| of(Basis::Assumed).value(text, 1)), Basis::Assumed),
        }
    };
    let trips: Vec<(f64, Basis)> = (0..loops.len())
        .map(|at| {
            let (trips, basis) = count(&loops[at + 1..], loops[at].trips.value.as_deref());
            (trips.unwrap_or_else(|| by_nothing(loops[at], values)), basis)
        })
        .collect();
    let innermost_shared = (0..loops.len()).find(|&at| loops[at].kind != LoopKind::Sequential);
    let inside = innermost_shared.unwrap_or(loops.len());
    let lanes = f64::from(hardware.warp_lanes.max(1));
    // Teams and the loops around the shared one, then the threads of a team.
    let mut basis = Basis::Exact;
    let mut warps = 1.0;
    for (each, (trips, of_trips)) in loops.iter().zip(&trips).skip(inside) {
        basis = basis.and(*of_trips);
        warps *= match each.kind {
            LoopKind::Sequential | LoopKind::Distribute => *trips,
            LoopKind::For | LoopKind::DistributeParallelFor => (trips / lanes).ceil(),
        };
    }
    // What is assumed is more than 0.
    if warps == 0.0 {
        return (0.0, Basis::Exact);
    }
    let of_loops = || {
        let inner = &trips[..inside];
        (
            inner.iter().map(|(trips, _)| trips).product(),
            inner.iter().fold(Basis::Exact, |all, (_, each)| all.and(*each)),
        )
    };
    let has_none = |each: &&Loop| {
        each.trips.value.as_deref().and_then(|text| values.exact(text, &NoNames)).is_some_and(|trips| trips <= 0)
    };
    let (in_thread, of_count) = match (executions, count(loops, executions)) {
        (None, _) => of_loops(),
        (_, (None, of_count)) => (of_loops().0, of_count),
        // The product of two numbers below 0 is no number of iterations.
        (_, (Some(_), Basis::Exact)) if loops[..inside].iter().any(has_none) => (0.0, Basis::Exact),
        (_, (Some(in_thread), of_count)) => (in_thread, of_count),
    };
    (in_thread * warps, basis.and(of_count))
}
