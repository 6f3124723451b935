//! From the tree of a YAML file to typed values; everything wrong is reported, not only the first.

use std::collections::BTreeMap;

use serde_yaml::{Mapping, Value as Node};

use crate::error::{Place, Problem, nearest};
use crate::keys::{Key, Presence};
use crate::units::{Demand, Quantity};
use crate::value::{Evidence, Known, Missing, Value};

/// The keys of a value.
pub(crate) const VALUE_KEYS: [&str; 9] =
    ["value", "unit", "source", "confidence", "measured_by", "method", "estimate", "basis", "unknown"];

/// The one value of the key `confidence`.
const UNVERIFIED: &str = "unverified";

/// A whole number above this is not distinguished from its neighbours by the numbers that YAML gives.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// A mapping of the file, its place, and what was found wrong so far.
pub(crate) struct Reader<'a> {
    node: Option<&'a Mapping>,
    path: Vec<String>,
    problems: &'a mut Vec<Problem>,
}

/// A part of an entry: a struct whose fields are values.
pub(crate) trait Section: Sized {
    /// What it is for.
    const DOC: &'static str;
    /// Its keys, for the reader, the schema and the list of parameters.
    const KEYS: &'static [Key];
    /// None where a required value is missing or wrong, which the reader has noted.
    fn read(reader: &mut Reader<'_>) -> Option<Self>;
    /// All of its fields, under `prefix`.
    fn parameters(&self, prefix: &str) -> Vec<crate::value::Parameter>;
}

impl<'a> Reader<'a> {
    /// A reader of a file's top level.
    pub fn new(node: &'a Mapping, problems: &'a mut Vec<Problem>) -> Reader<'a> {
        Reader { node: Some(node), path: Vec::new(), problems }
    }

    /// Notes something wrong about the key's value.
    pub fn wrong_value(&mut self, key: &str, message: String) {
        let path = self.path_to(key);
        self.problems.push(Problem { path, place: Place::Value, message });
    }

    /// Notes that the value at the dotted key contradicts another one.
    pub fn contradiction(&mut self, key: &str, message: String) {
        let path = key.split('.').map(str::to_owned).collect();
        self.problems.push(Problem { path, place: Place::Value, message });
    }

    /// Notes where one of these, as far as they are known, is less than the one before it.
    pub fn ascending<T: Quantity + PartialOrd, const N: usize>(&mut self, values: [(&str, &Known<T>); N]) {
        let known: Vec<(&str, &T)> =
            values.into_iter().filter_map(|(key, value)| Some((key, value.as_ref().ok()?.value()))).collect();
        for pair in known.windows(2) {
            let [(lower_key, lower), (key, value)] = pair else { continue };
            if value < lower {
                self.contradiction(key, format!("{} is less than `{lower_key}`, {}", value.show(), lower.show()));
            }
        }
    }

    fn wrong_here(&mut self, message: String) {
        self.problems.push(Problem { path: self.path.clone(), place: Place::Value, message });
    }

    fn path_to(&self, key: &str) -> Vec<String> {
        let mut path = self.path.clone();
        path.push(key.to_owned());
        path
    }

