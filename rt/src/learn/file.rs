//! Where what was learned is kept: a text file with a line for each class of launches.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use ipda_models::files::{self, Kind};
use ipda_models::hash::fnv1a;

use super::Kept;

/// The first line.
const HEADER: &str = "ipda learned 2";
/// What is written over.
const KIND: Kind = Kind { name: "a file of learned times", beginnings: &[HEADER.as_bytes()] };
/// How the first line of any version begins.
const ANY_VERSION: &str = "ipda learned ";
/// Lines at most: of more, those of other programs and machines that come first are left out.
const MAX_LINES: usize = 10_000;
/// Bytes at most.
const MAX_BYTES: u64 = 16 << 20;

/// Whose class it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The machines' names: a time of one machine says nothing about another.
    pub machines: String,
    /// The region's name.
    pub region: String,
    /// Of the table: with another form or other values, the same measurement means another factor.
    pub table: u64,
}

impl Key {
    /// A key; what would break a line is left out of its texts.
    pub fn new(machines: &str, region: &str, table: &[u8]) -> Key {
        let plain = |text: &str| text.replace(|character: char| character.is_control(), " ");
        Key { machines: plain(machines), region: plain(region), table: fnv1a(table) }
    }

    /// What stands for it in the keys of its classes; never 0.
    pub fn seed(&self) -> u64 {
        let parts = [self.machines.as_bytes(), self.region.as_bytes(), &self.table.to_le_bytes()];
        fnv1a(&parts.join(&b'\n')).max(1)
    }
}

/// What was learned, of each region its classes by their keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learned {
    classes: BTreeMap<(Key, u64), Kept>,
}

/// What became of reading a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    /// What is in it, and what is wrong with some of its lines.
    Learned(Learned, Option<String>),
    /// It is not such a file, for this reason, and stays as it is.
    Other(String),
}

impl Learned {
    /// The classes of a region.
    pub fn of<'a>(&'a self, key: &'a Key) -> impl Iterator<Item = Kept> + 'a {
        self.classes.range((key.clone(), 0)..=(key.clone(), u64::MAX)).map(|(_, class)| *class)
    }

    /// Keeps a class in the place of what was known.
    pub fn put(&mut self, key: &Key, class: Kept) {
        self.classes.insert((key.clone(), class.key), class);
    }

    /// Reads a file; one that does not exist holds nothing.
    pub fn read(path: &Path) -> Contents {
        match files::read(path, MAX_BYTES) {
            Ok(bytes) => Learned::parse(&String::from_utf8_lossy(&bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Contents::Learned(Learned::default(), None),
            Err(error) => Contents::Other(error.to_string()),
        }
    }

    fn parse(text: &str) -> Contents {
        let mut lines = text.lines();
        match lines.next() {
            // Somebody has made the file, which is to be used.
            None => return Contents::Learned(Learned::default(), None),
            Some(HEADER) => {}
            Some(line) if line.starts_with(ANY_VERSION) => return Contents::Other("it is of another version".into()),
            Some(_) => return Contents::Other("it does not hold learned times".into()),
        }
        let mut learned = Learned::default();
        let mut damaged = Vec::new();
        for (number, line) in lines.enumerate().take(MAX_LINES) {
            match parse_line(line) {
                Some((key, class)) => learned.put(&key, class),
                None => damaged.push(number + 2),
            }
        }
        let problem = damaged.first().map(|first| match damaged.len() {
            1 => format!("line {first} is damaged, and left out"),
            count => format!("{count} lines are damaged, the first is line {first}, and left out"),
        });
        Contents::Learned(learned, problem)
    }

    fn text(&self, own: &[Key]) -> String {
        let others = self.classes.iter().filter(|((key, _), _)| !own.contains(key));
        let of_own = self.classes.iter().filter(|((key, _), _)| own.contains(key));
        let surplus = self.classes.len().saturating_sub(MAX_LINES);
        let mut text = format!("{HEADER}\n");
        for ((key, _), class) in others.chain(of_own).skip(surplus) {
            let [device, host] = class.factors;
            let [of_device, of_host] = class.counts;
            let state = if class.is_closed == 0 { "open" } else { "closed" };
            // The shortest texts that give the same numbers again.
            let _ = writeln!(
                text,
                "{:016x}\t{:016x}\t{of_device}\t{device:?}\t{of_host}\t{host:?}\t{}\t{state}\t{}\t{}",
                class.key, key.table, class.saved, key.machines, key.region,
            );
        }
        text
    }

    /// Writes a file: what it holds by now, with the classes of `own` replaced. A reader sees the old file or the new one.
    ///
    /// # Errors
    /// What the system says, or why the file is left as it is.
    pub fn write(&self, path: &Path, own: &[Key]) -> Result<(), String> {
        let mut all = match Learned::read(path) {
            Contents::Learned(all, _) => all,
            Contents::Other(why) => return Err(why),
        };
        let is_own = |(key, _): &(Key, u64)| own.contains(key);
        let classes = self.classes.iter().filter(|(key, _)| is_own(key));
        all.classes.extend(classes.map(|(key, class)| (key.clone(), *class)));
        files::replace(path, all.text(own).as_bytes(), KIND).map_err(|error| error.to_string())
    }
}

fn parse_line(line: &str) -> Option<(Key, Kept)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [class, table, of_device, device, of_host, host, saved, state, machines, region] = fields[..] else {
        return None;
    };
    let class = Kept {
        key: u64::from_str_radix(class, 16).ok()?,
        factors: [device.parse().ok()?, host.parse().ok()?],
        saved: saved.parse().ok()?,
        counts: [of_device.parse().ok()?, of_host.parse().ok()?],
        is_closed: match state {
            "open" => 0,
            "closed" => 1,
            _ => return None,
        },
        unused: 0,
    };
    let table = u64::from_str_radix(table, 16).ok()?;
    let key = Key { machines: machines.to_owned(), region: region.to_owned(), table };
    class.is_sound().then_some((key, class))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(region: &str) -> Key {
        Key::new("h200, x86_64, pcie5", region, b"table")
    }

    fn class(seed: u32) -> Kept {
        let factor = |count: i32| if count == 0 { 1.0 } else { 0.1 * f64::from(count) + 0.3 };
        let counts = [seed, seed / 2].map(|seed| (seed % 4) as i32);
        let saved = i64::from(seed) * 1000 - 3;
        let is_closed = i32::from(seed.is_multiple_of(2));
        Kept { key: seed.into(), factors: counts.map(factor), saved, counts, is_closed, unused: 0 }
    }

    fn read(path: &Path) -> (Learned, Option<String>) {
        match Learned::read(path) {
            Contents::Learned(learned, problem) => (learned, problem),
            Contents::Other(why) => panic!("{why}"),
        }
    }

    #[test]
    fn what_is_written_is_read_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned");
        let mut first = Learned::default();
        (0..9).for_each(|number| first.put(&key("a at a.c:1"), class(number)));
        first.put(&key("not mine"), class(1));
        first.write(&path, &[key("a at a.c:1")]).unwrap();
        let mut second = Learned::default();
        second.put(&key("b at b.c:2"), class(5));
        second.write(&path, &[key("b at b.c:2")]).unwrap();
        let (all, problem) = read(&path);
        assert_eq!(problem, None);
        assert_eq!(all.of(&key("a at a.c:1")).collect::<Vec<_>>(), first.of(&key("a at a.c:1")).collect::<Vec<_>>());
        assert_eq!(all.of(&key("b at b.c:2")).collect::<Vec<_>>(), [class(5)]);
        assert_eq!(all.of(&key("not mine")).count(), 0);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside");
    }

