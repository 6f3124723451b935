//! A summary with values.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

use ipda_symbolic::{AtomId, Polynomial, Space};
use thiserror::Error;

use super::value::{Point, Scope, atoms_in, number, value};
use super::walks::OfLoop;
use super::{Condition, Handout, Likely, LoopSummary, MapSummary, RegionSummary, size_name, trips_name};
use crate::form::{Leaf, Num};
use crate::gpu::thesis;
use crate::report::TripsLaw;
use crate::sizes::Sizes;
use crate::spread::Cause;

/// Iterations of a loop of which nobody can say how many it has: the thesis's number.
pub const TRIPS_WITHOUT_A_VALUE: f64 = Sizes::Counted.value() as f64;

/// How often a condition holds of which nobody can say when: the thesis's share.
pub(super) const UNCLEAR: f64 = thesis::TAKEN;

/// Values by name: of variables (`n`), or of what else an expression shows that is not known (`load4([first])`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bindings(Vec<(String, f64)>);

impl Bindings {
    /// These values.
    pub fn new(values: impl IntoIterator<Item = (String, f64)>) -> Bindings {
        Bindings(values.into_iter().collect())
    }

    /// The same with one more, which wins.
    pub fn with(&self, name: &str, value: f64) -> Bindings {
        let others = self.0.iter().filter(|(other, _)| other != name).cloned();
        Bindings(others.chain([(name.to_owned(), value)]).collect())
    }

    /// Names and values.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// Values without which nothing can be predicted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the prediction of {function} at {place} needs the values of captured variables: give {}", options(names))]
pub struct MissingValues {
    /// The region's function.
    pub function: String,
    /// Where it is.
    pub place: String,
    /// The variables.
    pub names: Vec<String>,
}

fn options(names: &[String]) -> String {
    names.iter().map(|name| format!("-D {name}=..")).collect::<Vec<_>>().join(" ")
}

/// A summary with values for everything that predictions need.
#[derive(Debug)]
pub struct Bound<'a> {
    pub(super) summary: &'a RegionSummary,
    /// By atom.
    pub(super) values: Vec<Option<Num>>,
    pub(super) known: Known,
    /// A loop whose iterations the launch says, and how many.
    pub(super) launched: Option<(usize, Num)>,
    /// What counts where the launch does not find in memory what it needs.
    pub(super) unread: Option<Unread>,
    /// What loops do with rows.
    pub(super) of_loops: OnceCell<Vec<OfLoop>>,
    notes: RefCell<Vec<String>>,
    /// Of which loops the iterations are guessed, and how many.
    guesses: RefCell<Vec<String>>,
    /// Why times may be off, on host and device alike.
    causes: RefCell<BTreeSet<Cause>>,
}

/// When the values are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// They are numbers.
    Now,
    /// They are leaves of a form that is being recorded.
    Later,
}

/// What a prediction rests on where a launch does not find the values that it needs in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unread {
    /// 1 where one is not found, else 0.
    pub(super) any: Num,
    /// The square of the spread that comes from what counts instead.
    pub(super) square: f64,
}

