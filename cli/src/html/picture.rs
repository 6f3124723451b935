//! A warp's lanes over memory, as a picture of lines and sectors, or of the banks of shared memory.

use std::collections::BTreeMap;

use ipda_models::report::Hardware;
use maud::{Markup, PreEscaped, html};

use super::drawing::{Path, label, picture};
use super::warp::Warp;

/// Width of a picture in its own units; about the pixels that a narrow column has.
const WIDTH: f64 = 420.0;
/// Most lines of memory that are drawn.
const MAX_LINES: usize = 64;
/// Most words of a bank that are drawn one above the other.
const MAX_WORDS: u64 = 32;
/// Widest that one byte is drawn.
const WIDEST_BYTE: f64 = 2.5;
/// Where the lanes are.
const LANES_Y: f64 = 14.0;
const LANE_HEIGHT: f64 = 9.0;
/// Where memory is.
const MEMORY_Y: f64 = 76.0;
const MEMORY_HEIGHT: f64 = 22.0;
/// Sectors that are drawn narrower have no bounds of their own.
const NARROWEST_SECTOR: f64 = 4.0;
/// Between lines that are no neighbours.
const GAP: f64 = 1.6;

/// Pictures that several accesses share are in the page once.
#[derive(Default)]
pub struct Pictures {
    known: BTreeMap<String, usize>,
}

/// Which picture shows an access, and its height.
#[derive(Clone, Copy)]
pub struct Picture {
    number: usize,
    height: f64,
}

impl Pictures {
    /// The picture of lines and sectors.
    pub fn of_sectors(&mut self, warp: &Warp, hardware: &Hardware) -> Picture {
        self.keep(sectors(warp, hardware), MEMORY_Y + MEMORY_HEIGHT + 22.0)
    }

    /// The picture of banks.
    pub fn of_banks(&mut self, warp: &Warp, hardware: &Hardware) -> Picture {
        self.keep(banks(warp, hardware), MEMORY_Y + 96.0 + 22.0)
    }

    fn keep(&mut self, drawing: Markup, height: f64) -> Picture {
        let next = self.known.len();
        Picture { number: *self.known.entry(drawing.into_string()).or_insert(next), height }
    }

    /// All drawings, which the pictures refer to.
    pub fn definitions(&self) -> Markup {
        let mut drawings: Vec<_> = self.known.iter().collect();
        drawings.sort_by_key(|(_, number)| **number);
        html! {
            @if !drawings.is_empty() {
                svg.defs width="0" height="0" aria-hidden="true" {
                    defs { @for (drawing, number) in drawings { g id={ "p" (number) } { (PreEscaped(drawing)) } } }
                }
            }
        }
    }
}

impl Picture {
    /// The picture in its place, with what it shows in words.
    pub fn show(self, words: &str) -> Markup {
        picture(WIDTH, self.height, words, html! { use href={ "#p" (self.number) } {} })
    }
}

/// Squares and what they mean, beside each other.
fn keys(mut x: f64, y: f64, all: &[(&str, &str)]) -> Markup {
    html! {
        @for (class, text) in all {
            @let mut square = Path::default();
            @let () = square.rectangle(x, y - 8.0, 9.0, 9.0);
            (square.draw(class))
            (label(x + 13.0, y, "start", text))
            @let () = x += 13.0 + 6.2 * text.len() as f64 + 10.0;
        }
    }
}

/// The middle of a lane.
fn middle_of(warp: &Warp) -> impl Fn(u32) -> f64 + use<> {
    let step = WIDTH / f64::from(warp.lanes);
    move |lane: u32| (f64::from(lane) + 0.5) * step
}

fn lanes(warp: &Warp) -> Markup {
    let (step, middle) = (WIDTH / f64::from(warp.lanes), middle_of(warp));
    let (mut active, mut idle) = (Path::default(), Path::default());
    for lane in 0..warp.lanes {
        let path = if warp.starts.contains_key(&lane) { &mut active } else { &mut idle };
        path.rectangle(middle(lane) - 0.36 * step, LANES_Y, 0.72 * step, LANE_HEIGHT);
    }
    html! {
        (active.draw("la"))
        (idle.draw("li"))
        (label(0.0, LANES_Y - 4.0, "start", "lane 0"))
        @for lane in (8..warp.lanes - 2).step_by(if warp.lanes > 32 { 16 } else { 8 }) {
            (label(middle(lane), LANES_Y - 4.0, "middle", lane))
        }
        (label(WIDTH, LANES_Y - 4.0, "end", warp.lanes - 1))
    }
}

