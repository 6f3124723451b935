//! Versions of a region: what may run for one launch on the device.
//!
//! Version 0 is the region as it was written: it is always there, and it runs where no other version's guard holds. What the report lists are
//! the others.

use crate::report::{NamedLoop, Reason};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A version among those of its region, as text `v1`: by the number that `IPDA_VERSION` takes. Nests of one region that are changed together have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct VersionId(u8);

impl VersionId {
    /// The region as it was written.
    pub const AS_WRITTEN: VersionId = VersionId(0);

    /// The version with this number; that of the region as it was written is 0.
    pub const fn new(number: u8) -> VersionId {
        VersionId(number)
    }

    /// Its number.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for VersionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl From<VersionId> for String {
    fn from(id: VersionId) -> String {
        id.to_string()
    }
}

impl TryFrom<String> for VersionId {
    type Error = String;

    fn try_from(text: String) -> Result<VersionId, String> {
        let number = text.strip_prefix('v').and_then(|number| number.parse().ok()).map(VersionId);
        let written = number.filter(|id| id.to_string() == text);
        written.ok_or_else(|| format!("{text:.80} is no version, such as v1"))
    }
}

/// A version of a region beside the one that was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceVersion {
    /// Its number in the region.
    pub id: VersionId,
    /// Whether it is there.
    pub state: VersionState,
    /// How it came about, or would.
    pub recipe: Recipe,
    /// What it gains, or would gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
    /// What the kernel tests before it takes this version: all of it must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guard: Vec<GuardCondition>,
    /// What makes it right beside the guard, where it was made or could be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<Reason>,
    /// What stands in its way, where it was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// What a person could write instead, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
}

impl DeviceVersion {
    /// Whether it fuses a loop with others that another version fuses as well: they are versions of one loop nest.
    pub fn is_of_nest_of(&self, other: &DeviceVersion) -> bool {
        self.recipe.threads().iter().any(|named| other.recipe.threads().contains(named))
    }

    /// What becomes of places of arrays that inner loops load and store, as a clause; none of a version that moves loops.
    pub fn promotion_in_words(&self) -> Option<String> {
        let arrays = match self.recipe.promoted_arrays()? {
            [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
            all => all.concat(),
        };
        let verb = match self.state {
            VersionState::Made => "stays",
            VersionState::Possible => "could stay",
            VersionState::Left => "does not stay",
        };
        Some(format!("what inner loops load and store at one place of {arrays} {verb} in registers"))
    }

    /// Whether it was made or could be: nothing stands in its way.
    pub fn is_right(&self) -> bool {
        match self.state {
            VersionState::Made | VersionState::Possible => true,
            VersionState::Left => false,
        }
    }
}

/// Whether a version is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VersionState {
    /// The kernel has it.
    Made,
    /// It could be made, and the user asked for a report only.
    Possible,
    /// It would be better than what was written, and something stands in its way.
    Left,
}

/// A condition of a version's guard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardCondition {
    /// In words, such as `m >= 1`.
    pub text: String,
    /// What must not be negative, as an expression, such as `[m] - 1`, where the condition is that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_negative: Option<String>,
    /// What it is for; in reports that were made before there was this, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<ConditionRole>,
}

/// How a version came about: what was done with the region as it was written, in this order. Without a step it is that region.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Recipe(Vec<Step>);

/// What a recipe does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "step", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Loops are fused into the one whose iterations threads share.
    Fused {
        /// Those that make the number of a thread together, the slowest first.
        threads: Vec<NamedLoop>,
        /// Whether a loop was brought past others, and not only fused with the one around it.
        #[serde(default, skip_serializing_if = "crate::report::is_false")]
        is_interchange: bool,
        /// How many neighbouring iterations of each of them the lanes of a warp run, where they are a tile of several; else none, and they run along
        /// the last one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lanes: Vec<u32>,
    },
    /// Loops that a clause collapsed to the one whose iterations threads share change places in a thread's number.
    Reordered {
        /// All of them, the slowest first.
        threads: Vec<NamedLoop>,
        /// The loop that they are, and how far it leads from one thread to the next; in reports that were made before there was this, none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        neighbours: Option<Neighbours>,
        /// As of fused loops.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        lanes: Vec<u32>,
    },
    /// Digits of the loops' iteration numbers make the number of a thread, and each thread runs through others by itself, as somebody asked for.
    Mapped {
        /// The loops, by the places of their first digits, those that make no digit of the number last.
        threads: Vec<NamedLoop>,
        /// The digits that make the number of a thread together, the slowest first, as `i/8`: eight iterations of `i` in each thread.
        digits: Vec<String>,
        /// Those that a thread runs through, the outermost first, as `i%8`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        inside: Vec<String>,
        /// How many iterations of each loop a thread has, where they are a tile as OpenMP's `tile` makes it; else none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tile: Vec<u32>,
        /// The loop of which the threads of a warp, or those of a row in it, have iterations at an even distance, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        neighbours: Option<Neighbours>,
        /// The lanes of a warp along each digit, the slowest first, where all warps are such a tile of several digits; else none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warp: Vec<LanesAlong>,
    },
    /// The loops stay as they are. What an innermost loop loads and stores at one place of an array stays in a register meanwhile (scalar promotion),
    /// as nothing else that it touches may be there.
    Promoted {
        /// The loop that threads share.
        threads: Vec<NamedLoop>,
        /// The arrays.
        arrays: Vec<String>,
    },
}

