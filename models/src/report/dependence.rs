//! A dependence between iterations of loops, as data for whoever prints it.

use super::{AccessKind, Location, NamedLoop};
use ipda_symbolic::Step;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two accesses to one place of memory, one of them a write, in iterations that must stay in their order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dependence {
    /// What has to wait for what.
    pub kind: DependenceKind,
    /// Whether it is there for sure whenever the loops run long enough; else it could not be excluded.
    pub certain: bool,
    /// The access that comes first in the order of the program.
    pub source: DependenceEnd,
    /// The one that waits for it.
    pub sink: DependenceEnd,
    /// How the iteration of the source lies to that of the sink, by the loops around both, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<DependenceStep>,
}

/// What the sink of a dependence has to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DependenceKind {
    /// It reads what the source has written.
    Flow,
    /// It writes where the source has read.
    Anti,
    /// It writes where the source has written.
    Output,
}

/// An access at one end of a dependence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DependenceEnd {
    /// What it does.
    pub access: AccessKind,
    /// The array or variable; absent where it is not one known object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Its place in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// A loop's entry of a direction vector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DependenceStep {
    /// The loop.
    #[serde(rename = "loop")]
    pub of: NamedLoop,
    /// The directions that are possible.
    pub direction: Directions,
    /// The number of the sink's iteration less that of the source's, where it is one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<String>,
}

/// A set of directions: of `<` (the source's iteration comes earlier), `=` and `>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Directions {
    /// Impossible.
    #[serde(rename = "")]
    None,
    /// Earlier.
    #[serde(rename = "<")]
    Less,
    /// The same.
    #[serde(rename = "=")]
    Equal,
    /// Later.
    #[serde(rename = ">")]
    Greater,
    /// Not later.
    #[serde(rename = "<=")]
    LessEqual,
    /// Another.
    #[serde(rename = "<>")]
    Unequal,
    /// Not earlier.
    #[serde(rename = "=>")]
    GreaterEqual,
    /// Any.
    #[serde(rename = "<=>")]
    Any,
}

impl From<&Step> for Directions {
    /// Those that are possible in a step.
    fn from(step: &Step) -> Directions {
        match (step.less, step.equal, step.greater) {
            (false, false, false) => Directions::None,
            (true, false, false) => Directions::Less,
            (false, true, false) => Directions::Equal,
            (false, false, true) => Directions::Greater,
            (true, true, false) => Directions::LessEqual,
            (true, false, true) => Directions::Unequal,
            (false, true, true) => Directions::GreaterEqual,
            (true, true, true) => Directions::Any,
        }
    }
}

impl DependenceKind {
    /// The word that the file and every text use.
    pub fn name(self) -> &'static str {
        match self {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
        }
    }

    /// What it means for iterations that run in another order.
    pub fn meaning(self) -> &'static str {
        match self {
            DependenceKind::Flow => {
                "one iteration reads what an earlier one has written; by another thread, it might read too early"
            }
            DependenceKind::Anti => {
                "one iteration writes where an earlier one still reads; by another thread, it might overwrite that too early"
            }
            DependenceKind::Output => "two iterations write to the same place, and what the later one writes must stay",
        }
    }
}

impl Dependence {
    /// The objects at its ends: `A`, `A and B`, or `memory`.
    pub fn objects(&self) -> String {
        let name = |end: &DependenceEnd| end.object.clone().unwrap_or_else(|| "memory".into());
        let (from, to) = (name(&self.source), name(&self.sink));
        if from == to { from } else { format!("{from} and {to}") }
    }

    /// How far apart the iterations are, in words: `i the same iteration, j 1 iteration later`; none where nothing is known of them.
    pub fn distance(&self) -> Option<String> {
        let is_known = |step: &&DependenceStep| step.direction != Directions::Any;
        let words: Vec<String> = self.steps.iter().filter(is_known).map(DependenceStep::words).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// What would show that its ends are in different arrays, in words for the programmer; none where they are in one.
    pub fn separation(&self) -> Option<&'static str> {
        if self.source.object == self.sink.object {
            return None;
        }
        let objects = [&self.source.object, &self.sink.object];
        // A row that a pointer in memory leads to has no name that could be marked.
        let is_row = |object: &&Option<String>| object.as_ref().is_some_and(|name| name.contains("[]"));
        Some(match () {
            () if objects.iter().any(is_row) => "keep all rows in one array, in place of pointers to rows",
            () if objects.contains(&&None) => "let each access begin at a parameter or an array of its own",
            // Of a member, a global or a local pointer, restrict tells the compiler nothing.
            () => "make the pointers restrict parameters of the function, if these arrays never overlap",
        })
    }

