//! The numbers for the report's expressions: what the user gives, else a stated assumption.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::str::FromStr;

use ipda_models::sizes::Sizes;
use ipda_symbolic::{Atom, AtomId, Coeff, OpaqueOp, Polynomial, Space, Symbol, declare_as_symbols, in_words, parse};

/// Expressions of one report that are kept read: most of them occur many times.
const MAX_KEPT: usize = 4096;

/// `n=4096` on the command line.
#[derive(Debug, Clone)]
pub struct Given {
    name: String,
    value: i128,
}

impl Given {
    /// For a model, which computes with floats.
    pub fn bound(&self) -> (String, f64) {
        (self.name.clone(), self.value as f64)
    }
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Given, String> {
        // A name such as load4([p] + [n == 3]) may hold the sign, too.
        let (name, value) = text.rsplit_once('=').ok_or("expected NAME=NUMBER, such as n=4096")?;
        let value = value.trim().replace('_', "");
        let value = value.parse().map_err(|_| format!("'{value}' is not a whole number"))?;
        match name.trim() {
            "" => Err("expected a name before the '='".into()),
            name => Ok(Given { name: name.into(), value }),
        }
    }
}

/// What is known of the program's variables, and which of them were asked for in vain.
pub struct Values {
    given: BTreeMap<String, i128>,
    used: Rc<RefCell<BTreeSet<String>>>,
    missing: RefCell<BTreeSet<String>>,
    read: RefCell<HashMap<String, Option<Rc<Expression>>>>,
}

/// What a name stands for that is no variable of the program.
pub trait Scope {
    /// The number of a loop's iteration.
    fn index(&self, name: &str) -> Option<i128>;
    /// What `[name]` is, before the given values are asked.
    fn symbol(&self, _name: &str) -> Option<i128> {
        None
    }
}

/// No names but the program's variables.
pub struct NoNames;

impl Scope for NoNames {
    fn index(&self, _: &str) -> Option<i128> {
        None
    }
}

impl Values {
    /// With what the user gives.
    pub fn new(given: &[Given]) -> Values {
        let given = given.iter().map(|each| (each.name.clone(), each.value)).collect();
        Values { given, used: Rc::default(), missing: RefCell::default(), read: RefCell::default() }
    }

    /// What the user gives.
    pub fn all_given(&self) -> impl Iterator<Item = (&str, i128)> {
        self.given.iter().map(|(name, value)| (&name[..], *value))
    }

    /// The same values, of which none was missed yet.
    pub fn afresh(&self) -> Values {
        let (given, used) = (self.given.clone(), Rc::clone(&self.used));
        Values { given, used, missing: RefCell::default(), read: RefCell::default() }
    }

    /// The names that were needed and not given, in alphabetical order.
    pub fn missing(&self) -> Vec<String> {
        self.missing.borrow().iter().cloned().collect()
    }

    /// The value of an expression in given values alone.
    pub fn exact(&self, text: &str, scope: &dyn Scope) -> Option<i128> {
        self.evaluate(text, scope, None, &[])
    }

    /// The value where each value that is not given is that of `otherwise`. The names that were missing are remembered.
    pub fn assumed(&self, text: &str, scope: &dyn Scope, otherwise: Sizes) -> Option<i128> {
        self.evaluate(text, scope, Some(otherwise), &[])
    }

    /// The same of a number of iterations: a loop from one value that is not given to another one has that many between them.
    pub fn assumed_count(&self, text: &str, scope: &dyn Scope, otherwise: Sizes) -> Option<i128> {
        let differences = self.expression(text).map(|expression| expression.differences());
        let differences = differences.unwrap_or_default();
        // Of a product, as collapsed loops have, the signs of the factors do not show which of two values is the end.
        let ways = (0..1_u32 << differences.len()).filter_map(|way| {
            let start = |(at, pair): (usize, &[AtomId; 2])| pair[(way >> at & 1) as usize];
            let starts: Vec<AtomId> = differences.iter().enumerate().map(start).collect();
            self.evaluate(text, scope, Some(otherwise), &starts)
        });
        ways.max()
    }

    /// A number that an expression never exceeds, whatever its variables are: `min(8*q + 8, n) - 8*q` is at most 8.
    pub fn at_most(&self, text: &str) -> Option<i128> {
        let expression = self.expression(text)?;
        let Expression { space, polynomial, .. } = &*expression;
        let mut bounds = Vec::new();
        for atom in polynomial.atoms() {
            let Atom::Op(OpaqueOp::Min, args) = space.atom(atom) else { continue };
            let Some((factor, rest)) = polynomial.split_affine(atom) else { continue };
            let factor = factor.as_constant().filter(|factor| !factor.is_negative());
            let with = |argument: &Polynomial| (&argument.scale(factor?) + &rest).as_constant().cloned();
            bounds.extend(args.iter().filter_map(with).filter_map(|bound| bound.to_i64()));
        }
        bounds.into_iter().min().map(i128::from)
    }

