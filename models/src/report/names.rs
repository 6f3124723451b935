//! The program's own names, where the compiler's words are numbers: what is told of device code has no names of variables.

use super::{ConditionRole, Extent, NamedLoop, Region, Transformation};

/// What a region's captured variables and loops are called in the source.
pub struct Names<'a> {
    region: &'a Region,
}

impl<'a> Names<'a> {
    /// The names in a region.
    pub fn of(region: &'a Region) -> Names<'a> {
        Names { region }
    }

    /// A text with `arg1` and `loop1` as the source calls them.
    pub fn in_text(&self, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut result = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let end = if is_part(c) { rest.find(|c| !is_part(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
            let (word, behind) = rest.split_at(end);
            result.push_str(self.word(word).unwrap_or(word));
            rest = behind;
        }
        result
    }

    /// What became of the loops, as the source calls them.
    pub fn in_transformation(&self, told: Transformation) -> Transformation {
        let text = |text: &String| self.in_text(text);
        Transformation {
            threads: told
                .threads
                .iter()
                .map(|named| NamedLoop { name: self.of_loop(named), location: named.location.clone() })
                .collect(),
            gain: told.gain.map(|mut gain| {
                gain.per_iteration_of = gain.per_iteration_of.as_ref().map(text);
                gain
            }),
            conditions: told.conditions.iter().map(text).collect(),
            roles: told.roles.into_iter().map(|role| self.in_role(role)).collect(),
            reasons: told
                .reasons
                .into_iter()
                .map(|mut reason| {
                    reason.text = self.in_text(&reason.text);
                    if let Some(dependence) = &mut reason.dependence {
                        for end in [&mut dependence.source, &mut dependence.sink] {
                            end.object = end.object.as_ref().map(text);
                        }
                        for step in &mut dependence.steps {
                            step.of.name = self.of_loop(&step.of);
                            step.distance = step.distance.as_ref().map(text);
                        }
                    }
                    reason
                })
                .collect(),
            clause: told.clause.as_ref().map(text),
            ..told
        }
    }

    fn in_role(&self, role: ConditionRole) -> ConditionRole {
        let named = |extent: Extent| Extent {
            array: self.in_text(&extent.array),
            low: self.in_text(&extent.low),
            size: self.in_text(&extent.size),
        };
        match role {
            ConditionRole::Apart { first, second } => {
                ConditionRole::Apart { first: named(first), second: named(second) }
            }
            other => other,
        }
    }

    /// What people call a loop.
    pub fn of_loop(&self, named: &NamedLoop) -> String {
        let at_place = named.location.as_ref().and_then(|place| {
            let mut at = self.region.loops.iter().filter(|each| each.location.as_ref() == Some(place));
            at.next().filter(|_| at.next().is_none())
        });
        match at_place.and_then(|each| each.variable.as_deref()) {
            Some(variable) => variable.to_owned(),
            None => self.word(&named.name).unwrap_or(&named.name).to_owned(),
        }
    }

    fn word(&self, word: &str) -> Option<&'a str> {
        let number = |prefix: &str| word.strip_prefix(prefix)?.parse::<usize>().ok();
        let is_own = self.region.captures.iter().any(|capture| capture.name == word);
        if is_own || self.region.loops.iter().any(|each| each.variable.as_deref() == Some(word)) {
            return None;
        }
        if let Some(at) = number("arg") {
            return self.region.captures.get(at).map(|capture| &capture.name[..]);
        }
        number("loop")?;
        let each = self.region.loops.iter().find(|each| each.id == word)?;
        each.variable.as_deref()
    }
}
