//! Launches: where they run, how long they took.

use std::sync::Mutex;

use ipda_models::form::Leaf;
use ipda_models::table::Prediction;

use crate::learn::file::Key;
use crate::learn::{Chosen, Class, Predicted, Side};
use crate::settings::{Choices, Learning, Log, Settings};
use crate::tell::{self, Sum, lock, tell};
use crate::values::Values;

/// What is known of a region.
pub(crate) struct State {
    pub(crate) title: String,
    pub(crate) key: Key,
    /// GPUs of other kinds than the usual one's, where launches may go to them.
    pub(crate) others: Vec<Other>,
    inner: Mutex<Inner>,
}

/// A device, and what predicts a region's time on it.
pub(crate) struct Other {
    pub(crate) number: i32,
    pub(crate) prediction: Prediction,
    pub(crate) values: Values,
}

struct Inner {
    /// Of the host and the device.
    sums: [Sum; 2],
    /// Empty where nothing is learned.
    classes: Box<[Class]>,
}

/// A launch that is under way.
#[derive(Clone, Copy)]
pub(crate) struct Launch {
    state: &'static State,
    pub(crate) side: Side,
    /// The number of the device, where it is not the usual one.
    pub(crate) device: Option<i32>,
    chosen: Chosen,
    predicted: Predicted,
    /// Whether both versions could have run, with predictions.
    is_comparable: bool,
}

/// What the launch's own code says.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// Its choice.
    pub(crate) side: Side,
    pub(crate) host: MayTurn,
    pub(crate) device: MayTurn,
    pub(crate) predicted: Predicted,
    /// The values of the variables that the prediction needs, in its order.
    pub(crate) values: &'a [f64],
}

/// Whether the launch's code lets a choice be turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MayTurn {
    /// Between host and device, where the host may run it; to another device.
    Yes,
    /// It stands.
    No,
}

impl State {
    pub(crate) fn new(title: String, key: Key, others: Vec<Other>, classes: Box<[Class]>) -> State {
        State { title, key, others, inner: Mutex::new(Inner { sums: [Sum::default(); 2], classes }) }
    }

    /// Begins a launch.
    pub(crate) fn begin(&'static self, settings: &Settings, asked: &Asked<'_>) -> Launch {
        let &Asked { side, predicted, .. } = asked;
        let is_open = settings.choices == Choices::Predicted;
        let plain =
            Launch { state: self, side, device: None, chosen: Chosen::AsAsked, predicted, is_comparable: false };
        if is_open
            && asked.device == MayTurn::Yes
            && let Some((number, seconds)) = self.faster_device(asked)
        {
            let predicted = Predicted { device: seconds, ..predicted };
            return Launch { side: Side::Device, device: Some(number), predicted, ..plain };
        }
        let could_run = side == Side::Host || asked.host == MayTurn::Yes;
        let is_comparable = could_run && predicted.is_known() && settings.learning != Learning::Off;
        if !is_comparable || !is_open || asked.host == MayTurn::No || side != predicted.plain {
            return Launch { is_comparable, ..plain };
        }
        let mut inner = lock(&self.inner);
        let learned = inner.classes.get_mut(predicted.class()).map_or(side, |class| class.choose(predicted));
        let chosen = if learned == side { Chosen::AsAsked } else { Chosen::Turned };
        Launch { side: learned, chosen, is_comparable, ..plain }
    }

    /// The device of another kind that takes least, and what it takes, if that is less than the launch's own choice takes.
    fn faster_device(&self, asked: &Asked<'_>) -> Option<(i32, f64)> {
        let times = self.others.iter().map(|other| (other.number, other.device_seconds(asked.values)));
        let least = times.filter(|(_, seconds)| *seconds > 0.0).min_by(|one, two| one.1.total_cmp(&two.1))?;
        // Where nothing is known of the choice, it stands.
        (least.1 < asked.predicted.of(asked.side)).then_some(least)
    }

    /// Ends a launch that took so many seconds.
    fn end(&self, settings: &Settings, launch: &Launch, seconds: f64) {
        let &Launch { side, chosen, predicted, is_comparable, .. } = launch;
        {
            let mut inner = lock(&self.inner);
            let sum = &mut inner.sums[side as usize];
            let is_first = sum.launches == 0;
            sum.add(predicted.of(side), seconds);
            if is_comparable && let Some(class) = inner.classes.get_mut(predicted.class()) {
                class.add(side, chosen, predicted, seconds, is_first);
            }
        }
        if settings.log == Log::Calls {
            let place = launch.device.map_or_else(|| tell::words(side).to_owned(), |number| format!("device {number}"));
            tell(&tell::launch(&self.title, &place, predicted.of(side), seconds, chosen));
        }
    }

    /// What the launches took until now, on the host and on devices.
    pub(crate) fn sums(&self) -> [(Side, Sum); 2] {
        let sums = lock(&self.inner).sums;
        [Side::Host, Side::Device].map(|side| (side, sums[side as usize]))
    }

    /// What was learned, by the classes' numbers.
    pub(crate) fn learned(&self) -> Vec<(usize, Class)> {
        let inner = lock(&self.inner);
        let classes = inner.classes.iter().copied().enumerate();
        classes.filter(|(_, class)| *class != Class::default()).collect()
    }
}

impl Launch {
    /// Ends it, after so many seconds.
    pub(crate) fn end(&self, settings: &Settings, seconds: f64) {
        self.state.end(settings, self, seconds);
    }
}

impl Other {
    /// What a launch with these values takes on the device; no number where that cannot be told.
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
