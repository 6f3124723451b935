//! The space: owner of all atoms, so that equal atoms have equal ids, and of the names that people know them by.

use crate::atom::{Atom, Predicate, Symbol, Varies};
use crate::bound_cache::BoundCache;
use crate::coeff::Coeff;
use crate::contents::Contents;
use crate::dependence::{Counterpart, Frames};
use crate::example_cache::Examples;
use crate::id::{AtomId, Idempotent, LoopId};
use crate::interval::Interval;
use crate::label::{self, Label};
use crate::limits::{LimitHits, Limits, MAX_DEGREE, MAX_NODES, MAX_TERMS};
use crate::polynomial::{Monomial, Polynomial};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Bounds of an atom's range that need more bits are dropped.
const MAX_RANGE_BITS: u64 = 256;

/// Interns atoms and builds canonical polynomials over them.
///
/// Size is bounded by [`MAX_TERMS`], [`MAX_DEGREE`] and [`MAX_NODES`]: what grows beyond becomes a fresh symbol that may vary per thread.
/// Searches for bounds end after a number of tries. [`Space::limit_hits`] counts how often that happened.
#[derive(Clone, Debug, Default)]
pub struct Space {
    entries: Vec<Entry>,
    ids: FxHashMap<Atom, AtomId>,
    labels: FxHashMap<Rc<str>, AtomId>,
    // How many atoms wanted each name so far.
    wanted: FxHashMap<Rc<str>, u32>,
    // The engine's own symbols, by their names.
    own: Vec<(&'static str, AtomId)>,
    // The members of structures that loads read, by the loads.
    members: FxHashMap<AtomId, Rc<str>>,
    // Symbols for what differs between the two accesses of a dependence test.
    counterparts: FxHashMap<Counterpart, AtomId>,
    pub(crate) frames: Frames,
    pub(crate) limits: Limits,
    pub(crate) bounds: BoundCache,
    pub(crate) examples: Examples,
}

#[derive(Clone, Debug)]
struct Entry {
    atom: Atom,
    range: Interval,
    label: Option<Rc<str>>,
    nodes: u32,
    contents: Contents,
    // The atom itself, and those in it about which facts on it speak: of a quotient's operands, of a condition.
    linked: Vec<AtomId>,
    // Whether its value is the same for all threads and iterations, and known before loops run.
    is_fixed: bool,
}

impl Space {
    /// A space without atoms.
    pub fn new() -> Space {
        Space::default()
    }

    /// A fresh symbol, different from all others. A symbol in `[0,1]` is idempotent.
    pub fn symbol(&mut self, symbol: Symbol) -> Polynomial {
        let label = Label::Bracketed(label::bracketed(&symbol.name));
        let idempotent = if symbol.range.is_within(&Interval::BOOLEAN) { Idempotent::Yes } else { Idempotent::No };
        let range = symbol.range.clone();
        let id = self.add(Atom::Symbol(symbol), range, idempotent);
        self.set_label(id, &label);
        Polynomial::from(id)
    }

    /// The iteration number of a loop: 0 and above until [`Space::set_iteration_range`] says more.
    pub fn iteration(&mut self, id: LoopId) -> Polynomial {
        let atom = Atom::Iteration(id);
        if let Some(&known) = self.ids.get(&atom) {
            return Polynomial::from(known);
        }
        let new = self.add(atom.clone(), Interval::NON_NEGATIVE, Idempotent::No);
        self.set_label(new, &Label::Bare(id.to_string()));
        self.ids.insert(atom, new);
        Polynomial::from(new)
    }

    /// The number of a lane in its warp, from 0.
    pub fn lane_number(&mut self) -> AtomId {
        self.own_symbol("lane number", Varies::Thread)
    }

    /// The one symbol of a name that no variable can have, of at least 0.
    pub(crate) fn own_symbol(&mut self, name: &'static str, varies: Varies) -> AtomId {
        if let Some((_, known)) = self.own.iter().find(|(own, _)| *own == name) {
            return *known;
        }
        let symbol = Symbol { name: name.into(), range: Interval::NON_NEGATIVE, varies };
        let symbol = self.symbol(symbol).as_atom().expect("a symbol is one atom");
        self.own.push((name, symbol));
        symbol
    }

    /// A loop's iteration number, where it was asked for before.
    pub(crate) fn known_iteration(&self, id: LoopId) -> Option<AtomId> {
        self.ids.get(&Atom::Iteration(id)).copied()
    }