/// Neighbouring threads of a row, in a loop whose iterations they share in another order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Neighbours {
    /// The loop.
    pub of: NamedLoop,
    /// How many of its iterations they are apart: an expression, such as `[ny]`.
    pub apart: String,
    /// The same of neighbours along each of the loops, the slowest first, where lanes are tiles of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub along_each: Vec<String>,
}

/// Lanes of a warp that have iterations of a loop at an even distance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LanesAlong {
    /// The loop.
    pub of: NamedLoop,
    /// How many.
    pub lanes: u32,
    /// How many of its iterations they are apart.
    pub apart: String,
}

/// In which order fused loops make the number of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FusedOrder {
    /// The innermost as written is the fastest.
    AsWritten,
    /// Another one.
    Interchanged,
}

impl Recipe {
    /// The [names](Recipe::name) of those that make another mapping of loops, without digits that a text asks for.
    pub const NAMES_OF_MAPPINGS: [&'static str; 3] = ["fused", "reordered", "lanes"];

    /// Loops are fused, and nothing else is done.
    pub fn fused(threads: Vec<NamedLoop>, order: FusedOrder) -> Recipe {
        let is_interchange = order == FusedOrder::Interchanged;
        Recipe(vec![Step::Fused { threads, is_interchange, lanes: Vec::new() }])
    }

    /// Loops that a clause collapsed change places, and nothing else is done.
    pub fn reordered(threads: Vec<NamedLoop>, neighbours: Option<Neighbours>) -> Recipe {
        Recipe(vec![Step::Reordered { threads, neighbours, lanes: Vec::new() }])
    }

    /// The same with tiles of lanes: so many neighbouring iterations of each loop.
    #[must_use]
    pub fn with_lanes(mut self, tile: Vec<u32>) -> Recipe {
        for step in &mut self.0 {
            if let Step::Fused { lanes, .. } | Step::Reordered { lanes, .. } = step {
                lanes.clone_from(&tile);
            }
        }
        self
    }

    /// Threads run digits of the loops' iteration numbers, and nothing else is done: a step [`Mapped`](Step::Mapped).
    pub fn mapped(step: Step) -> Recipe {
        Recipe(vec![step])
    }

    /// The loops around and inside of one that threads share stay as they are, and places of arrays stay in registers.
    pub fn promoted(shared: NamedLoop, arrays: Vec<String>) -> Recipe {
        Recipe(vec![Step::Promoted { threads: vec![shared], arrays }])
    }

    /// What is done with several loops of one region, each by a recipe of its own.
    pub fn together<'a>(recipes: impl IntoIterator<Item = &'a Recipe>) -> Recipe {
        Recipe(recipes.into_iter().flat_map(|recipe| recipe.0.clone()).collect())
    }