    fn get(&self, key: &str) -> Option<&'a Node> {
        self.node?.get(key)
    }

    /// Notes every key that is not among these.
    pub fn only_keys(&mut self, known: &[&str]) {
        for key in self.node.into_iter().flat_map(Mapping::keys) {
            let Node::String(name) = key else {
                self.wrong_here(format!("expected words as keys, found {}", kind_of(key)));
                continue;
            };
            if !known.contains(&name.as_str()) {
                let hint = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("expected one of {}", listed(known)),
                };
                let path = self.path_to(name);
                self.problems.push(Problem {
                    path,
                    place: Place::Key,
                    message: format!("unknown key `{name}`: {hint}"),
                });
            }
        }
    }

    /// A text that must be there.
    pub fn text(&mut self, key: &str) -> Option<String> {
        match self.get(key) {
            Some(Node::String(text)) if !text.trim().is_empty() => Some(text.clone()),
            Some(other) => {
                self.wrong_value(key, format!("expected words, found {}", kind_of(other)));
                None
            }
            None => {
                self.wrong_here(format!("missing key `{key}`"));
                None
            }
        }
    }

    /// A list of texts; empty where the key is not there.
    pub fn texts(&mut self, key: &str) -> Vec<String> {
        match self.get(key) {
            None => Vec::new(),
            Some(Node::Sequence(items)) if items.iter().all(Node::is_string) => {
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
            }
            Some(other) => {
                let found = if other.is_sequence() { "a list with other things in it".into() } else { kind_of(other) };
                self.wrong_value(key, format!("expected a list of words, found {found}"));
                Vec::new()
            }
        }
    }

    /// A part of the entry; one that is not there is read as an empty one.
    pub fn section<S: Section>(&mut self, name: &str) -> Option<S> {
        let path = self.path_to(name);
        let node = match self.get(name) {
            Some(Node::Mapping(node)) => Some(node),
            Some(other) => {
                self.wrong_value(name, format!("expected keys and values, found {}", kind_of(other)));
                return None;
            }
            None if S::KEYS.iter().any(|key| key.presence == Presence::Required) => {
                self.wrong_here(format!("missing key `{name}`"));
                return None;
            }
            None => None,
        };
        let mut inner = Reader { node, path, problems: self.problems };
        let names: Vec<&str> = S::KEYS.iter().map(|key| key.name).collect();
        inner.only_keys(&names);
        S::read(&mut inner)
    }

    /// A value that an entry must have.
    pub fn required<T: Quantity>(&mut self, key: &str) -> Option<Value<T>> {
        let Some(node) = self.get(key) else {
            self.wrong_here(format!("missing key `{key}`"));
            return None;
        };
        match self.value::<T>(key, node)? {
            Ok(value) => Some(value),
            Err(_) => {
                self.wrong_value(key, format!("`{key}` must be known"));
                None
            }
        }
    }

    /// A value that an entry need not have.
    pub fn optional<T: Quantity>(&mut self, key: &str) -> Option<Known<T>> {
        match self.get(key) {
            Some(node) => self.value::<T>(key, node),
            None => {
                Some(Err(Missing { key: self.path_to(key).join("."), reason: "the entry does not state it".into() }))
            }
        }
    }

    fn value<T: Quantity>(&mut self, key: &str, node: &'a Node) -> Option<Known<T>> {
        let dimension = T::DIMENSION;
        let Node::Mapping(fields) = node else {
            let unit = dimension.units[0].0;
            self.wrong_value(key, format!("expected {{value: .., unit: {unit}, source: ..}}, found {}", kind_of(node)));
            return None;
        };
        let before = self.problems.len();
        let path = self.path_to(key);
        let mut inner = Reader { node: Some(fields), path, problems: self.problems };
        inner.only_keys(&VALUE_KEYS);
        if inner.get("unknown").is_some() {
            let reason = inner.text("unknown");
            if fields.len() > 1 {
                inner.wrong_here("a value that is not known has `unknown: \"why\"` and nothing else".into());
            }
            let key = inner.path.join(".");
            return reason.filter(|_| self.problems.len() == before).map(|reason| Err(Missing { key, reason }));
        }
        let scale = inner.unit(dimension.units);
        let numbers = if dimension.by_threads { inner.numbers_by_threads() } else { inner.number() };
        let evidence = inner.evidence();
        let (scale, numbers, evidence) = (scale?, numbers?, evidence?);
        let numbers: BTreeMap<u32, f64> = numbers.into_iter().map(|(at, number)| (at, tidy(number * scale))).collect();
        for number in numbers.values() {
            if let Some(demand) = unmet(dimension.demand, *number) {
                let mut inner = Reader { node: Some(fields), path: self.path_to(key), problems: self.problems };
                inner.wrong_value("value", demand.into());
                return None;
            }
        }
        let key = self.path_to(key).join(".");
        (self.problems.len() == before).then(|| Ok(Value::new(key, T::from_base(&numbers), evidence)))
    }

    fn unit(&mut self, units: &[(&str, f64)]) -> Option<f64> {
        let unit = self.text("unit")?;
        let found = units.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
        if found.is_none() {
            let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
            self.wrong_value("unit", format!("expected the unit {}, found `{unit}`", listed(&names)));
        }
        found
    }

    fn number(&mut self) -> Option<BTreeMap<u32, f64>> {
        let Some(node) = self.get("value") else {
            self.wrong_here("missing key `value`".into());
            return None;
        };
        let number = node.as_f64().filter(|number| number.is_finite());
        if number.is_none() {
            self.wrong_value("value", format!("expected a number, found {}", kind_of(node)));
        }
        number.map(|number| BTreeMap::from([(0, number)]))
    }

    fn numbers_by_threads(&mut self) -> Option<BTreeMap<u32, f64>> {
        let Some(Node::Mapping(points)) = self.get("value") else {
            self.wrong_here("expected `value: {1: .., 2: ..}`, numbers of threads with what they reach".into());
            return None;
        };
        let read = |(threads, number): (&Node, &Node)| {
            // JSON, which an entry may be in, has no keys but texts.
            let threads = threads.as_u64().or_else(|| threads.as_str()?.parse().ok())?;
            let threads = u32::try_from(threads).ok().filter(|threads| *threads > 0)?;
            Some((threads, number.as_f64().filter(|number| number.is_finite())?))
        };
        let numbers: Option<BTreeMap<u32, f64>> = points.iter().map(read).collect();
        if numbers.as_ref().is_none_or(BTreeMap::is_empty) {
            self.wrong_value("value", "expected numbers of threads, each with a number".into());
            return None;
        }
        numbers
    }

    fn evidence(&mut self) -> Option<Evidence> {
        let has = |key: &str| self.get(key).is_some();
        let facts =
            [has("source") || has("confidence"), has("measured_by") || has("method"), has("estimate") || has("basis")];
        if facts.iter().filter(|stated| **stated).count() != 1 {
            self.wrong_here(
                "expected one of `source: \"document, place in it\"`, `measured_by: \"who, where told\"` with `method`, \
                 or `estimate: true` with `basis`"
                    .into(),
            );
            return None;
        }
        if facts[0] {
            let source = self.text("source");
            return match self.get("confidence") {
                None => Some(Evidence::Fact { source: source? }),
                Some(Node::String(word)) if word == UNVERIFIED => Some(Evidence::Unverified { source: source? }),
                Some(other) => {
                    self.wrong_value(
                        "confidence",
                        format!("expected `{UNVERIFIED}` or no such key, found {}", kind_of(other)),
                    );
                    None
                }
            };
        }
        if facts[1] {
            let (by, method) = (self.text("measured_by"), self.text("method"));
            return Some(Evidence::Measured { by: by?, method: method? });
        }
        if self.get("estimate") != Some(&Node::Bool(true)) {
            self.wrong_here("an estimate has `estimate: true` and `basis: \"what it was concluded from\"`".into());
            return None;
        }
        Some(Evidence::Estimate { basis: self.text("basis")? })
    }
}