    fn given(&self, name: &str) -> Option<i128> {
        let value = self.given.get(name).copied()?;
        let mut used = self.used.borrow_mut();
        if !used.contains(name) {
            used.insert(name.to_owned());
        }
        Some(value)
    }

    /// A sentence for each given name that nothing asked for: it may be misspelt.
    pub fn warnings(&self) -> Vec<String> {
        let used = self.used.borrow();
        let unused = self.given.keys().filter(|name| !used.contains(*name));
        unused.map(|name| format!("-D {name}: nothing that is shown depends on a value of this name")).collect()
    }

    /// Those of `starts` that are not given are 0.
    fn evaluate(&self, text: &str, scope: &dyn Scope, otherwise: Option<Sizes>, starts: &[AtomId]) -> Option<i128> {
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let expression = self.expression(text)?;
        let Expression { space, polynomial, given, .. } = &*expression;
        let missing = |name: &str, is_to_give: bool| {
            let value = otherwise?.value();
            if is_to_give {
                self.missing.borrow_mut().insert(name.to_owned());
            }
            Some(value.into())
        };
        let value_of = |atom: AtomId| {
            let value = match (given.iter().find(|(known, _)| *known == atom), space.atom(atom)) {
                (Some((_, name)), _) => self.given(name),
                (None, Atom::Symbol(Symbol { name, .. })) => {
                    scope.symbol(name).or_else(|| self.given(name)).or_else(|| missing(name, !is_of_threads(name)))
                }
                (None, Atom::Iteration(_)) => scope.index(space.label(atom)?),
                (None, Atom::Load { address, .. }) if is_one_place(space, address) => {
                    let name = in_words(&space.display(&atom.into()).to_string());
                    self.given(&name).or_else(|| missing(&name, true))
                }
                _ => None,
            };
            value.map(Coeff::from)
        };
        // A value that is given begins or ends a loop where it is.
        let is_given = |atom: AtomId| {
            let has_name = || match space.atom(atom) {
                Atom::Symbol(Symbol { name, .. }) => self.given(name).is_some(),
                _ => self.given(&in_words(&space.display(&atom.into()).to_string())).is_some(),
            };
            given.iter().any(|(known, _)| *known == atom) || has_name()
        };
        let mut value_of = |atom: AtomId| {
            let value = value_of(atom)?;
            Some(if starts.contains(&atom) && !is_given(atom) { Coeff::ZERO } else { value })
        };
        space.eval(polynomial, &mut value_of)?.to_string().parse().ok()
    }

    fn expression(&self, text: &str) -> Option<Rc<Expression>> {
        let mut read = self.read.borrow_mut();
        if let Some(known) = read.get(text) {
            return known.clone();
        }
        if read.len() >= MAX_KEPT {
            read.clear();
        }
        let expression = Expression::read(text, self.given.keys()).map(Rc::new);
        read.insert(text.to_owned(), expression.clone());
        expression
    }
}

/// An expression of a report, with the names that occur in it.
struct Expression {
    space: Space,
    polynomial: Polynomial,
    /// The given names that are more than a variable's, such as `load8([d] + 16)`.
    given: Vec<(AtomId, String)>,
    differences: OnceCell<Vec<[AtomId; 2]>>,
}

/// Pairs of variables of which a count may be one of the difference.
const MAX_DIFFERENCES: usize = 3;

