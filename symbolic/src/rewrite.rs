//! Walks through polynomials and the atoms inside of atoms: substitution, evaluation, dependence.

use crate::atom::{Atom, Predicate, Varies};
use crate::coeff::Coeff;
use crate::contents::Contents;
use crate::facts::Facts;
use crate::id::{AtomId, LoopId};
use crate::operation::fold;
use crate::polynomial::{Atoms, Polynomial};
use crate::quotient::reduce;
use crate::space::Space;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::{BTreeSet, BinaryHeap};

impl Space {
    /// Puts values in place of atoms, inside of other atoms too, which are built anew and may fold. Where the result would be
    /// too large, an unknown value stands in its place.
    pub fn substitute(&mut self, p: &Polynomial, value_of: &mut dyn FnMut(AtomId) -> Option<Polynomial>) -> Polynomial {
        self.substitute_under(p, &Facts::none(), value_of)
    }

    /// [`Space::substitute`] where the facts hold, which help to fold what is built anew.
    pub fn substitute_under(
        &mut self,
        p: &Polynomial,
        facts: &Facts,
        value_of: &mut dyn FnMut(AtomId) -> Option<Polynomial>,
    ) -> Polynomial {
        Substitution { facts, value_of, done: FxHashMap::default() }.polynomial(self, p)
    }

    /// The value of a polynomial. `value_of` gives the values of symbols, iteration numbers and loads, and may give those of others;
    /// `None` where one is missing, or where an operation has no value.
    pub fn eval(&self, p: &Polynomial, value_of: &mut dyn FnMut(AtomId) -> Option<Coeff>) -> Option<Coeff> {
        let mut done = FxHashMap::default();
        self.eval_with(p, value_of, &|_, _| true, &mut done)
    }

    /// All atoms, those inside of other atoms too, each once and in order of creation.
    pub fn atoms(&self, p: &Polynomial) -> Atoms {
        let mut found = p.atoms();
        if found.iter().all(|&atom| self.is_leaf(atom)) {
            return found;
        }
        // What an atom is made of was there before it: the latest first, none comes again.
        let mut open = BinaryHeap::from_iter(found.drain(..));
        while let Some(atom) = open.pop() {
            self.work_on(1);
            if found.last() != Some(&atom) {
                found.push(atom);
                open.extend(self.atom(atom).operands().into_iter().flat_map(Polynomial::atoms));
            }
        }
        found.reverse();
        found
    }

    /// Whether an atom that satisfies the condition occurs, also inside of other atoms.
    pub fn depends_on(&self, p: &Polynomial, condition: impl FnMut(AtomId) -> bool) -> bool {
        self.atoms(p).into_iter().any(condition)
    }

    /// Whether an atom occurs, also inside of other atoms.
    pub fn mentions(&self, p: &Polynomial, atom: AtomId) -> bool {
        let bit = Contents::of_atom(atom);
        self.contents(p).may_have(bit) && self.depends_on(p, |at| at == atom)
    }

    /// Writes `p` as `rate * atom + rest`, where neither depends on the atom; `None` where it is not affine in the atom.
    pub fn split_affine(&self, p: &Polynomial, atom: AtomId) -> Option<(Polynomial, Polynomial)> {
        let (rate, rest) = p.split_affine(atom)?;
        (!self.mentions(&rate, atom) && !self.mentions(&rest, atom)).then_some((rate, rest))
    }

    /// The loops with whose iterations the value may change, as far as its unknowns say on which they depend.
    pub fn loops_of(&self, p: &Polynomial) -> BTreeSet<LoopId> {
        let mut loops = BTreeSet::new();
        for atom in self.atoms(p) {
            match self.atom(atom) {
                Atom::Iteration(id) => _ = loops.insert(*id),
                Atom::Symbol(symbol) => match &symbol.varies {
                    Varies::WithLoops(with) => loops.extend(with),
                    Varies::No | Varies::Thread | Varies::Data(_) | Varies::PerThread(_) => {}
                },
                _ => {}
            }
        }
        loops
    }

