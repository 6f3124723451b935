//! What is known of a region for its launches: other devices that it may go to, and the times of its launches in this run and before.

use std::collections::BTreeMap;
use std::sync::Mutex;

use ipda_models::form::Leaf;
use ipda_models::table::Prediction;

use crate::learn::Kept;
use crate::learn::file::Key;
use crate::messages::lock;
use crate::values::Values;

/// What is known of a region.
pub(crate) struct State {
    pub(crate) key: Key,
    /// GPUs of other kinds than the default one's, where launches may go to them.
    pub(crate) others: Vec<Other>,
    /// By their keys; none where nothing is kept.
    classes: Option<Mutex<BTreeMap<u64, Kept>>>,
}

/// A device, and what predicts a region's time on it.
pub(crate) struct Other {
    pub(crate) number: i32,
    pub(crate) prediction: Prediction,
    pub(crate) values: Values,
}

impl State {
    pub(crate) fn new(key: Key, others: Vec<Other>, classes: Option<BTreeMap<u64, Kept>>) -> State {
        State { key, others, classes: classes.map(Mutex::new) }
    }

    /// The fastest device of another kind for a launch with these values, if it is faster than the one that the launch has chosen.
    pub(crate) fn faster_device(&self, seconds: f64, values: &[f64]) -> Option<i32> {
        let times = self.others.iter().map(|other| (other.number, other.device_seconds(values)));
        let fastest = times.filter(|(_, seconds)| *seconds > 0.0).min_by(|one, two| one.1.total_cmp(&two.1))?;
        // Where nothing is known of the choice, it stands.
        (fastest.1 < seconds).then_some(fastest.0)
    }

    /// Whether the times of launches are kept.
    pub(crate) fn keeps(&self) -> bool {
        self.classes.is_some()
    }

    /// The class of that number, in the order of keys.
    pub(crate) fn class(&self, number: usize) -> Option<Kept> {
        lock(self.classes.as_ref()?).values().nth(number).copied()
    }

    /// Keeps a class in the place of what was known of it.
    pub(crate) fn keep(&self, class: Kept) {
        if let Some(classes) = &self.classes {
            lock(classes).insert(class.key, class);
        }
    }

    /// All that is known.
    pub(crate) fn classes(&self) -> Vec<Kept> {
        self.classes.as_ref().map(|classes| lock(classes).values().copied().collect()).unwrap_or_default()
    }
}

impl Other {
    /// The time of a launch with these values on the device; no number where that cannot be predicted.
    fn device_seconds(&self, values: &[f64]) -> f64 {
        let captured = |name: &String| {
            let place = self.prediction.captured.iter().position(|carried| carried.name == *name)?;
            values.get(place).copied()
        };
        let results = self.prediction.form.evaluate(|leaf| match leaf {
            Leaf::Machine(key) => self.values.get(key),
            Leaf::Captured(name) => captured(name),
            // The host's, on which a device's time does not depend.
            Leaf::HostThreads => None,
        });
        self.prediction.seconds(&results).map_or(f64::NAN, |seconds| seconds.device)
    }
}
