//! Mappings as text.
//!
//! ```text
//! j i                                 whole loops: j is the slower one in a thread's number; the others run inside, in their order
//! j i lanes 4x8                       the same, where 4 x 8 neighbouring threads are a tile
//! i/8 j | i%8 k                       what runs in a thread stands behind the bar: eight iterations of i each
//! i/rest%gang0 j%worker0 | i%rest j/worker0      digits by their sizes and counts: a team has a block of i, neighbouring threads have neighbouring j
//! ```
//!
//! Loops that are not named run inside, in their order and behind all others. `i/SIZE%COUNT` is the number of an iteration of i, divided by the size, modulo the count. Without a size that is 1, without a count as many as the
//! others leave. Sizes are products, as `4*rest*worker1`.

use super::digits::{Count, Given, Part, Size};
use super::map::Mapping;

/// The word before a tile of lanes.
const LANES: &str = "lanes";
/// What the loop's other parts leave.
const REST: &str = "rest";

impl Given {
    /// What texts call it.
    pub fn name(self) -> String {
        match self {
            Given::Gang(axis) => format!("gang{axis}"),
            Given::Worker(axis) => format!("worker{axis}"),
            Given::Thread => "thread".into(),
            Given::Length(number) => format!("length{number}"),
        }
    }
}

impl Mapping {
    /// As text, with the names of all loops of its nest.
    ///
    /// # Panics
    /// If there are fewer names than loops.
    pub fn text(&self, names: &[&str]) -> String {
        let fused: Vec<usize> = self.fused().collect();
        let mut threads: Vec<String> = self.threads.iter().map(|part| self.text_of(part, names)).collect();
        if self.lanes().is_some_and(|lanes| !lanes.is_empty()) {
            threads = fused.iter().map(|&of| names[of].to_owned()).collect();
            let tile: Vec<String> = fused.iter().map(|&of| self.tile(of).to_string()).collect();
            threads.push(format!("{LANES} {}", tile.join("x")));
        }
        if inside_of(names.len(), &self.threads) != self.inside {
            threads.push("|".into());
            threads.extend(self.inside.iter().map(|part| self.text_of(part, names)));
        }
        threads.join(" ")
    }

    /// A part of it as text.
    ///
    /// # Panics
    /// If there is no name for its loop.
    pub fn text_of(&self, part: &Part, names: &[&str]) -> String {
        let mut text = names[part.of].to_owned();
        let is_highest = |size: Size| self.parts().all(|other| other.of != part.of || other.size <= size);
        if part.size != Size::ONE {
            let (has_rest, given, known) = part.size.factors();
            let known = (known > 1).then(|| known.to_string());
            let factors: Vec<String> =
                known.into_iter().chain(has_rest.then(|| REST.to_owned())).chain(given.map(Given::name)).collect();
            text += &format!("/{}", factors.join("*"));
        }
        match part.count {
            Count::Const(count) => text + &format!("%{count}"),
            Count::Given(given) => text + &format!("%{}", given.name()),
            Count::Rest if is_highest(part.size) => text,
            Count::Rest => text + "%" + REST,
        }
    }

    /// The mapping that a text means, of a nest whose loops have these names; else what is wrong with the text.
    pub fn parse(text: &str, names: &[&str]) -> Result<Mapping, String> {
        let mut words = text.split_whitespace().peekable();
        let (mut threads, mut inside, mut tile) = (Vec::new(), None, None);
        while let Some(word) = words.next() {
            let is_tile = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
            if word == "|" && inside.is_none() {
                inside = Some(Vec::new());
            } else if let (LANES, Some(next)) = (word, words.next_if(is_tile)) {
                let numbers: Result<Vec<u32>, _> = next.split('x').map(str::parse).collect();
                let numbers = numbers.map_err(|_| format!("{next:?} is no tile, such as 4x8"))?;
                if inside.is_some() || numbers.len() != threads.len() || tile.replace(numbers).is_some() {
                    return Err("a tile of lanes has one number for each loop that makes the number of a thread".into());
                }
            } else {
                inside.as_mut().unwrap_or(&mut threads).push(part(word, names)?);
            }
        }
        let mut inside = inside.unwrap_or_default();
        let named: Vec<Part> = [&threads[..], &inside].concat();
        inside.extend(inside_of(names.len(), &named));
        let tile = tile.into_iter().flatten();
        let lanes: Vec<(usize, u32)> =
            threads.iter().map(|part| part.of).zip(tile).filter(|(_, tile)| *tile > 1).collect();
        let not_digits = || "its parts are not the digits of the loops' numbers, each once".to_owned();
        let mapping = Mapping::of_parts(names.len(), threads, inside).ok_or_else(not_digits)?;
        match lanes[..] {
            [] => Ok(mapping),
            _ => mapping.with_lanes(&lanes).ok_or_else(|| "its lanes are no tile of whole loops".into()),
        }
    }
}

/// The loops that are in none of some parts, in the program's order.
fn inside_of(loops: usize, parts: &[Part]) -> Vec<Part> {
    (0..loops).filter(|&of| parts.iter().all(|part| part.of != of)).map(Part::whole).collect()
}

fn part(word: &str, names: &[&str]) -> Result<Part, String> {
    let (number, count) = word.split_once('%').map_or((word, None), |(number, count)| (number, Some(count)));
    let (name, size) = number.split_once('/').map_or((number, None), |(name, size)| (name, Some(size)));
    let mut of = (0..names.len()).filter(|&at| names[at] == name);
    let of = match (of.next(), of.next()) {
        (Some(of), None) => of,
        (Some(_), Some(_)) => return Err(format!("there are two loops {name:?}")),
        (None, _) => return Err(format!("there is no loop {name:?}")),
    };
    let factors = size.into_iter().flat_map(|size| size.split('*'));
    let size = factors.map(parse_count).try_fold(Size::ONE, |size, count| {
        size.times(count?).ok_or_else(|| format!("{word:?} has no size of a digit"))
    })?;
    Ok(Part { of, size, count: count.map_or(Ok(Count::Rest), parse_count)? })
}

fn parse_count(word: &str) -> Result<Count, String> {
    let given = || Given::all().find(|given| given.name() == word).map(Count::Given);
    let number = || word.parse().ok().map(Count::Const);
    let count = if word == REST { Some(Count::Rest) } else { number().or_else(given) };
    count.ok_or_else(|| {
        format!("{word:?} is no number of iterations, such as 8, rest, gang0, worker0, thread or length0")
    })
}