impl RegionSummary {
    /// Gives the summary values.
    ///
    /// # Errors
    /// The variables that still have none.
    pub fn bind(&mut self, bindings: &Bindings) -> Result<Bound<'_>, MissingValues> {
        let mut values: Vec<Option<f64>> = Vec::new();
        for (name, value) in &bindings.0 {
            // A name that this region does not have may be another's.
            for atom in self.atoms_named(name) {
                values.resize(values.len().max(atom.index() + 1), None);
                // Fewer iterations than none are none.
                values[atom.index()] = Some(if self.is_count(atom) { value.max(0.0) } else { *value });
            }
        }
        let names = self.missing(&values);
        if names.is_empty() {
            let notes = RefCell::new(self.notes.clone());
            let values = values.into_iter().map(|value| value.map(Num::given)).collect();
            let given = |of: &usize| bindings.0.iter().rfind(|(name, _)| *name == trips_name(&self.loops[*of].name));
            let launched = self.loop_of_launch().and_then(|of| Some((of, Num::given(given(&of)?.1))));
            let causes = RefCell::new(self.causes());
            let bound = Bound { notes, causes, ..Bound::with_values(self, values, Known::Now) };
            Ok(bound.known_from_launch(launched).with_values_in_memory().with_values_of_slopes())
        } else {
            Err(MissingValues { function: self.function.clone(), place: self.place.clone(), names })
        }
    }

    /// Gives the captured variables that predictions need values that are known later.
    pub(crate) fn bind_later(&self) -> Bound<'_> {
        let needed = self.names();
        let mut values: Vec<Option<Num>> = Vec::new();
        for input in self.inputs.iter().filter(|input| needed.contains(&input.name)) {
            values.resize(values.len().max(input.atom.index() + 1), None);
            let leaf = Num::leaf(Leaf::Captured(input.name.clone()));
            values[input.atom.index()] = Some(if self.is_count(input.atom) { leaf.max(0.0) } else { leaf });
        }
        let notes = RefCell::new(self.notes.clone());
        let causes = RefCell::new(self.causes());
        let bound = Bound { notes, causes, ..Bound::with_values(self, values, Known::Later) };
        let launched = self.loop_of_launch().filter(|of| bound.is_in_memory(*of));
        let leaf = |of: usize| Num::leaf(Leaf::Captured(trips_name(&self.loops[of].name)));
        bound.known_from_launch(launched.map(|of| (of, leaf(of)))).with_values_in_memory().with_values_of_slopes()
    }

    /// Why times may be off whatever the values are.
    fn causes(&self) -> BTreeSet<Cause> {
        self.calls_are_unseen.then_some(Cause::UnseenCalls).into_iter().collect()
    }

    /// Whether a loop runs as many iterations as the variable says, so that a negative value is as good as 0.
    pub(super) fn is_count(&self, variable: AtomId) -> bool {
        self.loops.iter().any(|l| l.trips.as_ref().is_ok_and(|trips| grows_with(trips, variable)))
    }

    /// The names that a value can be given to: variables, and loaded values that numbers of iterations depend on.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for atom in self.expressions().flat_map(|p| atoms_in(&self.space, p)) {
            let name = match self.inputs.iter().find(|input| input.atom == atom) {
                Some(input) if input.is_pointer => continue,
                Some(input) => input.name.clone(),
                None => continue,
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn missing(&self, values: &[Option<f64>]) -> Vec<String> {
        let has_none = |input: &&super::Input| values.get(input.atom.index()).copied().flatten().is_none();
        let needed = self.names();
        self.inputs
            .iter()
            .filter(|input| needed.contains(&input.name))
            .filter(has_none)
            .map(|input| input.name.clone())
            .collect()
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Polynomial> {
        let chunks = self.loops.iter().filter_map(|l| match &l.schedule {
            Handout::InTurn(length) | Handout::Dynamic(length) => Some(length),
            Handout::Default | Handout::Block | Handout::Guided | Handout::Other(_) => None,
        });
        let trips = self.loops.iter().filter_map(LoopSummary::bound);
        let addresses = self.accesses.iter().filter_map(|access| access.address.as_ref().ok());
        let conditions =
            self.accesses.iter().flat_map(|access| &access.conditions).filter_map(|condition| match condition {
                Condition::Holds(p) | Condition::HoldsNot(p) => Some(p),
                Condition::InOneOf(..) | Condition::Unclear => None,
            });
        let maps = self.maps.iter().filter_map(|map| map.bytes.as_ref().ok());
        let clauses = [&self.clauses.num_teams, &self.clauses.thread_limit, &self.clauses.num_threads];
        let parts = || self.device_code.iter().flat_map(|code| &code.parts);
        let in_lockstep = parts().filter_map(|part| part.lockstep.as_ref());
        let in_lockstep = in_lockstep.flat_map(|lockstep| lockstep.apart.iter().chain([&lockstep.trips]));
        let device = parts().filter_map(|part| part.executions.as_ref().ok()).chain(in_lockstep);
        let host = self.host_code.iter().flat_map(|code| &code.parts).filter_map(|part| part.executions.as_ref().ok());
        trips
            .chain(addresses)
            .chain(chunks)
            .chain(conditions)
            .chain(maps)
            .chain(clauses.into_iter().flatten())
            .chain(device)
            .chain(host)
    }
}

/// How many iterations a loop runs on average that is left at any of so many iterations: what is looked for is as likely at each place.
pub(super) fn half_of(most: Num) -> Num {
    most.min((most + 1.0) / 2.0).max(0.0)
}

/// Whether so many iterations are none where the variable is negative: it is the only one but for factors.
fn grows_with(trips: &Polynomial, atom: AtomId) -> bool {
    let mut terms = trips.terms().filter(|(monomial, _)| monomial.powers().next().is_some());
    let Some((monomial, factor)) = terms.next() else { return false };
    let is_there = monomial.powers().any(|(own, _)| own == atom);
    is_there && number(factor) > 0.0 && terms.next().is_none()
}

/// Values of variables, and of iteration numbers at a point.
pub(super) struct At<'a> {
    bound: &'a Bound<'a>,
    point: &'a Point,
}