impl Expression {
    fn read<'a>(text: &str, given: impl Iterator<Item = &'a String>) -> Option<Expression> {
        let mut space = Space::new();
        // Numbers whose default names are in no report.
        let mut next_loop = u32::MAX / 2;
        declare_as_symbols(&mut space, text, &mut next_loop);
        let polynomial = parse(&mut space, text).ok()?;
        let atom = |name: &String| {
            declare_as_symbols(&mut space, name, &mut next_loop);
            Some((parse(&mut space, name).ok()?.as_atom()?, name.clone()))
        };
        let given = given.filter(|name| name.contains('(')).filter_map(atom).collect();
        Some(Expression { space, polynomial, given, differences: OnceCell::new() })
    }

    /// The variables, and values in one place of memory, of which nothing but the differences of these pairs matters.
    fn differences(&self) -> Vec<[AtomId; 2]> {
        let find = || {
            let mut space = self.space.clone();
            let is_size = |atom: &AtomId| match self.space.atom(*atom) {
                Atom::Symbol(Symbol { name, .. }) => !is_of_threads(name),
                Atom::Load { address, .. } => is_one_place(&self.space, address),
                _ => false,
            };
            let mut left: Vec<AtomId> = space.atoms(&self.polynomial).into_iter().filter(is_size).collect();
            let mut found = Vec::new();
            while let Some(first) = left.pop().filter(|_| found.len() < MAX_DIFFERENCES) {
                let mut is_other = |second: AtomId| {
                    let moved =
                        |atom| [first, second].contains(&atom).then(|| Polynomial::from(atom) + Polynomial::one());
                    space.substitute(&self.polynomial, &mut { moved }) == self.polynomial
                };
                if let Some(at) = left.iter().position(|&second| is_other(second)) {
                    found.push([first, left.remove(at)]);
                }
            }
            found
        };
        self.differences.get_or_init(find).clone()
    }
}

/// Whether a name is that of a number of threads or teams: nobody's to give.
fn is_of_threads(name: &str) -> bool {
    name.contains([' ', '.', '#'])
}

/// Whether all threads read the same place in all iterations, so that what is there counts as a size.
fn is_one_place(space: &Space, address: &Polynomial) -> bool {
    space.atoms(address).into_iter().all(|atom| match space.atom(atom) {
        Atom::Iteration(_) => false,
        Atom::Symbol(Symbol { name, .. }) => !is_of_threads(name),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Index;

    impl Scope for Index {
        fn index(&self, name: &str) -> Option<i128> {
            (name == "i").then_some(3)
        }
    }

    #[test]
    fn expressions_are_read_with_given_and_assumed_values() {
        let values = Values::new(&["n=1_000".parse().expect("a value")]);
        assert_eq!(values.exact("4*[n]*i + 2", &Index), Some(12_002));
        assert_eq!(values.exact("4*[m]", &Index), None);
        assert_eq!(values.at_most("min(8*i + 8, [n]) - 8*i"), Some(8));
        assert_eq!(values.at_most("[n] - min(8*i + 8, [n])"), None);
        assert_eq!(values.exact("[i < [n]]*7", &Index), Some(7));
        assert_eq!(values.assumed("[m] - 28", &NoNames, Sizes::Counted), Some(100));
        assert_eq!(values.missing(), ["m"]);
        assert_eq!(values.exact("load4([p] + 4*i)", &Index), None);
        assert_eq!(values.assumed("load4([p] + 4*i)", &Index, Sizes::Counted), None);
        assert_eq!(values.exact("floor(([n] + 1) / 2)", &NoNames), Some(500));
        assert_eq!(values.exact("not an expression", &NoNames), None);
    }

    #[test]
    fn a_loop_between_two_values_that_are_not_given_has_so_many_iterations() {
        let count = |values: &Values, text| values.assumed_count(text, &NoNames, Sizes::Counted);
        let values = Values::new(&["m=28".parse().expect("a value")]);
        assert_eq!(count(&values, "[n] - [m]"), Some(100));
        assert_eq!(count(&values, "[m] - [n]"), Some(28));
        let nothing = Values::new(&[]);
        assert_eq!(count(&nothing, "[to] - [from]"), Some(128));
        assert_eq!(count(&nothing, "floor(([to] - [from] + 1) / 2)"), Some(64));
        assert_eq!(count(&nothing, "[a]*[b] - [a]*[c] - [b]*[d] + [c]*[d]"), Some(128 * 128));
        assert_eq!(count(&nothing, "[n] - 28"), Some(100));
    }

    #[test]
    fn values_in_memory_are_given_by_their_place() {
        let values = Values::new(&["load8@1([d]+8)=1000".parse().expect("a value")]);
        assert_eq!(values.exact("8*load8@1([d] + 8)", &NoNames), Some(8000));
        assert_eq!(values.exact("8*load8([d] + 8)", &NoNames), None);
        assert_eq!(values.assumed("load8@1([d] + 8)*load8@1([d])", &NoNames, Sizes::Counted), Some(128_000));
        assert_eq!(values.missing(), ["d[0]"]);
        assert!(values.warnings().is_empty());
    }

    #[test]
    fn what_is_no_value_is_reported() {
        for (text, part) in [("n", "NAME=NUMBER"), ("n=x", "'x'"), ("=4", "before the '='")] {
            let error = text.parse::<Given>().expect_err("no value");
            assert!(error.contains(part), "{error}");
        }
    }
}
