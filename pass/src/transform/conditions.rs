//! A guard while it is put together: what must hold, for the kernel that tests it and in words.

use super::arguments::{Arguments, InSpace};
use super::guard::{Condition, Extent};
use super::limit::Limit;
use super::sum::Sum;
use crate::analysis::comparison;
use crate::analysis::dependences::Touched;
use crate::analysis::region::Analysis;
use ipda_models::report::{self, ConditionRole, ObstacleKind, Reason};
use ipda_models::versions::GuardCondition;
use ipda_symbolic::{AtomId, Polynomial};

/// Comparisons of a guard: more of them, as many arrays of which none may overlap another need, cost each compilation and each launch more
/// than most loops gain.
const MAX_CONDITIONS: usize = 256;

/// What must hold, as code tests it and as it is reported.
pub(super) type Required = (Condition, GuardCondition);

pub(super) struct Conditions<'a, 'b> {
    analysis: &'a Analysis<'b>,
    arguments: &'a Arguments,
    in_space: InSpace<'a>,
    /// Of two entries for one object the first says more.
    touched: &'a [Touched],
    pub guard: Vec<Condition>,
    /// The guard as it is reported.
    pub reported: Vec<GuardCondition>,
}

/// What is touched of an object.
struct Footprint {
    bytes: Extent,
    /// Where it is no more than that.
    needed: Vec<Required>,
    reported: report::Extent,
}

impl<'a, 'b> Conditions<'a, 'b> {
    pub(super) fn new(
        analysis: &'a Analysis<'b>,
        arguments: &'a Arguments,
        touched: &'a [Touched],
    ) -> Conditions<'a, 'b> {
        let in_space = arguments.in_space(&analysis.lowering.space);
        Conditions { analysis, arguments, in_space, touched, guard: Vec::new(), reported: Vec::new() }
    }

    /// That there are no more numbers than may be; none where it is not known when the region begins how many there are.
    pub(super) fn numbers_fit(&self, numbers: &Polynomial, limit: &Limit) -> Option<Required> {
        let left = Polynomial::from(limit.end - 1) - numbers;
        let condition = Condition::AtLeastZero(self.sum(&left)?);
        let words = format!("{} < {limit}", comparison::plain(&self.analysis.text(numbers)));
        Some((condition, self.reported(words, Some(&left), ConditionRole::OwnVersion)))
    }

    /// A number of the kernel's arguments; none where it is not known when the region begins.
    pub(super) fn sum(&self, value: &Polynomial) -> Option<Sum> {
        self.in_space.sum(value)
    }

    fn reported(&self, text: String, not_negative: Option<&Polynomial>, role: ConditionRole) -> GuardCondition {
        let not_negative = not_negative.map(|value| self.analysis.text(value));
        GuardCondition { text, not_negative, role: Some(role) }
    }

    /// Whether it can hold.
    pub(super) fn require(&mut self, (condition, reported): Required) -> bool {
        let constant = condition.as_constant();
        if constant.is_none() && !self.guard.contains(&condition) && !self.is_implied(&condition, &reported) {
            self.guard.push(condition);
            self.reported.push(reported);
        }
        constant != Some(false)
    }

    /// Whether one of the guard's conditions asks for as much. Those that ask for less give way.
    fn is_implied(&mut self, condition: &Condition, reported: &GuardCondition) -> bool {
        let Condition::AtLeastZero(sum) = condition else { return false };
        for at in (0..self.guard.len()).rev() {
            let Condition::AtLeastZero(other) = &self.guard[at] else { continue };
            match sum.more_than(other) {
                None => {}
                Some(more) if !more.is_negative() => return matters_no_less(&self.reported[at], reported),
                Some(_) if matters_no_less(reported, &self.reported[at]) => {
                    self.guard.remove(at);
                    self.reported.remove(at);
                }
                Some(_) => {}
            }
        }
        false
    }

    pub(super) fn not_negative(&self, value: &Polynomial, role: ConditionRole) -> Option<Required> {
        let words = at_least_zero(self.analysis, value);
        Some((Condition::AtLeastZero(self.sum(value)?), self.reported(words, Some(value), role)))
    }

    /// What shows that two objects have no byte in common, that last; none where it is not known what is touched of them.
    pub(super) fn apart(&self, objects: [AtomId; 2]) -> Option<Vec<Required>> {
        let [first, second] = objects.map(|object| self.footprint(object));
        let (first, second) = (first?, second?);
        let [a, b] = objects.map(|object| self.analysis.object_name(object));
        let role = ConditionRole::Apart { first: first.reported, second: second.reported };
        let words = self.reported(format!("{a} and {b} do not overlap"), None, role);
        let apart = (Condition::Apart(first.bytes, second.bytes), words);
        Some(first.needed.into_iter().chain(second.needed).chain([apart]).collect())
    }

    fn footprint(&self, object: AtomId) -> Option<Footprint> {
        let mut of_object = self.touched.iter().filter(|touched| touched.object == object);
        of_object.find_map(|Touched { bytes: (low, high), needed, .. }| {
            let needed = needed.iter().map(|condition| self.not_negative(condition, ConditionRole::Sizes));
            let reported = known_extent(self.analysis, self.arguments, object, (low, high));
            Some(Footprint {
                bytes: self.in_space.extent(low, high)?,
                needed: needed.collect::<Option<_>>()?,
                reported,
            })
        })
    }

    /// That the guard, and what copies are given, are computed exactly, and not more conditions than are tested; where that can be determined.
    pub(super) fn require_exact_sums(&mut self, sums: &[Sum]) -> Result<bool, Vec<Reason>> {
        if !self.arguments.require_exact(self.analysis, sums, &mut self.guard, &mut self.reported) {
            return Ok(false);
        }
        let count = self.guard.len();
        if count > MAX_CONDITIONS {
            let text = format!("it is right under {count} conditions, more than the {MAX_CONDITIONS} that are tested");
            return Err(vec![ObstacleKind::TooManyConditions.reason(text)]);
        }
        Ok(true)
    }
}

/// Whether a condition says to whoever writes the loops what another one does.
fn matters_no_less(condition: &GuardCondition, than: &GuardCondition) -> bool {
    let is_own = |of: &GuardCondition| matches!(of.role, Some(ConditionRole::Iterations | ConditionRole::OwnVersion));
    condition.role == than.role || is_own(than)
}

/// A polynomial that must not be negative, as a comparison of what is added with what is subtracted.
pub(super) fn at_least_zero(analysis: &Analysis<'_>, value: &Polynomial) -> String {
    comparison::not_negative(&analysis.lowering.space, value)
}

/// The bytes of an object between two addresses, from where its pointer leads.
fn known_extent(
    analysis: &Analysis<'_>,
    arguments: &Arguments,
    object: AtomId,
    (low, high): (&Polynomial, &Polynomial),
) -> report::Extent {
    let is_pointer = |atom: &AtomId| arguments.given(*atom).is_some_and(|given| given.is_pointer);
    let pointer = low.atoms().into_iter().find(is_pointer).map_or_else(Polynomial::zero, Polynomial::from);
    let text = |value: &Polynomial| comparison::plain(&analysis.text(value));
    report::Extent { array: analysis.object_name(object), low: text(&(low - &pointer)), size: text(&(high - low)) }
}
