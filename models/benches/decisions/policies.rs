//! Policies: what decides where a launch runs, each case judged with what the cases of other programs say.

use ipda_models::policy::Evidence;
use ipda_models::predict::Prediction;
use statrs::statistics::Statistics;

use super::scores::Case;

/// A case as policies see it.
pub struct Seen {
    /// The kernel's program: kernels of one are no evidence for each other.
    pub program: String,
    /// The logarithm of the measured time on the host over that on the device.
    pub measured: f64,
    /// What a launch predicts, which does not know whether the host's threads exist.
    pub prediction: Prediction,
}

/// A case that another table has measured on both sides, of a machine for which nothing is predicted here.
pub struct Elsewhere {
    /// As of a case that is seen.
    pub program: String,
    /// The logarithm of the measured time on the host over that on the device.
    pub measured: f64,
}

/// Policies with their names in the table.
pub const POLICIES: [(&str, Policy); 7] = [
    ("faster one predicted", Policy::Faster),
    ("best factor", Policy::BestFactor),
    ("regression", Policy::Regression),
    ("half of making threads", Policy::HalfOfMaking),
    ("and prior with spreads", Policy::PriorAndSpreads),
    ("and shared cores", Policy::SharedCores),
    ("model: and all tables", Policy::Model),
];

/// What decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// The predicted times alone.
    Faster,
    /// The host has to be faster by the factor that loses least in other programs.
    BestFactor,
    /// Measured quotients as a line over predicted ones, of cases in which threads share cores or not.
    Regression,
    /// Predicted times; half of the time to make threads counts.
    HalfOfMaking,
    /// As well the prior and both spreads.
    PriorAndSpreads,
    /// As well how much longer the host takes where its threads share cores.
    SharedCores,
    /// As well the prior of all tables that have both times: what launches do.
    Model,
}

/// No evidence, in which spreads do not count.
const PLAIN: Evidence = Evidence { mean: 0.0, variance: 1.0, shared_cores: 0.0 };

impl Seen {
    /// The logarithm of the time on the host, weighed so, over that on the device.
    fn weighed(&self, evidence: &Evidence) -> f64 {
        let device = self.prediction.device_total().map_or(f64::NAN, |time| time.get());
        let host = self.prediction.weighed(evidence).map_or(f64::NAN, |time| time.get());
        (host / device).ln()
    }

    fn shares_cores(&self) -> bool {
        self.prediction.host.doubt.as_ref().is_some_and(|doubt| doubt.shares_cores())
    }
}

/// What cases say, and of the prior those of other tables; nothing of cores that are shared where there are none.
pub fn evidence(cases: &[&Seen], elsewhere: &[&Elsewhere]) -> Evidence {
    let measured: Vec<f64> =
        cases.iter().map(|case| case.measured).chain(elsewhere.iter().map(|case| case.measured)).collect();
    let shared = cases.iter().filter(|case| case.shares_cores());
    let longer: Vec<f64> = shared.map(|case| case.measured - case.weighed(&PLAIN)).collect();
    Evidence {
        mean: (&measured).mean(),
        variance: (&measured).variance(),
        shared_cores: if longer.is_empty() { 0.0 } else { (&longer).mean() },
    }
}

/// How each case is decided with what others say: below 0 for the host.
pub fn decided(policy: Policy, cases: &[&Seen], elsewhere: &[Elsewhere]) -> Vec<Case> {
    let decide = |case: &&Seen| {
        let others: Vec<&Seen> = cases.iter().filter(|other| other.program != case.program).copied().collect();
        let elsewhere: Vec<&Elsewhere> = elsewhere.iter().filter(|other| other.program != case.program).collect();
        Case { measured: case.measured.exp(), predicted: quotient(policy, case, &others, &elsewhere).exp() }
    };
    cases.iter().map(decide).collect()
}

fn quotient(policy: Policy, case: &Seen, others: &[&Seen], elsewhere: &[&Elsewhere]) -> f64 {
    let of_table = evidence(others, &[]);
    match policy {
        Policy::Faster => predicted(case),
        Policy::BestFactor => predicted(case) + best_factor(others),
        Policy::Regression => regression(case, others),
        Policy::HalfOfMaking => case.weighed(&PLAIN),
        Policy::PriorAndSpreads => case.weighed(&Evidence { shared_cores: 0.0, ..of_table }),
        Policy::SharedCores => case.weighed(&of_table),
        Policy::Model => case.weighed(&evidence(others, elsewhere)),
    }
}

fn predicted(case: &Seen) -> f64 {
    let device = case.prediction.device_total().map_or(f64::NAN, |time| time.get());
    (case.prediction.host.estimate.total().get() / device).ln()
}

/// The logarithm of the factor that loses least: one of those at which a case changes sides.
fn best_factor(cases: &[&Seen]) -> f64 {
    let loses = |factor: f64| -> f64 {
        let is_wrong = |case: &&&Seen| (predicted(case) + factor > 0.0) != (case.measured > 0.0);
        cases.iter().filter(is_wrong).map(|case| case.measured.abs()).sum()
    };
    let factors = cases.iter().map(|case| 1e-9 - predicted(case)).filter(|factor| *factor > 0.0);
    factors.chain([0.0]).min_by(|one, other| loses(*one).total_cmp(&loses(*other))).unwrap_or(0.0)
}

/// The measured quotient that a least-squares line over the predicted ones gives.
fn regression(case: &Seen, others: &[&Seen]) -> f64 {
    let alike: Vec<&&Seen> = others.iter().filter(|other| other.shares_cores() == case.shares_cores()).collect();
    let (x, y): (Vec<f64>, Vec<f64>) = alike.iter().map(|other| (predicted(other), other.measured)).unzip();
    let slope = (&x).covariance(&y) / (&x).variance();
    (&y).mean() + slope * (predicted(case) - (&x).mean())
}