    /// What is done, in this order.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The loops that make the number of a thread together, the slowest first; none where none were fused.
    pub fn threads<'a>(&'a self) -> &'a [NamedLoop] {
        let threads = |step: &'a Step| match step {
            Step::Fused { threads, .. }
            | Step::Reordered { threads, .. }
            | Step::Mapped { threads, .. }
            | Step::Promoted { threads, .. } => &threads[..],
        };
        self.0.iter().map(threads).next().unwrap_or_default()
    }

    /// Whether a loop was brought past others, and not only fused with the one around it.
    pub fn is_interchange(&self) -> bool {
        self.0.iter().any(|step| match step {
            Step::Fused { is_interchange, .. } => *is_interchange,
            Step::Reordered { lanes, .. } => lanes.is_empty(),
            Step::Mapped { .. } | Step::Promoted { .. } => false,
        })
    }

    /// Whether the loops that a clause collapsed change places, and no other is fused with them.
    pub fn is_order_of_collapsed(&self) -> bool {
        matches!(self.0[..], [Step::Reordered { .. }])
    }

    /// How many neighbouring iterations of each of the loops that make the number of a thread the lanes of a warp run, where these are a tile of
    /// several loops; else none.
    pub fn lanes(&self) -> &[u32] {
        self.0.iter().map(Step::lanes).find(|lanes| !lanes.is_empty()).unwrap_or_default()
    }

    /// The mapping by digits, as `i/8 j | i%8`, where it is one.
    pub fn digits_in_words(&self) -> Option<String> {
        match &self.0[..] {
            [step @ Step::Mapped { .. }] => Some(step.digits_in_words()),
            _ => None,
        }
    }

    /// How many iterations a thread runs through by digits of its own, at most: 1 where it has none. None where that is no number.
    pub fn own_iterations(&self) -> Option<u64> {
        let [Step::Mapped { inside, .. }] = &self.0[..] else { return Some(1) };
        let count = |digit: &String| digit.split_once('%')?.1.parse().ok();
        inside.iter().try_fold(1_u64, |all, digit| all.checked_mul(count(digit)?))
    }

    /// How many iterations of each of its loops a thread has, where they are a tile as OpenMP's `tile` makes it; else none.
    pub fn sequential_tile(&self) -> &[u32] {
        match &self.0[..] {
            [Step::Mapped { tile, .. }] => tile,
            _ => &[],
        }
    }

    /// The loops that make the number of a thread and the lanes along each, as `i j lanes 4x8`.
    pub fn threads_in_words(&self) -> String {
        if let Some(digits) = self.digits_in_words() {
            return digits;
        }
        let names: Vec<&str> = self.threads().iter().map(|entry| &entry.name[..]).collect();
        let lanes: Vec<String> = self.lanes().iter().map(u32::to_string).collect();
        let tile = if lanes.is_empty() { String::new() } else { format!(" lanes {}", lanes.join("x")) };
        names.join(" ") + &tile
    }

    /// The arrays of which places stay in registers, where the loops stay as they are.
    pub fn promoted_arrays(&self) -> Option<&[String]> {
        match &self.0[..] {
            [Step::Promoted { arrays, .. }] => Some(arrays),
            _ => None,
        }
    }

    /// What iterations a warp runs, or a thread, in words that follow the loops: `, a warp on a tile of 4 x 8 iterations`, ` by i/8 j | i%8`; empty where a
    /// warp runs along one loop.
    pub fn tiles_in_words(&self) -> String {
        if let Some(digits) = self.digits_in_words() {
            return format!(" by {digits}");
        }
        match self.lanes() {
            [] => String::new(),
            lanes => format!(", a warp on a tile of {} iterations", in_words(lanes)),
        }
    }

    /// What is done with the loops, as a participle: `collapsed`, `interchanged`, `mapped`.
    pub fn participle(&self) -> &'static str {
        if self.digits_in_words().is_some() {
            return "mapped";
        }
        match (self.is_order_of_collapsed(), self.lanes().is_empty()) {
            (true, true) => "interchanged",
            (true, false) => "tiled",
            (false, true) if self.is_interchange() => "interchanged and collapsed",
            (false, true) => "collapsed",
            (false, false) if self.is_interchange() => "interchanged, collapsed and tiled",
            (false, false) => "collapsed and tiled",
        }
    }

    /// A name for programs, which stays the same: `as-written`, `fused`, `reordered`, `lanes`, `mapped`, `promoted`. What is done with several loops is named once.
    pub fn name(&self) -> String {
        let mut names: Vec<&str> = self.0.iter().map(Step::name).collect();
        names.dedup();
        if names.is_empty() { "as-written".into() } else { names.join("+") }
    }

    /// The same with other names of loops, and expressions in other words.
    #[must_use]
    pub fn renamed(self, name: impl Fn(&NamedLoop) -> String, text: impl Fn(&str) -> String) -> Recipe {
        let renamed = |named: NamedLoop| NamedLoop { name: name(&named), ..named };
        let neighbours_renamed = |Neighbours { of, apart, along_each }: Neighbours| Neighbours {
            of: renamed(of),
            apart: text(&apart),
            along_each: along_each.iter().map(|each| text(each)).collect(),
        };
        let digit = |digit: &String, threads: &[NamedLoop]| {
            let (of, rest) = digit.split_at(digit.find(['/', '%']).unwrap_or(digit.len()));
            threads.iter().find(|named| named.name == of).map_or_else(|| digit.clone(), |named| name(named) + rest)
        };
        let step = |step| match step {
            Step::Fused { threads, is_interchange, lanes } => {
                Step::Fused { threads: threads.into_iter().map(renamed).collect(), is_interchange, lanes }
            }
            Step::Reordered { threads, neighbours, lanes } => Step::Reordered {
                threads: threads.into_iter().map(renamed).collect(),
                lanes,
                neighbours: neighbours.map(neighbours_renamed),
            },
            Step::Mapped { threads, digits, inside, tile, neighbours, warp } => Step::Mapped {
                digits: digits.iter().map(|each| digit(each, &threads)).collect(),
                inside: inside.iter().map(|each| digit(each, &threads)).collect(),
                threads: threads.into_iter().map(renamed).collect(),
                tile,
                neighbours: neighbours.map(neighbours_renamed),
                warp: warp.into_iter().map(|along| LanesAlong { of: renamed(along.of), ..along }).collect(),
            },
            Step::Promoted { threads, arrays } => {
                Step::Promoted { threads: threads.into_iter().map(renamed).collect(), arrays }
            }
        };
        Recipe(self.0.into_iter().map(step).collect())
    }
}