    /// Whether the value may change with the iterations of a loop that satisfies the condition. Unknowns that may differ
    /// between threads may also change with every loop.
    pub fn varies_with(&self, p: &Polynomial, condition: impl Fn(LoopId) -> bool) -> bool {
        self.varies_per_thread(p) || self.loops_of(p).into_iter().any(condition)
    }

    /// Whether an unknown that may differ between threads occurs.
    pub fn varies_per_thread(&self, p: &Polynomial) -> bool {
        self.contents(p).may_have(Contents::PER_THREAD) || self.contents(p).may_have(Contents::DATA)
    }

    /// Whether the value depends on the thread's own number or place.
    pub fn varies_by_thread(&self, p: &Polynomial) -> bool {
        self.contents(p).may_have(Contents::BY_THREAD)
    }

    /// Why the value may differ between threads, other than by iteration numbers and by the thread's own number: what is not understood
    /// before what depends on data.
    pub fn per_thread_reason(&self, p: &Polynomial) -> Option<String> {
        self.unknown_reason(p).or_else(|| self.data_reason(p))
    }

    /// Why it is not known what the value depends on.
    pub fn unknown_reason(&self, p: &Polynomial) -> Option<String> {
        self.reason(p, Contents::PER_THREAD, |varies| match varies {
            Varies::PerThread(reason) => Some(reason),
            Varies::No | Varies::WithLoops(_) | Varies::Thread | Varies::Data(_) => None,
        })
    }

    /// How the value depends on what memory holds, if an unknown that does occurs.
    pub fn data_reason(&self, p: &Polynomial) -> Option<String> {
        self.reason(p, Contents::DATA, |varies| match varies {
            Varies::Data(reason) => Some(reason),
            Varies::No | Varies::WithLoops(_) | Varies::Thread | Varies::PerThread(_) => None,
        })
    }

    fn reason(&self, p: &Polynomial, kind: Contents, of: impl Fn(&Varies) -> Option<&String>) -> Option<String> {
        if !self.contents(p).may_have(kind) {
            return None;
        }
        self.atoms(p).into_iter().find_map(|atom| match self.atom(atom) {
            Atom::Symbol(symbol) => of(&symbol.varies).cloned(),
            _ => None,
        })
    }

    /// [`Space::eval`] with what was found before for atoms, and none where an atom has a value that it cannot have.
    pub(crate) fn eval_with(
        &self,
        p: &Polynomial,
        value_of: &mut dyn FnMut(AtomId) -> Option<Coeff>,
        is_possible: &dyn Fn(AtomId, &Coeff) -> bool,
        done: &mut FxHashMap<AtomId, Option<Coeff>>,
    ) -> Option<Coeff> {
        p.terms().try_fold(Coeff::ZERO, |sum, (monomial, coefficient)| {
            let product = monomial.powers().try_fold(coefficient.clone(), |product, (atom, power)| {
                let value = self.eval_atom(atom, value_of, is_possible, done)?;
                Some((0..power).fold(product, |product, _| product * &value))
            })?;
            Some(sum + product)
        })
    }

