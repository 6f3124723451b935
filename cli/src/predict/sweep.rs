//! Times as a variable grows.

use std::str::FromStr;

use ipda_models::predict::{Choice, Comparison, PredictError, Prediction};
use ipda_models::quantity::Seconds;
use ipda_models::summary::{Bindings, RegionSummary};

/// Values from the first on, each twice the one before.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// The variables, all with the same value.
    pub names: Vec<String>,
    /// The first value.
    pub from: i64,
    /// The last.
    pub to: i64,
}

/// What a sweep found.
pub struct Swept {
    /// Value, time of the host, time of the device.
    pub rows: Vec<(i64, f64, Option<f64>)>,
    /// For each row the factors within which both times are expected, where that is known.
    pub within: Vec<(Option<f64>, Option<f64>)>,
    /// Where the faster side changes: the first value at which the other one is.
    pub crossings: Vec<(i64, Side)>,
}

/// Who is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The host.
    Host,
    /// The device.
    Device,
    /// Neither takes any time.
    Neither,
}

impl Side {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Side::Host => "host",
            Side::Device => "device",
            Side::Neither => "neither",
        }
    }

    /// In the words of a sentence.
    pub fn clause(self) -> &'static str {
        match self {
            Side::Host => "the host is faster",
            Side::Device => "the device is faster",
            Side::Neither => "neither takes any time",
        }
    }
}

impl From<Choice> for Side {
    fn from(choice: Choice) -> Side {
        match choice {
            Choice::Host => Side::Host,
            Choice::Device => Side::Device,
        }
    }
}

impl FromStr for Sweep {
    type Err = String;

    fn from_str(text: &str) -> Result<Sweep, String> {
        let expected = || "expected NAME=FROM..TO, such as n=64..65536".to_owned();
        let (names, range) = text.rsplit_once('=').ok_or_else(expected)?;
        let (from, to) = range.split_once("..").ok_or_else(expected)?;
        let number = |text: &str| text.parse::<i64>().map_err(|_| expected());
        let (from, to) = (number(from)?, number(to)?);
        if from < 1 || to < from {
            return Err("expected a first value of at least 1, and a last one that is not below it".into());
        }
        let names: Vec<String> = names.split(',').map(str::to_owned).collect();
        Ok(Sweep { names, from, to })
    }
}

impl Sweep {
    /// The values with those of the sweep.
    pub fn at(&self, bindings: &Bindings, value: i64) -> Bindings {
        self.names.iter().fold(bindings.clone(), |bindings, name| bindings.with(name, value as f64))
    }

    /// All predictions, and between which values the faster side changes.
    pub fn run(
        &self,
        summary: &mut RegionSummary,
        bindings: &Bindings,
        predict: impl Fn(&mut RegionSummary, &Bindings) -> Result<Prediction, PredictError>,
    ) -> Result<Swept, PredictError> {
        let mut at = |value: i64| predict(summary, &self.at(bindings, value));
        let mut values = vec![self.from];
        while let Some(next) = values.last().and_then(|last| last.checked_mul(2)).filter(|next| *next < self.to) {
            values.push(next);
        }
        if self.to > self.from {
            values.push(self.to);
        }
        let (mut rows, mut within) = (Vec::new(), Vec::new());
        for value in values {
            let prediction = at(value)?;
            let (host, device) = sides(&prediction);
            rows.push((value, host, device));
            within.push(spreads(&prediction));
        }
        let mut crossings = Vec::new();
        for pair in rows.windows(2) {
            let [(low, host, device), (high, host_then, device_then)] = pair else { continue };
            let (Some(before), Some(after)) = (faster(*host, *device), faster(*host_then, *device_then)) else {
                continue;
            };
            if before == after {
                continue;
            }
            // Halving finds one change, which is all where the two times cross once.
            let (mut low, mut high) = (*low, *high);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                let (host, device) = sides(&at(middle)?);
                if faster(host, device) == Some(before) { low = middle } else { high = middle }
            }
            crossings.push((high, after));
        }
        Ok(Swept { rows, within, crossings })
    }
}

/// The factors within which the times of the host and of the device are expected.
fn spreads(prediction: &Prediction) -> (Option<f64>, Option<f64>) {
    let of_host = prediction.host.doubt.as_ref().map(|doubt| doubt.spread.factor());
    let of_device = prediction.device_version().and_then(|version| prediction.device_spread(version));
    (of_host, of_device.map(|spread| spread.factor()))
}

/// Who is faster, if there are times for both.
pub fn faster(host: f64, device: Option<f64>) -> Option<Side> {
    let comparison = Comparison::of(Seconds::new(host), Seconds::new(device?));
    Some(comparison.choice().map_or(Side::Neither, Side::from))
}

/// The host's and the device's time, and whether the device is faster.
fn sides(prediction: &Prediction) -> (f64, Option<f64>) {
    (prediction.host.estimate.total().get(), prediction.device_total().map(|total| total.get()))
}