impl Step {
    fn digits_in_words(&self) -> String {
        match self {
            Step::Mapped { digits, inside, .. } if inside.is_empty() => digits.join(" "),
            Step::Mapped { digits, inside, .. } => format!("{} | {}", digits.join(" "), inside.join(" ")),
            Step::Fused { .. } | Step::Reordered { .. } | Step::Promoted { .. } => String::new(),
        }
    }

    /// The loop that those which change places are together, and how far neighbouring threads of a row are apart in it.
    pub fn neighbours(&self) -> Option<&Neighbours> {
        match self {
            Step::Fused { .. } | Step::Promoted { .. } => None,
            Step::Reordered { neighbours, .. } | Step::Mapped { neighbours, .. } => neighbours.as_ref(),
        }
    }

    /// The lanes of a warp along each digit of a mapping, where that is a tile of several; else none.
    pub fn warp(&self) -> &[LanesAlong] {
        match self {
            Step::Mapped { warp, .. } => warp,
            Step::Fused { .. } | Step::Reordered { .. } | Step::Promoted { .. } => &[],
        }
    }

    /// As of a recipe.
    pub fn lanes(&self) -> &[u32] {
        match self {
            Step::Fused { lanes, .. } | Step::Reordered { lanes, .. } => lanes,
            Step::Mapped { .. } | Step::Promoted { .. } => &[],
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Step::Fused { lanes, .. } | Step::Reordered { lanes, .. } if !lanes.is_empty() => "lanes",
            Step::Fused { .. } => "fused",
            Step::Reordered { .. } => "reordered",
            Step::Mapped { .. } => "mapped",
            Step::Promoted { .. } => "promoted",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Fused { threads, .. } => {
                let names: Vec<&str> = threads.iter().map(|named| &named.name[..]).collect();
                write!(f, "loops {} fused", names.join(", "))?;
            }
            Step::Reordered { threads, .. } => {
                let names: Vec<&str> = threads.iter().map(|named| &named.name[..]).collect();
                write!(f, "loops in the order {}", names.join(", "))?;
            }
            Step::Mapped { .. } => write!(f, "threads by {}", self.digits_in_words())?,
            Step::Promoted { arrays, .. } => write!(f, "{} kept in registers", arrays.join(", "))?,
        }
        match self.lanes() {
            [] => Ok(()),
            lanes => write!(f, ", tiles of {} lanes", in_words(lanes)),
        }
    }
}

/// `4 x 8`.
fn in_words(lanes: &[u32]) -> String {
    lanes.iter().map(u32::to_string).collect::<Vec<_>>().join(" x ")
}

impl fmt::Display for Recipe {
    /// For people: `as written`, `loops i, j fused`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [] => f.write_str("as written"),
            steps => f.write_str(&steps.iter().map(Step::to_string).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// What a condition of a changed loop nest is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "for", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ConditionRole {
    /// A loop of the nest runs: where it fails, that loop has no iteration, and what stands in all loops of the nest never runs.
    Iterations,
    /// The plugin's own version: that its numbers and what it tests are computed exactly, or that there are so few threads that it
    /// pays. Whoever writes the loops in this order needs none of it.
    OwnVersion,
    /// The result, by sizes.
    Sizes,
    /// The result: these bytes of two arrays are apart.
    Apart {
        /// Of one of them.
        first: Extent,
        /// Of the other one.
        second: Extent,
    },
}

/// The bytes of an array that a region may access, in the form of conditions (`8*n*m`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// The array's name.
    pub array: String,
    /// The first byte's distance from the place that the array's pointer leads to.
    pub low: String,
    /// How many bytes from there on; none where it is less than 1.
    pub size: String,
}

