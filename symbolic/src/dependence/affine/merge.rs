//! Vectors that differ in one loop alone as one.

use crate::dependence::vector::Vector;

/// Vectors in the order of their directions, those that differ in one loop alone as one.
pub(super) fn merge_from(vectors: Vec<Vector>, level: usize, loops: usize) -> Vec<Vector> {
    if level == loops || vectors.len() < 2 {
        return vectors;
    }
    // What has one direction here lies together.
    let mut groups: Vec<Vec<Vector>> = Vec::new();
    for vector in vectors {
        match groups.last_mut().filter(|group| group[0].steps[level].directions() == vector.steps[level].directions()) {
            Some(group) => group.push(vector),
            None => groups.push(vec![vector]),
        }
    }
    let mut done: Vec<Vec<Vector>> = Vec::new();
    for group in groups {
        let group = merge_from(group, level + 1, loops);
        let is_alike = |other: &Vec<Vector>| {
            other.len() == group.len() && other.iter().zip(&group).all(|(a, b)| can_join(a, b, level))
        };
        match done.iter_mut().find(|other| is_alike(other)) {
            Some(other) => other.iter_mut().zip(group).for_each(|(into, vector)| join(into, vector, level)),
            None => done.push(group),
        }
    }
    done.into_iter().flatten().collect()
}

fn can_join(a: &Vector, b: &Vector, level: usize) -> bool {
    a.steps[level + 1..] == b.steps[level + 1..]
        && a.steps[..level] == b.steps[..level]
        && a.excluded_if == b.excluded_if
}

fn join(into: &mut Vector, other: Vector, level: usize) {
    let (step, added) = (&mut into.steps[level], &other.steps[level]);
    step.less |= added.less;
    step.equal |= added.equal;
    step.greater |= added.greater;
    // Which of several distances is sure is no longer known.
    let is_same = step.distance == added.distance;
    into.certain = match is_same {
        true => into.certain || other.certain,
        false => into.certain && step.is_near() || other.certain && added.is_near(),
    };
    if !is_same {
        step.distance = None;
    }
}
