//! What pictures are drawn with.

use std::fmt::{Display, Write};

use maud::{Markup, html};

use super::markup::said;

/// A picture of its own, with what it shows in words.
pub fn picture(width: f64, height: f64, words: &str, drawing: Markup) -> Markup {
    html! {
        svg.pic viewBox={ "0 0 " (width) " " (height) } role="img" aria-label=(said(words)) { (drawing) }
    }
}

/// A text at a place; `anchor` is its start, its middle or its end.
pub fn label(x: f64, y: f64, anchor: &str, text: impl Display) -> Markup {
    html! { text x=(short(x)) y=(short(y)) text-anchor=(anchor) { (said(text)) } }
}

/// With one decimal.
pub fn short(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A scale on which each step is a multiplication.
pub struct Axis {
    /// The logarithms of its first and its last value.
    pub powers: (f64, f64),
    /// Where these are.
    pub ends: (f64, f64),
}

impl Axis {
    /// From the smallest to the largest of positive values; none without two that differ.
    pub fn of(values: impl Iterator<Item = f64>, ends: (f64, f64)) -> Option<Axis> {
        let logs = values.filter(|value| *value > 0.0 && value.is_finite()).map(f64::log10);
        let both = logs.map(|log| (log, log)).reduce(|all, one| (all.0.min(one.0), all.1.max(one.1)));
        both.map(|powers| Axis { powers, ends })
    }

    /// The same between whole powers of ten, and at least one of them.
    pub fn in_tens(self) -> Axis {
        let low = self.powers.0.floor();
        Axis { powers: (low, self.powers.1.ceil().max(low + 1.0)), ..self }
    }

    /// Where a value is.
    pub fn at(&self, value: f64) -> f64 {
        let part = (value.log10() - self.powers.0) / (self.powers.1 - self.powers.0);
        self.ends.0 + part.clamp(0.0, 1.0) * (self.ends.1 - self.ends.0)
    }

    /// The powers of ten on it, each `step`-th.
    pub fn tens(&self, step: f64) -> impl Iterator<Item = f64> {
        let last = self.powers.1;
        std::iter::successors(Some(self.powers.0), move |power| Some(power + step))
            .take_while(move |power| *power <= last)
    }
}

/// The commands of a path, with one decimal.
#[derive(Default)]
pub struct Path(String);

impl Path {
    /// Adds a rectangle.
    pub fn rectangle(&mut self, x: f64, y: f64, width: f64, height: f64) {
        let _ = write!(self.0, "M{} {}h{}v{}h-{}z", short(x), short(y), short(width), short(height), short(width));
    }

    /// Adds a line through points.
    pub fn line(&mut self, points: impl IntoIterator<Item = (f64, f64)>) {
        for (nth, (x, y)) in points.into_iter().enumerate() {
            let _ = write!(self.0, "{}{} {}", if nth == 0 { "M" } else { "L" }, short(x), short(y));
        }
    }

    /// Leads back to where it began.
    pub fn close(&mut self) {
        if !self.0.is_empty() {
            self.0.push('Z');
        }
    }

    /// The path; nothing of an empty one.
    pub fn draw(&self, class: &str) -> Markup {
        html! { @if !self.0.is_empty() { path class=(class) d=(self.0) {} } }
    }
}

/// A line through points.
pub fn line(class: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Markup {
    let mut path = Path::default();
    path.line(points);
    path.draw(class)
}
