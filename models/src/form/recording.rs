//! A form while it is written.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::Form;
use super::range::Range;
use super::step::{Leaf, Place, Stage, Step, stage_of};

/// A form while it is written.
#[derive(Default)]
pub(super) struct Recording {
    pub form: Form,
    pub stages: Vec<Stage>,
    pub ranges: Vec<Range>,
    pub places: FxHashMap<Step, Place>,
}

thread_local! {
    pub(super) static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

impl Recording {
    pub(super) fn add(&mut self, step: Step) -> Place {
        if let Some(place) = self.places.get(&step) {
            return *place;
        }
        let own = match step {
            Step::Leaf(number) => stage_of(&self.form.leaves[number as usize]),
            _ => Stage::Machine,
        };
        let stage = step.operands().map(|place| self.stages[place as usize]).fold(own, Stage::max);
        let place = self.form.steps.len() as Place;
        let range = match step {
            Step::Leaf(number) => Range::of_leaf(&self.form.leaves[number as usize]),
            _ => Range::of(step, |place| self.ranges[place as usize]),
        };
        self.form.steps.push(step);
        self.stages.push(stage);
        self.ranges.push(range);
        self.places.insert(step, place);
        place
    }

    pub(super) fn leaf(&mut self, leaf: Leaf) -> Place {
        let known = self.form.leaves.iter().position(|other| *other == leaf);
        let number = known.unwrap_or_else(|| {
            self.form.leaves.push(leaf);
            self.form.leaves.len() - 1
        });
        self.add(Step::Leaf(number as u32))
    }
}
