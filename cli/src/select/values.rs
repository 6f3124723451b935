//! The numbers for the report's expressions: what the user gives, else a stated assumption.

use std::cell::RefCell;
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
        self.evaluate(text, scope, None)
    }

    /// The value where each value that is not given is that of `otherwise`. The names that were missing are remembered.
    pub fn assumed(&self, text: &str, scope: &dyn Scope, otherwise: Sizes) -> Option<i128> {
        self.evaluate(text, scope, Some(otherwise))
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

    fn evaluate(&self, text: &str, scope: &dyn Scope, otherwise: Option<Sizes>) -> Option<i128> {
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let expression = self.expression(text)?;
        let Expression { space, polynomial, given } = &*expression;
        let missing = |name: &str, is_to_give: bool| {
            let value = otherwise?.value();
            if is_to_give {
                self.missing.borrow_mut().insert(name.to_owned());
            }
            Some(value.into())
        };
        let mut value_of = |atom: AtomId| {
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
}

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
        Some(Expression { space, polynomial, given })
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