impl Scope for At<'_> {
    fn given(&self, _: &Space, atom: AtomId) -> Option<Num> {
        let here = self.point.iter().rev().find(|(index, _)| *index == atom).map(|(_, number)| *number);
        here.or_else(|| self.bound.given(atom))
    }
}

impl<'a> Bound<'a> {
    pub(super) fn with_values(summary: &'a RegionSummary, values: Vec<Option<Num>>, known: Known) -> Bound<'a> {
        Bound {
            summary,
            values,
            known,
            launched: None,
            unread: None,
            of_loops: OnceCell::new(),
            notes: RefCell::default(),
            guesses: RefCell::default(),
            causes: RefCell::default(),
        }
    }
}

impl Bound<'_> {
    /// The region.
    pub fn summary(&self) -> &RegionSummary {
        self.summary
    }

    /// What was assumed so far.
    pub fn notes(&self) -> Vec<String> {
        self.notes.borrow().clone()
    }

    /// The guesses among them, without their reasons.
    pub(crate) fn guesses(&self) -> Vec<String> {
        self.guesses.borrow().clone()
    }

    /// Takes what was assumed of the same region in other loops.
    pub(super) fn assume_as(&self, other: &Bound<'_>) {
        other.notes().into_iter().for_each(|note| self.note(note));
        self.causes.borrow_mut().extend(other.causes());
        for guess in other.guesses() {
            let mut guesses = self.guesses.borrow_mut();
            if !guesses.contains(&guess) {
                guesses.push(guess);
            }
        }
    }

    pub(super) fn guess(&self, guess: String, why: &str) {
        self.note(format!("{guess}: {why}"));
        let mut guesses = self.guesses.borrow_mut();
        if !guesses.contains(&guess) {
            guesses.push(guess);
        }
    }