/// The sectors that a warp touches and the threads that share the work, where each size that nothing is known of is
/// [`Sizes::Compared`](crate::sizes::Sizes).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gain {
    /// In one iteration of the innermost loop, as written; other accesses are spread over these iterations.
    pub sectors_before: f64,
    /// The same in the better order.
    pub sectors_after: f64,
    /// Threads among which the work is shared, as written.
    pub threads_before: f64,
    /// The same in the better order.
    pub threads_after: f64,
    /// The innermost loop, where it runs in each thread; else the counts are for one iteration of each thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_iteration_of: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written() {
        for number in [0, 1, 42, u8::MAX] {
            let id = VersionId::new(number);
            assert_eq!(VersionId::try_from(id.to_string()), Ok(id));
        }
        for wrong in ["", "v", "1", "v01", "v+1", "v256", "version 1"] {
            assert!(VersionId::try_from(wrong.to_owned()).unwrap_err().contains("is no version"), "{wrong}");
        }
    }

    #[test]
    fn recipes_have_names_for_people_and_for_programs() {
        let named = |name: &str| NamedLoop { name: name.into(), location: None };
        let fused = Recipe::fused(vec![named("i"), named("j")], FusedOrder::Interchanged);
        assert_eq!((fused.to_string().as_str(), fused.name().as_str()), ("loops i, j fused", "fused"));
        assert_eq!(fused.participle(), "interchanged and collapsed");
        let neighbours = Neighbours { of: named("x, y"), apart: "[ny]".into(), along_each: vec!["1".into()] };
        let reordered = Recipe::reordered(vec![named("y"), named("x")], Some(neighbours));
        assert_eq!(
            (reordered.to_string().as_str(), reordered.name().as_str()),
            ("loops in the order y, x", "reordered")
        );
        assert_eq!((reordered.participle(), reordered.is_order_of_collapsed()), ("interchanged", true));
        let tiled = fused.clone().with_lanes(vec![4, 8]);
        assert_eq!(
            (tiled.to_string().as_str(), tiled.name().as_str()),
            ("loops i, j fused, tiles of 4 x 8 lanes", "lanes")
        );
        assert_eq!((tiled.lanes(), fused.lanes()), (&[4, 8][..], &[][..]));
        assert_eq!(tiled.participle(), "interchanged, collapsed and tiled");
        assert_eq!(tiled.tiles_in_words(), ", a warp on a tile of 4 x 8 iterations");
        let mapped = |inside: &[&str]| {
            let inside = inside.iter().map(|digit| (*digit).to_owned()).collect();
            let (digits, threads) = (vec!["j".to_owned()], vec![named("j"), named("i")]);
            Recipe::mapped(Step::Mapped {
                threads,
                digits,
                inside,
                tile: Vec::new(),
                neighbours: None,
                warp: Vec::new(),
            })
        };
        assert_eq!(mapped(&["i/8%4", "i%8"]).own_iterations(), Some(32));
        assert_eq!((mapped(&["i"]).own_iterations(), mapped(&["i%rest"]).own_iterations()), (None, None));
        assert_eq!((fused.own_iterations(), mapped(&[]).own_iterations()), (Some(1), Some(1)));
        let promoted = Recipe::promoted(named("i"), vec!["x1".into(), "x2".into()]);
        assert_eq!((promoted.to_string().as_str(), promoted.name().as_str()), ("x1, x2 kept in registers", "promoted"));
        assert_eq!((promoted.threads(), promoted.is_interchange()), (&[named("i")][..], false));
        assert_eq!(fused.promoted_arrays(), None);
        let together = Recipe::together([&fused, &fused, &reordered]);
        assert_eq!(together.name(), "fused+reordered");
        assert_eq!(together.to_string(), "loops i, j fused, loops i, j fused, loops in the order y, x");
        assert_eq!(Recipe::default().to_string(), "as written");
        assert_eq!(Recipe::default().name(), "as-written");
        let upper = |recipe: Recipe| recipe.renamed(|named| named.name.to_uppercase(), str::to_uppercase);
        let renamed = upper(fused);
        assert_eq!(renamed.threads(), [named("I"), named("J")]);
        assert!(renamed.is_interchange());
        let neighbours = Neighbours { of: named("X, Y"), apart: "[NY]".into(), along_each: vec!["1".into()] };
        assert_eq!(upper(reordered).steps()[0].neighbours(), Some(&neighbours));
    }
}