    /// The one symbol that stands for what may differ at the other end of a dependence.
    pub(crate) fn counterpart(&mut self, of: Counterpart) -> AtomId {
        if let Some(&known) = self.counterparts.get(&of) {
            return known;
        }
        let (name, range) = match of {
            Counterpart::Distance(id) => (format!("distance in {id}"), Interval::ALL),
            Counterpart::Iteration(id) => (format!("{id} of the sink"), Interval::NON_NEGATIVE),
            Counterpart::Value(atom) => {
                (format!("{} of the sink", self.display(&atom.into())), self.atom_range(atom).clone())
            }
            Counterpart::Product(a, b) => {
                let name = |atom: AtomId| self.display(&atom.into()).to_string();
                (format!("{} times {}", name(a), name(b)), self.atom_range(a).mul(self.atom_range(b)))
            }
            Counterpart::Rest { of, quotient } => {
                let name = |atom: AtomId| self.display(&atom.into()).to_string();
                (format!("rest of {} behind {}", name(of), name(quotient)), Interval::NON_NEGATIVE)
            }
            Counterpart::Wraps => ("multiples of 2^64".into(), Interval::ALL),
        };
        let loops = |atom: AtomId| match self.atom(atom) {
            Atom::Iteration(id) => Some(BTreeSet::from([*id])),
            Atom::Symbol(Symbol { varies: Varies::WithLoops(loops), .. }) => Some(loops.clone()),
            _ => None,
        };
        let varies = match of {
            Counterpart::Product(a, b) => loops(a).zip(loops(b)).map(|(a, b)| Varies::WithLoops(&a | &b)),
            // Both are computed from one iteration number.
            Counterpart::Rest { of, .. } => self.only_loop_of(of).map(|id| Varies::WithLoops(BTreeSet::from([id]))),
            _ => None,
        };
        let unknown = || Varies::PerThread("it stands for a value at the other end of a dependence".into());
        let varies = varies.unwrap_or_else(unknown);
        let symbol = self.symbol(Symbol { name, range, varies }).as_atom().expect("a symbol is one atom");
        self.counterparts.insert(of, symbol);
        symbol
    }

    /// The loop with whose iteration number alone a number or a quotient varies.
    fn only_loop_of(&self, atom: AtomId) -> Option<LoopId> {
        match self.atom(atom) {
            Atom::Iteration(id) => Some(*id),
            Atom::FloorDiv(dividend, divisor) if self.is_invariant(divisor) => {
                let mut varying = dividend.atoms().into_iter().filter(|&atom| !self.is_fixed(atom));
                let (only, None) = (varying.next()?, varying.next()) else { return None };
                self.iteration_loop(only)
            }
            _ => None,
        }
    }

    /// The value in memory at an address, as an integer in `range`.
    pub fn load(&mut self, address: Polynomial, bytes: u64, epoch: u32, range: Interval) -> Polynomial {
        let atom = Atom::Load { address, bytes, epoch, range: range.clone() };
        self.intern(atom, range, Idempotent::No)
    }

    /// Says that a load reads a member of a structure, such as `grid->rows`: the text form has it beside the address.
    pub fn name_member(&mut self, load: AtomId, name: &str) {
        if !name.is_empty() && !name.contains(['`', '\n']) {
            self.members.insert(load, name.into());
        }
    }

    /// The member that a load reads, where that was said.
    pub fn member(&self, load: AtomId) -> Option<&str> {
        self.members.get(&load).map(|name| &**name)
    }

    /// The loads that read a member of that name, in any order.
    pub(crate) fn loads_of_member(&self, name: &str) -> impl Iterator<Item = AtomId> {
        self.members.iter().filter(move |(_, member)| &***member == name).map(|(&load, _)| load)
    }

    /// All loads, in any order.
    pub(crate) fn loads(&self) -> impl Iterator<Item = AtomId> {
        self.ids.iter().filter(|(atom, _)| matches!(atom, Atom::Load { .. })).map(|(_, &id)| id)
    }

    /// Says what a loop's iteration number lies in. Expressions that exist already keep what they knew before.
    pub fn set_iteration_range(&mut self, id: LoopId, range: Interval) {
        self.frames = Frames::default();
        self.iteration(id);
        let atom = self.ids[&Atom::Iteration(id)];
        self.entries[atom.index()].range = range;
        self.bounds.clear();
        self.examples.clear();
    }