    /// What would remove it, in words for the programmer.
    pub fn removal(&self) -> &'static str {
        if let Some(separation) = self.separation() {
            return separation;
        }
        if self.source.location.is_some() && self.source.location == self.sink.location {
            return SUM;
        }
        match self.kind {
            DependenceKind::Anti => {
                "write what iterations compute to a second array, so that others still read what was there; or bring another loop outward"
            }
            DependenceKind::Flow | DependenceKind::Output => {
                "if iterations need each other's results, the loop must stay in order: bring another loop outward; if they do not, write the \
                 indices so that this can be seen, as A[i*n + j] with j below n"
            }
        }
    }
}

impl DependenceStep {
    fn words(&self) -> String {
        let name = &self.of.name;
        match (self.direction, self.distance.as_deref()) {
            (Directions::Less, Some("1")) => format!("{name} 1 iteration later"),
            (Directions::Less, Some(distance)) => format!("{name} {distance} iterations later"),
            (Directions::Greater, Some(distance)) => match distance.strip_prefix('-') {
                Some("1") => format!("{name} 1 iteration earlier"),
                Some(count) if count.bytes().all(|byte| byte.is_ascii_digit()) => {
                    format!("{name} {count} iterations earlier")
                }
                _ => format!("{name} {distance} iterations on"),
            },
            (Directions::Equal, _) => format!("{name} the same iteration"),
            (Directions::Less, None) => format!("{name} a later iteration"),
            (Directions::Greater, None) => format!("{name} an earlier iteration"),
            (Directions::LessEqual, _) => format!("{name} the same or a later iteration"),
            (Directions::GreaterEqual, _) => format!("{name} the same or an earlier iteration"),
            (Directions::Unequal, _) => format!("{name} another iteration"),
            (Directions::Any | Directions::None, _) => format!("{name} any iteration"),
        }
    }
}

/// Of a value that an inner loop adds up.
const SUM: &str = "if this adds up a value over the inner loop, let the threads of a team share that loop: teams distribute on \
                   the outer loop, and on the inner one parallel for reduction(+: sum), with sum declared between the two";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{ObstacleKind, Reason};

    fn step(name: &str, direction: Directions, distance: Option<&str>) -> DependenceStep {
        let of = NamedLoop { name: name.into(), location: None };
        DependenceStep { of, direction, distance: distance.map(str::to_owned) }
    }

    fn dependence(from: &str, to: &str, lines: [u32; 2]) -> Dependence {
        let end = |access, object: &str, line| DependenceEnd {
            access,
            object: Some(object.into()),
            location: Some(Location { file: "a.c".into(), line, column: 3 }),
        };
        Dependence {
            kind: DependenceKind::Flow,
            certain: true,
            source: end(AccessKind::Store, from, lines[0]),
            sink: end(AccessKind::Load, to, lines[1]),
            steps: vec![
                step("i", Directions::Equal, Some("0")),
                step("j", Directions::Less, Some("1")),
                step("k", Directions::Any, None),
            ],
        }
    }

    #[test]
    fn a_dependence_says_how_far_it_reaches_and_what_removes_it() {
        let found = dependence("A", "A", [3, 4]);
        assert_eq!(found.distance().as_deref(), Some("i the same iteration, j 1 iteration later"));
        assert_eq!(found.objects(), "A");
        assert!(found.removal().contains("must stay in order"));
        assert!(dependence("A", "B", [3, 4]).removal().contains("restrict parameters"));
        assert!(dependence("A[]", "B", [3, 4]).removal().contains("rows in one array"));
        let mut unnamed = dependence("A", "B", [3, 4]);
        unnamed.sink.object = None;
        assert!(unnamed.removal().contains("a parameter or an array"));
        assert!(dependence("A", "A", [3, 3]).removal().contains("reduction(+: sum)"));
    }

    #[test]
    fn a_dependence_survives_the_file() {
        let reason = ObstacleKind::Dependence.reason("in words");
        let reason = Reason { dependence: Some(Box::new(dependence("A", "B", [1, 2]))), ..reason };
        let text = serde_yaml::to_string(&reason).unwrap();
        assert!(text.contains("direction: <=>"), "{text}");
        assert_eq!(serde_yaml::from_str::<Reason>(&text).unwrap(), reason);
    }
}