/// Takes off what the unit's scale adds to a whole number by rounding.
fn tidy(number: f64) -> f64 {
    let whole = number.round();
    if whole != 0.0 && ((number - whole) / whole).abs() < 1e-12 { whole } else { number }
}

/// What the number lacks, if anything.
fn unmet(demand: Demand, number: f64) -> Option<&'static str> {
    let whole = number.fract() == 0.0 && number.abs() <= MAX_EXACT;
    match demand {
        Demand::Positive => {
            (number <= 0.0).then_some("expected more than zero; for what is not known write `unknown: \"why\"`")
        }
        Demand::Count => (!whole || number < 1.0)
            .then_some("expected a whole number of at least one; for what is not known write `unknown: \"why\"`"),
        Demand::WholeOrZero => (!whole || number < 0.0).then_some("expected a whole number"),
        Demand::PowerOfTwo => {
            let power = whole && (1.0..=f64::from(u32::MAX)).contains(&number) && (number as u32).is_power_of_two();
            (!power).then_some("expected a power of two")
        }
    }
}

/// The node in words.
pub(crate) fn kind_of(node: &Node) -> String {
    match node {
        Node::Null => "nothing".into(),
        Node::Bool(value) => format!("`{value}`"),
        Node::Number(number) => format!("the number {number}"),
        Node::String(text) if text.trim().is_empty() => "no words".into(),
        Node::String(text) => format!("`{text}`"),
        Node::Sequence(_) => "a list".into(),
        Node::Mapping(_) => "keys and values".into(),
        Node::Tagged(_) => "a tag".into(),
    }
}

/// The names in backquotes, with `or` before the last.
pub(crate) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