    pub(crate) fn note(&self, text: impl Into<String>) {
        let text = text.into();
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&text) {
            notes.push(text);
        }
    }

    /// Why times may be off, as far as was found while they were computed.
    pub(crate) fn causes(&self) -> Vec<Cause> {
        self.causes.borrow().iter().copied().collect()
    }

    pub(crate) fn rests_on(&self, cause: Cause) {
        self.causes.borrow_mut().insert(cause);
    }

    /// The value that a person gave an atom.
    pub(super) fn given(&self, atom: AtomId) -> Option<Num> {
        self.values.get(atom.index()).copied().flatten()
    }

    /// The value of an expression at a point, or what has none.
    pub(crate) fn at(&self, p: &Polynomial, point: &Point) -> Result<Num, AtomId> {
        value(&self.summary.space, p, &At { bound: self, point })
    }

    /// The iterations of a loop at a point of those around.
    pub(crate) fn trips(&self, of: usize, point: &Point) -> Num {
        let l = &self.summary.loops[of];
        let unknown = |why: String| {
            self.rests_on(Cause::UnknownCount);
            match self.way(of, point) {
                Some(way) => {
                    let allowed = "runs on average as many iterations as its row or array allows";
                    self.guess(format!("loop {} {allowed}, at most {TRIPS_WITHOUT_A_VALUE}", l.name), &why);
                    way.min(TRIPS_WITHOUT_A_VALUE)
                }
                None => {
                    self.guess(format!("loop {} runs {TRIPS_WITHOUT_A_VALUE} iterations", l.name), &why);
                    Num::new(TRIPS_WITHOUT_A_VALUE)
                }
            }
        };
        let unknown = |why: String| match self.places_probed(of) {
            Some((object, places)) => {
                self.rests_on(Cause::Probes);
                let (at_most, mean) = (TRIPS_WITHOUT_A_VALUE, TRIPS_WITHOUT_A_VALUE.sqrt());
                let probes = "each as likely at double as at half, so that";
                self.guess(
                    format!(
                        "loop {} ends after 1 to {at_most} iterations, {probes} {mean:.0} are counted, and no more than half of the places of {object}",
                        l.name
                    ),
                    &why,
                );
                half_of(places).min(mean)
            }
            None => unknown(why),
        };
        if let Some((_, reported)) = self.launched.filter(|(launched, _)| *launched == of) {
            return reported;
        }
        match &l.trips {
            Ok(trips) => match self.at(trips, point) {
                Ok(trips) => trips.max(0.0),
                Err(atom) => self.mean_of_rows(of, point).unwrap_or_else(|| {
                    let name = self.summary.space.display(&atom.into()).to_string();
                    unknown(format!("nobody said what {name} is (-D '{name}=..' does)"))
                }),
            },
            Err(_) if let Some(trips) = self.halvings(of, point) => trips,
            Err(reason) if let Some(trips) = self.likely(of, point, reason) => trips,
            Err(reason) => match l.at_most.as_ref().and_then(|most| self.at(most, point).ok()) {
                Some(most) => {
                    self.note(format!("loop {} runs half as many iterations as it can: {reason}", l.name));
                    self.rests_on(Cause::LeftEarly);
                    half_of(most)
                }
                None => self.mean_of_rows(of, point).unwrap_or_else(|| unknown(reason.clone())),
            },
        }
    }

    /// The iterations of a loop that ends where its numbers are in order: each of its variables holds but so many.
    fn likely(&self, of: usize, point: &Point, why: &str) -> Option<Num> {
        let l = &self.summary.loops[of];
        let Likely { law, of, base, bits, is_left_early } = l.likely.as_ref()?;
        let bits_of_base = base.log2();
        // A hair more, so that interpolation and rounding do not lead below a whole number.
        let logarithm = |value: Num, by: f64| (value.log2() * (1.0 / by) + 0.01).floor() + 1.0;
        let trips = match (law, self.at(of, point)) {
            (TripsLaw::Number, Ok(value)) => {
                self.note(format!("loop {} runs as its step leads, which is taken to be above 0", l.name));
                value.max(0.0)
            }
            (TripsLaw::Logarithm, Ok(value)) => logarithm(value, bits_of_base) * value.at_least(1.0).number(),
            (TripsLaw::Root, Ok(value)) => value.root().floor(),
            (TripsLaw::Bits, Ok(value)) => {
                self.rests_on(Cause::UnknownCount);
                self.guess(format!("loop {} runs for half of the bits that its number has", l.name), why);
                logarithm(value, 1.0) * value.at_least(1.0).number() / 2.0
            }
            (TripsLaw::Logarithm | TripsLaw::Bits, Err(_)) => {
                let most = (bits / bits_of_base).floor();
                self.rests_on(Cause::UnknownCount);
                self.guess(
                    format!("loop {} runs half as many iterations as its variable has room for, {most}", l.name),
                    why,
                );
                half_of(most.into())
            }
            (TripsLaw::Number | TripsLaw::Root, Err(_)) => return None,
        };
        if *is_left_early {
            self.note(format!("loop {} runs half as many iterations as it can: {why}", l.name));
            self.rests_on(Cause::LeftEarly);
        }
        Some(if *is_left_early { half_of(trips) } else { trips })
    }

    /// The iterations of a loop that halves a range in each: the logarithm of how many places that has, which may be those of a row, and one to see that none is left.
    fn halvings(&self, of: usize, point: &Point) -> Option<Num> {
        let l = &self.summary.loops[of];
        let range = l.halved.as_ref()?;
        let places = match self.at(range, point) {
            Ok(places) => places,
            Err(_) => self.mean_of_row_between(range, point).or_else(|| Some(self.places_probed(of)?.1))?,
        };
        self.note(format!("loop {} halves the places that it searches in each iteration, until none is left", l.name));
        Some((places + 1.0).log2().max(1.0))
    }

    /// How likely all conditions hold at a point.
    pub(crate) fn chance(&self, conditions: &[Condition], point: &Point) -> Num {
        let of = |condition: &Condition| match condition {
            Condition::Holds(p) => self.at(p, point).map(|value| (!value.is(0.0)).number()).ok(),
            Condition::HoldsNot(p) => self.at(p, point).map(|value| value.is(0.0).number()).ok(),
            Condition::InOneOf(of, all) => {
                let share = |of: Num, all: Num| (of / all.max(1.0)).min(1.0);
                self.at(of, point).and_then(|of| Ok(share(of.max(0.0), self.at(all, point)?))).ok()
            }
            Condition::Unclear => None,
        };
        let chance = |condition| {
            of(condition).unwrap_or_else(|| {
                self.note("conditions on values that are not known hold half of the time");
                self.rests_on(Cause::UnknownCondition);
                Num::new(UNCLEAR)
            })
        };
        conditions.iter().map(chance).product()
    }

    /// Whether the bytes of a map are known.
    pub(crate) fn is_size_known(&self, map: &MapSummary) -> bool {
        let shown = || map.bytes.as_ref().is_ok_and(|bytes| self.at(bytes, &Point::new()).is_ok());
        self.given(map.size).is_some() || shown()
    }

    /// The bytes of an array's map, where they are known or will be.
    pub(super) fn mapped_bytes_if_known(&self, object: &str) -> Option<Num> {
        let map = self.summary.maps.iter().find(|map| map.name == object && !map.by_value)?;
        let is_known = self.known == Known::Later || self.is_size_known(map);
        is_known.then(|| self.mapped_bytes(object)).flatten()
    }

    /// The bytes that a map moves, where they are known. A launch knows them all.
    pub(crate) fn mapped_bytes(&self, object: &str) -> Option<Num> {
        let map = self.summary.maps.iter().find(|map| map.name == object && !map.by_value)?;
        let size = size_name(object);
        let shown = || self.at(map.bytes.as_ref().ok()?, &Point::new()).ok();
        let otherwise = || match self.known {
            Known::Later => Some(Num::leaf(Leaf::Captured(size.clone()))),
            Known::Now => {
                let text =
                    format!("how much {object} maps is not known, nor what its transfer takes: -D '{size}=..' says it");
                self.note(text);
                None
            }
        };
        // A section whose length is known is what the launch maps, whatever else is said of arrays of that name.
        let shown = shown();
        let said = self.given(map.size).and_then(Num::now);
        if let (Some(clause), Some(said)) = (shown.and_then(Num::now), said)
            && clause != said
        {
            self.note(format!(
                "the clause that maps {object} says {clause} bytes, which count instead of {size} = {said}"
            ));
        }
        let bytes = shown.or_else(|| self.given(map.size)).or_else(otherwise)?;
        match bytes.known() {
            Some(known) => (known > 0.0).then_some(bytes),
            None => Some(bytes.max(0.0)),
        }
    }
}