fn sectors(warp: &Warp, hardware: &Hardware) -> Markup {
    let (line_bytes, sector_bytes) =
        (i64::from(hardware.line_bytes.max(1)), i64::from(hardware.sector_bytes.clamp(1, hardware.line_bytes.max(1))));
    let touched = warp.blocks(hardware.line_bytes);
    let lines: Vec<i64> = touched.iter().copied().take(MAX_LINES).collect();
    let gaps = lines.windows(2).filter(|pair| pair[1] != pair[0] + 1).count() as f64;
    let scale = ((WIDTH - gaps * GAP) / (lines.len() as f64 * line_bytes as f64)).min(WIDEST_BYTE);
    // Where each line begins.
    let mut at = BTreeMap::new();
    let mut x = (WIDTH - gaps * GAP - lines.len() as f64 * line_bytes as f64 * scale) / 2.0;
    for (nth, line) in lines.iter().enumerate() {
        if nth > 0 && lines[nth - 1] + 1 != *line {
            x += GAP;
        }
        at.insert(*line, x);
        x += line_bytes as f64 * scale;
    }
    let x_of = |byte: i64| {
        let line = byte.div_euclid(line_bytes);
        at.get(&line).map(|x| x + byte.rem_euclid(line_bytes) as f64 * scale)
    };

    let middle = middle_of(warp);
    let (mut whole, mut moved, mut used, mut ways) =
        (Path::default(), Path::default(), Path::default(), Path::default());
    for x in at.values() {
        whole.rectangle(*x, MEMORY_Y, line_bytes as f64 * scale, MEMORY_HEIGHT);
    }
    for sector in warp.blocks(hardware.sector_bytes.clamp(1, hardware.line_bytes.max(1))) {
        if let Some(x) = x_of(sector * sector_bytes) {
            moved.rectangle(x, MEMORY_Y, sector_bytes as f64 * scale, MEMORY_HEIGHT);
        }
    }
    for (start, length) in runs(warp, line_bytes) {
        if let Some(x) = x_of(start) {
            used.rectangle(x, MEMORY_Y, length as f64 * scale, MEMORY_HEIGHT);
        }
    }
    for (lane, start) in &warp.starts {
        if let Some(x) = x_of(*start) {
            let room = (line_bytes - start.rem_euclid(line_bytes)).min(warp.bytes);
            ways.line([(middle(*lane), LANES_Y + LANE_HEIGHT), (x + room as f64 * scale / 2.0, MEMORY_Y)]);
        }
    }
    let mut bounds = Path::default();
    if sector_bytes as f64 * scale >= NARROWEST_SECTOR {
        for x in at.values() {
            for byte in (sector_bytes..line_bytes).step_by(usize::try_from(sector_bytes).unwrap_or(1)) {
                let x = x + byte as f64 * scale;
                bounds.line([(x, MEMORY_Y), (x, MEMORY_Y + MEMORY_HEIGHT)]);
            }
        }
    }
    let line = format!("line of {line_bytes} bytes");
    let meanings = [("use", "bytes used"), ("mov", "moved with them"), ("lin", &line)];
    html! {
        (lanes(warp))
        (ways.draw("way"))
        (moved.draw("mov"))
        (used.draw("use"))
        (bounds.draw("sec"))
        (whole.draw("lin"))
        (keys(0.5, MEMORY_Y + MEMORY_HEIGHT + 16.0, &meanings))
    }
}

/// The bytes that are used, joined where they touch, and none over the end of a line.
fn runs(warp: &Warp, line_bytes: i64) -> Vec<(i64, i64)> {
    let mut starts: Vec<i64> = warp.starts.values().copied().collect();
    starts.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::new();
    for start in starts {
        let end = start + warp.bytes;
        match joined.last_mut() {
            Some(last) if last.1 >= start => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    let mut pieces = Vec::new();
    for (mut start, end) in joined {
        while start < end && pieces.len() < 4 * MAX_LINES {
            let stop = end.min((start.div_euclid(line_bytes) + 1) * line_bytes);
            pieces.push((start, stop - start));
            start = stop;
        }
    }
    pieces
}

fn banks(warp: &Warp, hardware: &Hardware) -> Markup {
    let count = hardware.banks.clamp(1, 128);
    let (step, words) = (WIDTH / f64::from(count), warp.words_of_banks(hardware));
    let deepest = words.values().copied().max().unwrap_or(1).clamp(1, MAX_WORDS);
    let height = (90.0 / deepest as f64).min(14.0);
    let middle = middle_of(warp);
    let (mut whole, mut used, mut ways) = (Path::default(), Path::default(), Path::default());
    for bank in 0..count {
        let x = f64::from(bank) * step;
        whole.rectangle(x, MEMORY_Y, step, 92.0);
        for word in 0..words.get(&bank.into()).copied().unwrap_or(0).min(MAX_WORDS) {
            used.rectangle(x + 0.15 * step, MEMORY_Y + word as f64 * height + 1.0, 0.7 * step, 0.8 * height);
        }
    }
    for (lane, start) in &warp.starts {
        let word = start.div_euclid(i64::from(hardware.bank_bytes.max(1)));
        let bank = word.rem_euclid(count.into()) as f64;
        ways.line([(middle(*lane), LANES_Y + LANE_HEIGHT), ((bank + 0.5) * step, MEMORY_Y)]);
    }
    let bank = format!("one of {count} banks");
    html! {
        (lanes(warp))
        (ways.draw("way"))
        (used.draw("use"))
        (whole.draw("lin"))
        (keys(0.5, MEMORY_Y + 92.0 + 16.0, &[("use", "a word that the warp asks for"), ("lin", &bank)]))
    }
}