    /// The page shows what is written.
    #[test]
    fn the_page_is_right() {
        let page = include_str!("../../../docs/runtime.md");
        let key = Key { table: fnv1a(b"b"), ..Key::new("h200, epyc-milan, pcie5", "gemm at gemm.c:12", b"") };
        let counts = [3, 1];
        let class = Kept { key: 73, factors: [2.5, 0.75], saved: 375_000_000, counts, is_closed: 0, unused: 0 };
        let mut learned = Learned::default();
        learned.put(&key, class);
        let text = learned.text(&[]);
        assert!(page.contains(&format!("```\n{text}```\n")), "docs/runtime.md has not:\n{text}");
        assert_eq!(Learned::parse(&text), Contents::Learned(learned, None));
    }

    #[test]
    fn other_tables_and_machines_are_others() {
        let one = Key::new("h200, x86_64, pcie5", "a", b"table");
        assert_ne!(one, Key::new("h200, x86_64, pcie5", "a", b"Table"));
        assert_ne!(one, Key::new("v100, x86_64, pcie5", "a", b"table"));
        assert_eq!(Key::new("x\ty", "a\nb", b"").region, "a b");
    }

    #[test]
    fn a_file_of_somebody_else_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thesis.tex");
        for (text, why) in [
            ("\\documentclass{book}\n", "it does not hold learned times"),
            ("ipda learned 1\n", "it is of another version"),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(Learned::read(&path), Contents::Other(why.into()));
            assert_eq!(Learned::default().write(&path, &[]), Err(why.into()));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert!(matches!(Learned::read(folder.path()), Contents::Other(_)));
        assert!(Learned::default().write(Path::new("/no/such/folder/file"), &[]).is_err());
    }

    #[test]
    fn damaged_lines_are_reported_once_and_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned");
        let good = "3\t00000000000000ff\t2\t0.5\t0\t1.0\t-12\topen\tm\tr";
        for bad in [
            "",
            "x",
            "z\t00\t2\t0.5\t0\t1.0\t-12\topen\tm\tr",
            "3\t00\t2\tNaN\t0\t1.0\t-12\topen\tm\tr",
            "3\t00\t2\t-0.5\t0\t1.0\t-12\topen\tm\tr",
            "3\t00\t4\t0.5\t0\t1.0\t-12\topen\tm\tr",
            "3\t00\t2\t0.5\t0\t2.0\t-12\topen\tm\tr",
            "3\t00\t2\t0.5\t1\tinf\t-12\topen\tm\tr",
            "3\t00\t2\t0.5\t0\t1.0\t1.5\topen\tm\tr",
            "3\t00\t2\t0.5\t0\t1.0\t-12\tajar\tm\tr",
        ] {
            std::fs::write(&path, format!("{HEADER}\n{good}\n{bad}\n")).unwrap();
            let (learned, problem) = read(&path);
            assert_eq!(learned.classes.len(), 1);
            assert_eq!(problem.as_deref(), Some("line 3 is damaged, and left out"));
        }
    }

    #[test]
    fn a_file_does_not_grow_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("learned");
        let mut learned = Learned::default();
        let keys: Vec<Key> = (0..100).map(|number| key(&format!("r{number}"))).collect();
        let class_of = |number: u64| Kept { key: number, ..class(1) };
        keys.iter().for_each(|key| (0..128).for_each(|number| learned.put(key, class_of(number))));
        learned.write(&path, &keys).unwrap();
        let own = key("a");
        learned = Learned::default();
        learned.put(&own, class(2));
        learned.write(&path, std::slice::from_ref(&own)).unwrap();
        let (all, _) = read(&path);
        assert_eq!(all.classes.len(), MAX_LINES);
        assert_eq!(all.of(&own).count(), 1);
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(ipda learned 2\n)?[0-9a-f\t.\n-]{0,200}") {
            let _ = Learned::parse(&text);
        }
    }
}
