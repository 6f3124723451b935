use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// A machine on which a version takes what is predicted, times a factor that only its class knows, times noise.
struct Simulated {
    factors: BTreeMap<(usize, bool), f64>,
    classes: Vec<Class>,
    /// Seconds that follow the choice, and that follow the prediction.
    took: f64,
    plain: f64,
    /// The longest run of the other version, in each class where there was one.
    trials: BTreeMap<usize, f64>,
    ran: [bool; 2],
}

impl Simulated {
    fn new() -> Simulated {
        Simulated {
            factors: BTreeMap::new(),
            classes: vec![Class::default(); CLASSES],
            took: 0.0,
            plain: 0.0,
            trials: BTreeMap::new(),
            ran: [false; 2],
        }
    }

    fn time(&self, side: Side, predicted: Predicted) -> f64 {
        let factor = self.factors.get(&(predicted.class(), side == Side::Host)).copied().unwrap_or(1.0);
        predicted.of(side) * factor
    }

    /// `extra` is what the first run of a version does beside.
    fn launch(&mut self, predicted: Predicted, noise: f64, extra: f64) {
        let plain = predicted.plain;
        let place = predicted.class();
        let side = self.classes[place].choose(predicted);
        let number = usize::from(side == Side::Host);
        let is_first = !std::mem::replace(&mut self.ran[number], true);
        let seconds = self.time(side, predicted) * noise + if is_first { extra } else { 0.0 };
        let chosen = if side == plain { Chosen::AsAsked } else { Chosen::Turned };
        self.classes[place].add(side, chosen, predicted, seconds, is_first);
        self.took += seconds;
        self.plain += self.time(plain, predicted) * noise + if is_first && side == plain { extra } else { 0.0 };
        if side != plain {
            let longest = self.trials.entry(place).or_insert(0.0);
            *longest = longest.max(seconds);
        }
    }

    /// One run of the other version in each class is what may be lost.
    fn may_lose(&self) -> f64 {
        self.trials.values().sum()
    }
}

fn predictions() -> impl Strategy<Value = Vec<(f64, f64, f64)>> {
    let time = || (-12.0..2.0_f64).prop_map(f64::exp2);
    proptest::collection::vec((time(), 0.1..10.0_f64, 0.0..1.0_f64), 1..300)
        .prop_map(|all| all.into_iter().map(|(host, ratio, noise)| (host, host * ratio, noise)).collect())
}

fn factors() -> impl Strategy<Value = BTreeMap<(usize, bool), f64>> {
    proptest::collection::btree_map((0..CLASSES, any::<bool>()), (-7.0..7.0_f64).prop_map(f64::exp2), 0..200)
}

proptest! {
    /// Never slower than the predicted choice by more than one run for each size class.
    #[test]
    fn what_is_lost_is_one_run_a_class(all in predictions(), factors in factors(), extra in 0.0..3.0_f64) {
        let mut machine = Simulated { factors, ..Simulated::new() };
        for (host, device, _) in all {
            machine.launch(Predicted::of_times(host, device), 1.0, extra);
        }
        prop_assert!(machine.took <= (machine.plain + machine.may_lose()) * (1.0 + 1e-9));
    }

    /// Nor with times that vary by a half, as far as those of the predicted version vary.
    #[test]
    fn what_is_lost_with_noise(all in predictions(), factors in factors()) {
        let mut machine = Simulated { factors, ..Simulated::new() };
        for (host, device, noise) in all {
            machine.launch(Predicted::of_times(host, device), 1.0 + noise / 2.0, 0.0);
        }
        prop_assert!(machine.took <= machine.plain * 1.5 + machine.may_lose());
    }

    /// What bounded factors prefer to the prediction, the measured ones do too.
    #[test]
    fn bounds_turn_nothing(host in 0.01..1.0_f64, ratio in 0.01..100.0_f64, of_host in -9.0..9.0_f64, of_device in -9.0..9.0_f64) {
        let predicted = Predicted::of_times(host, host * ratio);
        let factor = |log2: f64| Factor::kept(1, log2, 1.0).unwrap();
        let class = Class { host: factor(of_host), device: factor(of_device), ..Class::default() };
        let plain = predicted.plain;
        let bounded = class.corrected(plain.other(), predicted) < class.corrected(plain, predicted);
        let measured = |side: Side| predicted.of(side) * class.factor(side).factor;
        prop_assert!(!bounded || measured(plain.other()) < measured(plain));
    }

    #[test]
    fn classes_are_powers_of_two(exponent in -40..24_i32, part in 1.0..2.0_f64, more in 1.0..9.0_f64) {
        let time = f64::from(exponent).exp2();
        let class = Predicted::of_times(time, time * 20.0).class();
        prop_assert_eq!(class, Predicted::of_times(time * part.min(1.999), time * 20.0 * more).class());
        prop_assert_ne!(class, Predicted::of_times(time * 20.0, time).class());
    }
}

