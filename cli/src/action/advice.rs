//! What would make one access cost less.

use ipda_models::report::{Access, AccessKind, Class, Loop, LoopKind, Region, Report, StrideKind, TransformationState};
use ipda_models::sizes::Sizes;
use ipda_symbolic::pieces;

use super::remedy::{Rule, State};
use crate::select::cost::{Changed, Cost, ancestors, is_index};
use crate::select::values::{Scope, Values};
use crate::words::{loop_name, terms};

/// An access, with what is around it.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub access: &'a Access,
    pub region: &'a Region,
    pub report: &'a Report,
}

/// What helps one access.
pub struct Advice {
    pub state: State,
    pub rule: Rule,
    /// In one line.
    pub short: String,
    /// In full, for whoever asks about the access.
    pub full: String,
}

impl Advice {
    fn todo(rule: Rule, short: impl Into<String>, full: impl Into<String>) -> Advice {
        Advice { state: State::Todo, rule, short: short.into(), full: full.into() }
    }

    fn same(rule: Rule, text: impl Into<String>) -> Advice {
        let text = text.into();
        Advice::todo(rule, text.clone(), text)
    }
}

/// What would make an access cost less; none where it costs nothing that could be spared, and where the loops are what is to be changed.
pub fn advice(place: &Place<'_>, cost: &Cost, values: &Values) -> Option<Advice> {
    if cost.weight() <= 0.0
        || place.waits_for_other_loops()
        || cost.is_of_neighbours(place.access)
        || matches!(cost.class, Class::Strided | Class::Uncoalesced) && place.uses_all(cost, values)
    {
        return None;
    }
    let object = &place.access.object[..];
    match cost.class {
        Class::BankConflict => Some(Advice::same(
            Rule::BankConflict,
            format!("make each row of {object} one element longer, as tile[32][33]: the words of a column are then in different banks"),
        )),
        Class::DataDependent if place.access.kind == AccessKind::Atomic => Some(Advice::todo(
            Rule::AtomicContention,
            format!("give each team a private copy of {object}, added up at the end: the data decide how many threads update one place"),
            format!(
                "give each team a private copy of {object}, as a local array of the teams region, that its threads update and that is \
                 added to the common one at the end: then few updates meet in one place, and few go to global memory"
            ),
        )),
        Class::DataDependent => Some(Advice {
            state: State::Nothing,
            rule: Rule::DataDependent,
            short: format!("the data decide ({})", place.by_data()),
            full: "nothing in the loops; if the data can be sorted or grouped so that neighbouring threads use neighbouring elements, that does"
                .into(),
        }),
        // What threads run by digits of iteration numbers is not counted, and not for its index.
        Class::Unknown if place.region.is_mapped(place.access) && place.access.class != Class::Unknown => None,
        Class::Unknown => Some(Advice::todo(
            Rule::NotUnderstood,
            format!(
                "write the {} so that it can be followed: {}",
                if object == "?" { "address".to_owned() } else { format!("index of {object}") },
                place.access.stride.reason.as_deref().unwrap_or("it is not understood")
            ),
            "write the index so that it can be followed: see the reason under \"difference\"",
        )),
        Class::Coalesced | Class::ConflictFree => None,
        // What follows reads the stride as written.
        _ if cost.changed == Some(Changed::Open) => place.neighbours(cost),
        _ if cost.changed.is_some() => place.transposed(values).or_else(|| place.neighbours(cost)),
        _ => place
            .better_schedule()
            .or_else(|| place.better_loop(values))
            .or_else(|| place.better_layout(values))
            .or_else(|| place.transposed(values))
            .or_else(|| place.neighbours(cost)),
    }
}