    fn eval_atom(
        &self,
        atom: AtomId,
        value_of: &mut dyn FnMut(AtomId) -> Option<Coeff>,
        is_possible: &dyn Fn(AtomId, &Coeff) -> bool,
        done: &mut FxHashMap<AtomId, Option<Coeff>>,
    ) -> Option<Coeff> {
        if let Some(known) = done.get(&atom) {
            return known.clone();
        }
        self.work_on(1);
        let value = value_of(atom).or_else(|| {
            let mut eval = |p: &Polynomial| self.eval_with(p, value_of, is_possible, done);
            let indicator = |holds| if holds { Coeff::ONE } else { Coeff::ZERO };
            match self.atom(atom) {
                Atom::Symbol(_) | Atom::Iteration(_) | Atom::Load { .. } => None,
                Atom::Predicate(Predicate::NonNegative(p)) => Some(indicator(!eval(p)?.is_negative())),
                Atom::Predicate(Predicate::Zero(p)) => Some(indicator(eval(p)?.is_zero())),
                Atom::FloorDiv(a, b) => eval(a)?.div_floor(&eval(b)?),
                Atom::Wrap { signed, bits, value } => Some(reduce(*signed, *bits, &eval(value)?)),
                Atom::Op(op, args) => {
                    let (first, rest) = args.split_first()?;
                    let first = eval(first)?;
                    rest.iter().try_fold(first, |value, arg| fold(*op, &value, &eval(arg)?))
                }
            }
        });
        let value = value.filter(|value| is_possible(atom, value));
        done.insert(atom, value.clone());
        value
    }
}

struct Substitution<'a> {
    facts: &'a Facts,
    value_of: &'a mut dyn FnMut(AtomId) -> Option<Polynomial>,
    done: FxHashMap<AtomId, Polynomial>,
}

impl Substitution<'_> {
    fn polynomial(&mut self, space: &mut Space, p: &Polynomial) -> Polynomial {
        let atoms = p.atoms();
        space.work_on(p.terms().len() + atoms.len());
        let values: SmallVec<[Polynomial; 8]> = atoms.iter().map(|&atom| self.atom(space, atom)).collect();
        if atoms.iter().zip(&values).all(|(&atom, value)| value.as_atom() == Some(atom)) {
            return p.clone();
        }
        let value = |atom| atoms.iter().position(|&other| other == atom).map(|index| &values[index]);
        let mut products = Vec::new();
        for (monomial, coefficient) in p.terms() {
            let mut product = Polynomial::from(coefficient.clone());
            for (atom, power) in monomial.powers() {
                for _ in 0..power {
                    product = space
                        .product_or_unknown(&product, value(atom).expect("all atoms of the polynomial have values"));
                }
            }
            products.push(product);
        }
        Polynomial::sum_of(products)
    }

    fn atom(&mut self, space: &mut Space, atom: AtomId) -> Polynomial {
        if let Some(known) = self.done.get(&atom) {
            return known.clone();
        }
        let value = (self.value_of)(atom).unwrap_or_else(|| self.rebuild(space, atom));
        if !space.is_leaf(atom) {
            self.done.insert(atom, value.clone());
        }
        value
    }

    fn rebuild(&mut self, space: &mut Space, id: AtomId) -> Polynomial {
        if space.is_leaf(id) {
            return Polynomial::from(id);
        }
        if space.is_spent() {
            return space.too_large(space.atom_range(id).clone());
        }
        let atom = space.atom(id).clone();
        let mut new: Vec<Polynomial> =
            atom.operands().into_iter().map(|operand| self.polynomial(space, operand)).collect();
        // With facts, an atom of unchanged operands may still become simpler.
        if self.facts.is_empty() && atom.operands().into_iter().eq(&new) {
            return Polynomial::from(id);
        }
        match atom {
            Atom::Symbol(_) | Atom::Iteration(_) => Polynomial::from(id),
            Atom::Predicate(Predicate::NonNegative(_)) => space.nonneg_under(&new[0], self.facts),
            Atom::Predicate(Predicate::Zero(_)) => space.zero_under(&new[0], self.facts),
            Atom::FloorDiv(..) => space.floor_div(&new[0], &new[1], self.facts),
            Atom::Wrap { signed, bits, .. } => space.wrap_under(signed, bits, &new[0], self.facts),
            Atom::Op(op, _) => space.op_under(op, new, self.facts),
            Atom::Load { bytes, epoch, range, .. } => space.load(new.swap_remove(0), bytes, epoch, range),
        }
    }
}
