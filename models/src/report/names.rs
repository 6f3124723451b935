//! The program's own names, where the compiler's words are numbers: what is reported about device code has no names of variables.

use super::{ConditionRole, Extent, NamedLoop, Reason, Region, Transformation};
use crate::versions::{DeviceVersion, GuardCondition};

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
    pub fn in_transformation(&self, reported: Transformation) -> Transformation {
        Transformation {
            state: reported.state,
            reasons: self.in_reasons(reported.reasons),
            versions: reported.versions.into_iter().map(|version| self.in_version(version)).collect(),
            lockstep_guard: self.in_guard(reported.lockstep_guard),
        }
    }

    fn in_guard(&self, guard: Vec<GuardCondition>) -> Vec<GuardCondition> {
        let condition = |condition: GuardCondition| GuardCondition {
            text: self.in_text(&condition.text),
            not_negative: condition.not_negative.map(|expression| self.in_text(&expression)),
            role: condition.role.map(|role| self.in_role(role)),
        };
        guard.into_iter().map(condition).collect()
    }

    /// A version, as the source calls it.
    pub fn in_version(&self, version: DeviceVersion) -> DeviceVersion {
        let text = |text: &String| self.in_text(text);
        DeviceVersion {
            recipe: version.recipe.renamed(|named| self.of_loop(named), |text| self.in_text(text)),
            gain: version.gain.map(|mut gain| {
                gain.per_iteration_of = gain.per_iteration_of.as_ref().map(text);
                gain
            }),
            guard: self.in_guard(version.guard),
            rests_on: self.in_reasons(version.rests_on),
            reasons: self.in_reasons(version.reasons),
            clause: version.clause.as_ref().map(text),
            ..version
        }
    }

    fn in_reasons(&self, reasons: Vec<Reason>) -> Vec<Reason> {
        reasons.into_iter().map(|reason| self.in_reason(reason)).collect()
    }

    fn in_reason(&self, mut reason: Reason) -> Reason {
        reason.text = self.in_text(&reason.text);
        if let Some(dependence) = &mut reason.dependence {
            for end in [&mut dependence.source, &mut dependence.sink] {
                end.object = end.object.as_ref().map(|object| self.in_text(object));
            }
            for step in &mut dependence.steps {
                step.of.name = self.of_loop(&step.of);
                step.distance = step.distance.as_ref().map(|distance| self.in_text(distance));
            }
        }
        reason
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