impl Place<'_> {
    /// Whether better loops are known and were not made: what stands in their way is reported with the loops.
    fn waits_for_other_loops(&self) -> bool {
        let change = self.region.transformation.as_ref();
        change.is_some_and(|change| change.made().next().is_none() && !change.versions.is_empty())
            && !matches!(self.access.class, Class::DataDependent | Class::Unknown | Class::BankConflict)
    }

    /// `x[col]`.
    fn by_data(&self) -> String {
        let reason = self.access.stride.reason.as_deref().unwrap_or_default();
        let of = reason.strip_prefix("index loaded from ").and_then(|rest| rest.split(' ').next());
        match of {
            Some(index) => format!("{}[{index}[..]]", self.access.object),
            None => self.access.object.clone(),
        }
    }

    /// A schedule that does not give threads several iterations in a row.
    fn better_schedule(&self) -> Option<Advice> {
        let apart = |value: &str| {
            let factors = terms::split(value).into_iter().filter_map(|term| {
                term.text.strip_suffix("*[lane number]").and_then(|factor| factor.parse::<u64>().ok())
            });
            factors.max()
        };
        let moved = &self.access.moved;
        let apart = moved.iter().find_map(|moved| apart(&moved.value)).filter(|&apart| apart > 1)?;
        Some(Advice::same(
            Rule::Uncoalesced,
            format!("leave out the schedule clause, which gives each thread {apart} iterations in a row"),
        ))
    }

    /// A loop in which neighbouring iterations use neighbouring elements.
    fn better_loop(&self, values: &Values) -> Option<Advice> {
        // Of loops that the plugin has looked at, it knows all orders.
        let refused = match &self.region.transformation {
            None => None,
            Some(change) if change.state == TransformationState::Left => Some(change.obstacles().next()?),
            Some(_) => return None,
        };
        let found = self.neighbourly_loop(values)?;
        let uses = format!("neighbouring iterations of the {} use neighbouring elements", loop_name(found));
        let name = found.variable.as_deref().unwrap_or(&found.id);
        Some(match refused {
            None => Advice::todo(
                Rule::Uncoalesced,
                format!(
                    "let threads share the loop over {name} (collapse), if its iterations do not need each other's results"
                ),
                format!(
                    "{uses}: threads that share this loop, by collapse or by bringing it outward, need few sectors; right if its iterations do not need each other's results"
                ),
            ),
            Some(reason) => {
                let why = crate::view::reason(reason, self.region);
                Advice::todo(
                    Rule::LoopOrder,
                    format!("{}; then threads could share the loop over {name}", reason.removal()),
                    format!("{uses}, but the loops stay as they are, {why}; {}", reason.removal()),
                )
            }
        })
    }

    fn neighbourly_loop(&self, values: &Values) -> Option<&Loop> {
        let access = self.access;
        let step = |of: &Loop| {
            let at = |value| values.afresh().assumed(&access.address, &At { of, value }, Sizes::Counted);
            Some(at(1)? - at(0)?)
        };
        ancestors(access, self.region).into_iter().find(|each| {
            each.kind == LoopKind::Sequential
                && access.moved.iter().all(|moved| !is_index(each, &moved.name))
                && step(each).is_some_and(|step| step.unsigned_abs() == u128::from(access.bytes))
        })
    }

    fn better_layout(&self, values: &Values) -> Option<Advice> {
        /// Structures are hardly larger; what is further apart is in another row.
        const LARGEST_STRUCTURE: u64 = 512;
        let access = self.access;
        let stride: u64 = access.stride.text.as_deref()?.trim_start_matches('-').parse().ok()?;
        if stride <= access.bytes || self.has_views_of_a_place() || self.goes_along_it(stride, values) {
            return None;
        }
        let object = &access.object;
        // Where others use the rest, this access alone leaves it out.
        let apart = match self.bytes_used_of_each(values) {
            used if used < stride => format!("threads are {stride} bytes apart and use {used} of them"),
            _ => format!("threads are {stride} bytes apart, and each access uses {} of them", access.bytes),
        };
        let (short, helps) = match stride {
            ..=LARGEST_STRUCTURE if self.bytes_used_of_each(values) > access.bytes => {
                (format!("store each member of {object} in an array of its own: {apart}"), "an array for each member")
            }
            ..=LARGEST_STRUCTURE => (
                format!(
                    "store what neighbouring threads use of {object} side by side (members in arrays of their own, rows transposed): {apart}"
                ),
                "if these are members of structures, an array for each member; if it is a row of an array, the array transposed",
            ),
            _ => (
                format!("let neighbouring threads go along the rows of {object}, or store it transposed: {apart}"),
                "letting neighbouring threads go along the row, or storing the array transposed",
            ),
        };
        Some(Advice::todo(Rule::Uncoalesced, short, format!("{apart}: {helps}")))
    }

    /// Whether a thread goes along what is between its neighbour and it in a loop, as in a row of a tile: one of as many iterations as sizes say, which are no
    /// members or components.
    fn goes_along_it(&self, stride: u64, values: &Values) -> bool {
        let at = |of, value| values.afresh().assumed(&self.access.address, &At { of, value }, Sizes::Counted);
        ancestors(self.access, self.region).into_iter().any(|each| {
            let is_short =
                || Some((at(each, 1)? - at(each, 0)?).unsigned_abs()).filter(|step| (1..stride.into()).contains(step));
            let is_by_sizes = each.trips.value.as_deref().is_some_and(|trips| trips.parse::<u64>().is_err());
            each.kind == LoopKind::Sequential && is_by_sizes && is_short().is_some()
        })
    }

    /// Whether accesses of several sizes use one place, as those of a union's members do, which cannot be stored apart.
    fn has_views_of_a_place(&self) -> bool {
        let access = self.access;
        self.region.accesses.iter().any(|other| {
            other.object == access.object && other.address == access.address && other.bytes != access.bytes
        })
    }

    /// Whether a thread uses all of the bytes between its neighbour and it, which lie in one sector or the next one.
    fn uses_all(&self, cost: &Cost, values: &Values) -> bool {
        let stride = match cost.changed {
            Some(Changed::Stride(stride) | Changed::Rows(stride)) => Some(stride),
            Some(_) => None,
            None => self.access.stride.text.as_deref().and_then(|stride| stride.parse().ok()),
        };
        let sector = i128::from(self.report.hardware.sector_bytes);
        stride.is_some_and(|stride| {
            let stride = stride.abs();
            (1..=sector).contains(&stride) && i128::from(self.bytes_used_of_each(values)) >= stride
        })
    }

    /// Bytes that a thread uses of what is between its neighbour and it, with all accesses to the object in all iterations of the loops that each
    /// thread runs, each byte once.
    fn bytes_used_of_each(&self, values: &Values) -> u64 {
        let stride = self.access.stride.text.as_deref().and_then(|stride| stride.parse::<i128>().ok()).map(i128::abs);
        let mut used: Vec<(i128, u64)> = Vec::new();
        let mut others: Vec<(&str, u64)> = Vec::new();
        for other in &self.region.accesses {
            if other.object != self.access.object || other.stride != self.access.stride {
                continue;
            }
            match stride.filter(|stride| *stride > 0).and_then(|stride| self.places(other, stride, values)) {
                Some(places) => used.extend(places.into_iter().map(|place| (place, other.bytes))),
                None => match others.iter_mut().find(|(address, _)| *address == other.address) {
                    Some((_, bytes)) => *bytes = other.bytes.max(*bytes),
                    None => others.push((&other.address, other.bytes)),
                },
            }
        }
        pieces(used, 1) + others.iter().map(|(_, bytes)| bytes).sum::<u64>()
    }

    /// Where an access begins in the bytes between a thread and its neighbour, in the iterations of the loops that move it by less than that.
    fn places(&self, access: &Access, stride: i128, values: &Values) -> Option<Vec<i128>> {
        const MOST: usize = 512;
        let at = |of, value| values.afresh().assumed(&access.address, &At { of, value }, Sizes::Counted);
        let around = ancestors(access, self.region);
        let first = at(around.first()?, 0)?;
        let mut places = vec![first];
        for each in around.into_iter().filter(|each| each.kind == LoopKind::Sequential) {
            let step = at(each, 1)? - first;
            let trips = each.trips.value.as_deref()?;
            let trips = values.afresh().assumed(trips, &At { of: each, value: 0 }, Sizes::Counted)?;
            if step == 0 || step.abs() >= stride {
                continue;
            }
            let count = trips.clamp(1, stride / step.abs() + 1);
            places = places.iter().flat_map(|place| (0..count).map(move |number| place + number * step)).collect();
            if places.len() > MOST {
                return None;
            }
        }
        Some(places.into_iter().map(|place| place.rem_euclid(stride)).collect())
    }

    /// Where nothing better is known.
    fn neighbours(&self, cost: &Cost) -> Option<Advice> {
        let stride = &self.access.stride;
        let is_one = matches!(stride.kind, StrideKind::Constant | StrideKind::Symbolic) && cost.changed.is_none();
        let stride = stride.text.as_deref().filter(|_| is_one);
        let stride = stride.map(|stride| format!(", not {stride} bytes apart")).unwrap_or_default();
        let object = &self.access.object;
        Some(Advice::same(
            Rule::Uncoalesced,
            format!("let neighbouring threads use neighbouring elements of {object}{stride}"),
        ))
    }

    /// Where no order of the loops suits all arrays.
    fn transposed(&self, values: &Values) -> Option<Advice> {
        // Where the plugin chose an order, it found none that is better.
        let is_best = self
            .region
            .transformation
            .as_ref()
            .is_some_and(|change| matches!(change.state, TransformationState::Best | TransformationState::Done));
        let suits = |access: &&Access| {
            Cost::of(access, self.region, &self.report.hardware, &values.afresh()).class == Class::Coalesced
        };
        // What nobody uses of the sectors between shared elements is no tile's either.
        if self.access.stride.kind == StrideKind::Vector {
            return None;
        }
        let object = &self.access.object;
        let other = self.region.accesses.iter().filter(|other| other.object != *object).find(suits)?;
        is_best.then(|| {
            Advice::todo(
                Rule::Uncoalesced,
                format!("move tiles of {object} through an array of the team (shared memory): no order of the loops suits both {object} and {}", other.object),
                format!(
                    "no order of the loops suits both {object} and {}: let a team load a tile into an array of its own (shared memory), and \
                     store it from there along the rows of {object}; or keep {object} transposed",
                    other.object
                ),
            )
        })
    }
}

/// One iteration number is set, the others are 0.
struct At<'a> {
    of: &'a Loop,
    value: i128,
}

impl Scope for At<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        Some(if is_index(self.of, name) { self.value } else { 0 })
    }
}