#[test]
fn a_wrong_prediction_is_turned_after_two_launches() {
    // Predicted: the device takes 1 s, the host 2 s; in truth the device takes 4.
    let mut machine = Simulated::new();
    let predicted = Predicted::of_times(2.0, 1.0);
    machine.factors.insert((predicted.class(), false), 4.0);
    (0..1 + BEFORE_TRIAL).for_each(|_| machine.launch(predicted, 1.0, 0.0));
    assert!((machine.took - 12.0).abs() < 1e-9, "the first launch is not measured, the next two are");
    machine.launch(predicted, 1.0, 0.0);
    assert!((machine.took - 14.0).abs() < 1e-9, "the host is tried");
    (0..100).for_each(|_| machine.launch(predicted, 1.0, 0.0));
    // Of 16 launches one is the device's.
    assert!(machine.took < 14.0 + 94.0 * 2.0 + 6.0 * 4.0 + 1e-9);
}

#[test]
fn a_host_that_was_left_in_doubt_is_tried() {
    // Predicted to be faster, but not for sure: the launch's own code takes the device, which is as slow as predicted.
    let predicted = Predicted { plain: Side::Device, ..Predicted::of_times(1.0, 2.0) };
    assert_ne!(predicted.class(), Predicted::of_times(1.0, 2.0).class());
    let mut class = Class::default();
    (0..BEFORE_TRIAL).for_each(|_| class.add(Side::Device, Chosen::AsAsked, predicted, 2.0, false));
    assert_eq!(class.choose(predicted), Side::Host);
    class.add(Side::Host, Chosen::Turned, predicted, 3.0, true);
    assert!(class.is_closed(), "the doubt was right");
}

#[test]
fn a_trial_that_lost_is_the_last() {
    let predicted = Predicted::of_times(2.0, 1.0);
    let mut class = Class::default();
    (0..BEFORE_TRIAL).for_each(|_| class.add(Side::Device, Chosen::AsAsked, predicted, 4.0, false));
    assert_eq!(class.choose(predicted), Side::Host);
    // While it runs, other threads keep to the prediction.
    assert_eq!(class.choose(predicted), Side::Device);
    class.add(Side::Host, Chosen::Turned, predicted, 5.0, true);
    assert!(class.is_closed() && class.balance() == -1.0);
    (0..100).for_each(|_| class.add(Side::Device, Chosen::AsAsked, predicted, 40.0, false));
    assert_eq!(class.choose(predicted), Side::Device);
}

#[test]
fn a_disturbed_first_launch_is_no_reason() {
    let predicted = Predicted::of_times(2.0, 1.0);
    let mut class = Class::default();
    class.add(Side::Device, Chosen::AsAsked, predicted, 400.0, true);
    (0..BEFORE_TRIAL).for_each(|_| class.add(Side::Device, Chosen::AsAsked, predicted, 1.0, false));
    assert_eq!(class.choose(predicted), Side::Device);
}

#[test]
fn one_disturbed_launch_is_no_reason_either() {
    let predicted = Predicted::of_times(2.0, 1.0);
    let mut class = Class::default();
    for seconds in [400.0, 1.5, 300.0, 200.0] {
        class.add(Side::Device, Chosen::AsAsked, predicted, seconds, false);
    }
    assert_eq!(class.choose(predicted), Side::Device);
}

#[test]
fn what_a_policy_made_run_is_learned_from_but_not_held_against_the_class() {
    let predicted = Predicted::of_times(2.0, 1.0);
    let mut class = Class::default();
    class.add(Side::Host, Chosen::AsAsked, predicted, 3.0, false);
    assert_eq!((class.balance(), class.is_closed(), class.factor(Side::Host).count()), (0.0, false, 1));
}

#[test]
fn no_time_is_no_measurement() {
    let predicted = Predicted::of_times(2.0, 1.0);
    let mut class = Class::default();
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        class.add(Side::Device, Chosen::AsAsked, predicted, seconds, false);
    }
    assert_eq!(class, Class::default());
    assert!(!Predicted::of_times(f64::NAN, 1.0).is_known() && !Predicted::of_times(1.0, 0.0).is_known());
}