    /// Says how a loop's iteration number is printed.
    pub fn name_loop(&mut self, id: LoopId, name: &str) {
        self.iteration(id);
        self.set_label(self.ids[&Atom::Iteration(id)], &Label::Bare(label::bare(name)));
    }

    /// Says that an atom is printed as the given name in brackets.
    pub fn name_atom(&mut self, atom: AtomId, name: &str) {
        self.set_label(atom, &Label::Bracketed(label::bracketed(name)));
    }

    /// The atom behind an id.
    pub fn atom(&self, id: AtomId) -> &Atom {
        &self.entries[id.index()].atom
    }

    /// The loop whose iteration number the atom is.
    pub fn iteration_loop(&self, id: AtomId) -> Option<LoopId> {
        match self.atom(id) {
            Atom::Iteration(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether an atom is not made of others.
    pub(crate) fn is_leaf(&self, id: AtomId) -> bool {
        matches!(self.atom(id), Atom::Symbol(_) | Atom::Iteration(_))
    }

    pub(crate) fn contents_of(&self, id: AtomId) -> Contents {
        self.entries[id.index()].contents
    }

    /// What occurs in a value.
    pub(crate) fn contents(&self, p: &Polynomial) -> Contents {
        let atoms = p.terms().flat_map(|(monomial, _)| monomial.powers());
        atoms.fold(Contents::default(), |all, (atom, _)| all | self.contents_of(atom))
    }

    /// What occurs in an atom that is about to get its number, itself included.
    fn contents_in(&self, id: AtomId, atom: &Atom) -> Contents {
        let own = Contents::of_kind(atom) | Contents::of_atom(id);
        atom.operands().into_iter().fold(own, |all, operand| all | self.contents(operand))
    }

    /// Whether a value is made of more than symbols, iteration numbers and loads, also inside of the addresses of loads.
    pub fn has_operations(&self, p: &Polynomial) -> bool {
        self.contents(p).may_have(Contents::OPERATION)
    }

    /// What an atom's value is known to lie in.
    pub fn atom_range(&self, id: AtomId) -> &Interval {
        &self.entries[id.index()].range
    }

    /// The name by which an atom is printed, unless it is printed by its structure.
    pub fn label(&self, id: AtomId) -> Option<&str> {
        self.entries[id.index()].label.as_deref()
    }

    /// The atom that is printed as the given name, brackets included.
    pub fn find(&self, label: &str) -> Option<AtomId> {
        self.labels.get(label).copied()
    }

    /// How often each limit was met.
    pub fn limit_hits(&self) -> LimitHits {
        self.limits.hits()
    }

    /// Says how many steps of work all that is asked of the space may take together. Beyond them what is asked for stays unknown.
    pub fn set_budget(&mut self, steps: u64) {
        self.limits.set_budget(steps);
    }

    /// Steps of work so far. They depend on what was asked alone, never on time.
    pub fn work(&self) -> u64 {
        self.limits.work()
    }

    /// Counts steps of work that others do with the space.
    pub fn work_on(&self, steps: usize) {
        self.limits.work_on(steps);
    }

    /// Whether something was left open as all steps of work were used up.
    pub fn gave_up(&self) -> bool {
        self.limits.hits().work > 0
    }

    /// Whether all steps of work are used up, so that a question must be left open, which is counted.
    pub fn is_spent(&self) -> bool {
        self.limits.is_spent()
    }

    /// The product, unless it would exceed [`MAX_TERMS`] or [`MAX_DEGREE`].
    pub fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        self.work_on(a.terms().len() * b.terms().len());
        if self.is_spent() {
            return None;
        }
        if a.terms().len() * b.terms().len() > MAX_TERMS {
            self.limits.count(|hits| hits.product_terms += 1);
            return None;
        }
        if a.degree() + b.degree() > MAX_DEGREE {
            self.limits.count(|hits| hits.product_degree += 1);
            return None;
        }
        Some(a * b)
    }

    /// The product, or a fresh unknown value where it would be too large.
    pub(crate) fn product_or_unknown(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let product = self.product(a, b);
        product.unwrap_or_else(|| self.too_large(Interval::ALL))
    }

    /// The id of an atom in canonical form as a polynomial; a fresh unknown value where the atom would be too large.
    pub(crate) fn intern(&mut self, atom: Atom, range: Interval, idempotent: Idempotent) -> Polynomial {
        if let Some(&known) = self.ids.get(&atom) {
            return Polynomial::from(known);
        }
        if self.is_spent() {
            return self.too_large(range);
        }
        if self.nodes(&atom) > MAX_NODES {
            self.limits.count(|hits| hits.atom_size += 1);
            return self.too_large(range);
        }
        let id = self.add(atom.clone(), range, idempotent);
        self.ids.insert(atom, id);
        Polynomial::from(id)
    }

    pub(crate) fn intern_predicate(&mut self, predicate: Predicate) -> Polynomial {
        self.intern(Atom::Predicate(predicate), Interval::BOOLEAN, Idempotent::Yes)
    }

    pub(crate) fn too_large(&mut self, range: Interval) -> Polynomial {
        let varies = Varies::PerThread("its expression is too large".into());
        self.symbol(Symbol { name: "too large".into(), range, varies })
    }

    fn add(&mut self, atom: Atom, range: Interval, idempotent: Idempotent) -> AtomId {
        let id = AtomId::new(self.entries.len(), idempotent);
        let nodes = self.nodes(&atom);
        let bound = |bound: Option<&Coeff>| bound.filter(|bound| bound.bits() <= MAX_RANGE_BITS).cloned();
        let range = Interval::from_bounds(bound(range.low()), bound(range.high()));
        let linked = self.linked_in(id, &atom);
        let is_fixed = !atom.varies_itself() && atom.operands().into_iter().all(|operand| self.is_invariant(operand));
        let contents = self.contents_in(id, &atom);
        self.entries.push(Entry { atom, range, label: None, nodes, contents, linked, is_fixed });
        id
    }

    /// [`Space::is_invariant`] of an atom.
    pub(crate) fn is_fixed(&self, id: AtomId) -> bool {
        self.entries[id.index()].is_fixed
    }

    /// Whether a value is the same for all threads and iterations, and known before loops run.
    pub fn is_invariant(&self, p: &Polynomial) -> bool {
        p.terms().all(|(monomial, _)| monomial.powers().all(|(atom, _)| self.is_fixed(atom)))
    }

    /// A value as what is the same for all threads and iterations, and known before loops run, and the rest.
    pub fn split_invariant(&self, p: &Polynomial) -> [Polynomial; 2] {
        p.partition(|atom| self.is_fixed(atom))
    }

    fn linked_in(&self, id: AtomId, atom: &Atom) -> Vec<AtomId> {
        let mut linked = vec![id];
        if let Atom::FloorDiv(..) | Atom::Predicate(_) = atom {
            let inner = atom.operands().into_iter().flat_map(Polynomial::atoms);
            linked.extend(inner.flat_map(|atom| self.linked(atom)));
            linked.sort_unstable();
            linked.dedup();
        }
        linked
    }

    /// The atom itself, and those in it about which facts on it speak.
    pub(crate) fn linked(&self, id: AtomId) -> &[AtomId] {
        &self.entries[id.index()].linked
    }

    /// Size of the atom's text, counted in atoms and coefficients; shared parts count each time.
    fn nodes(&self, atom: &Atom) -> u32 {
        let operands = atom.operands();
        let terms = operands.iter().flat_map(|operand| operand.terms());
        let atoms = |(monomial, _): (&Monomial, _)| {
            monomial.powers().fold(1_u32, |sum, (atom, _)| sum.saturating_add(self.entries[atom.index()].nodes))
        };
        terms.map(atoms).fold(1, u32::saturating_add)
    }

    /// Gives an atom the wanted name, with a number behind it if it is taken.
    fn set_label(&mut self, id: AtomId, wanted: &Label) {
        let mut label: Rc<str> = wanted.text("").into();
        if self.label(id) == Some(&label) {
            return;
        }
        if let Some(old) = self.entries[id.index()].label.take() {
            self.labels.remove(&old);
        }
        let count = self.wanted.entry(Rc::clone(&label)).or_insert(0);
        *count += 1;
        if *count > 1 {
            label = wanted.text(&format!(".{count}")).into();
        }
        while self.labels.contains_key(&label) {
            *count += 1;
            label = wanted.text(&format!(".{count}")).into();
        }
        self.labels.insert(Rc::clone(&label), id);
        self.entries[id.index()].label = Some(label);
    }
}
