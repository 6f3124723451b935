//! Quantities as newtypes, each with the units in which an entry may state it.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// What a value must be, beside a number in a known unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// More than zero.
    Positive,
    /// A whole number of at least one.
    Count,
    /// A whole number, zero among them.
    WholeOrZero,
    /// A power of two that fits 32 bits: the counting of transactions divides addresses by it.
    PowerOfTwo,
}

/// How a quantity is written in an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dimension {
    /// Names of the units and how many of the first each is; the first is what the newtype holds.
    pub units: &'static [(&'static str, f64)],
    pub demand: Demand,
    /// Whether `value` is a map from a number of threads to a number.
    pub by_threads: bool,
}

/// A quantity that an entry can state.
pub(crate) trait Quantity: Clone + Sized {
    const DIMENSION: Dimension;
    /// From numbers in the first unit that meet the dimension's demand; the key is 0 where it is one number.
    fn from_base(numbers: &BTreeMap<u32, f64>) -> Self;
    /// The number with its unit, in the unit that people use for the size.
    fn show(&self) -> String;
}

/// The single number of a quantity that is not by threads.
fn only(numbers: &BTreeMap<u32, f64>) -> f64 {
    numbers.values().next().copied().unwrap_or_default()
}

/// The number in the largest of `units` in which it is at least one, else in the last.
fn in_unit(base: f64, units: &[(&str, f64)]) -> String {
    let (name, scale) = units.iter().find(|(_, scale)| base >= *scale).or(units.last()).copied().unwrap_or(("", 1.0));
    // Six digits are more than any source states.
    let number = format!("{:.6}", base / scale);
    format!("{} {name}", number.trim_end_matches('0').trim_end_matches('.'))
}

macro_rules! quantity {
    ($(#[doc = $doc:literal])+ $name:ident($number:ty), $get:ident, $demand:ident,
     [$($unit:literal = $scale:expr),+], show [$($shown:literal = $shown_scale:expr),+]) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        pub struct $name($number);

        impl $name {
            /// This many of the unit that the type's description names.
            pub const fn new(number: $number) -> $name {
                $name(number)
            }

            /// The number, in the unit that the type's description names.
            pub const fn get(self) -> $number {
                self.0
            }
        }

        impl Quantity for $name {
            const DIMENSION: Dimension =
                Dimension { units: &[$(($unit, $scale)),+], demand: Demand::$demand, by_threads: false };

            fn from_base(numbers: &BTreeMap<u32, f64>) -> $name {
                $name(only(numbers) as $number)
            }

            fn show(&self) -> String {
                in_unit(self.0 as f64, &[$(($shown, $shown_scale)),+])
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.show())
            }
        }
    };
}

const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;
const GIB: f64 = 1024.0 * MIB;

quantity!(
    /// The size of a transaction, a line or a word, in bytes; a power of two.
    Bytes(u32), get, PowerOfTwo, ["bytes" = 1.0], show ["bytes" = 1.0]
);
quantity!(
    /// What a memory or a page holds, in bytes.
    Capacity(u64), get, Count,
    ["bytes" = 1.0, "KiB" = KIB, "MiB" = MIB, "GiB" = GIB], show ["GiB" = GIB, "MiB" = MIB, "KiB" = KIB, "bytes" = 1.0]
);
quantity!(
    /// Bytes that are taken away from those who use a memory; may be none.
    Reserved(u64), get, WholeOrZero, ["bytes" = 1.0, "KiB" = KIB], show ["KiB" = KIB, "bytes" = 1.0]
);
quantity!(
    /// A frequency in hertz.
    Hertz(f64), get, Positive, ["Hz" = 1.0, "MHz" = 1e6, "GHz" = 1e9], show ["GHz" = 1e9, "MHz" = 1e6, "Hz" = 1.0]
);
quantity!(
    /// A time in seconds.
    Seconds(f64), get, Positive,
    ["s" = 1.0, "ms" = 1e-3, "us" = 1e-6, "ns" = 1e-9], show ["s" = 1.0, "ms" = 1e-3, "us" = 1e-6, "ns" = 1e-9]
);
quantity!(
    /// A time in cycles of the device's clock.
    Cycles(f64), get, Positive, ["cycles" = 1.0], show ["cycles" = 1.0]
);
quantity!(
    /// A rate in bytes per second; GB are 10^9 bytes.
    BytesPerSecond(f64), get, Positive,
    ["B/s" = 1.0, "MB/s" = 1e6, "GB/s" = 1e9, "TB/s" = 1e12, "GiB/s" = GIB], show ["GB/s" = 1e9, "MB/s" = 1e6, "B/s" = 1.0]
);
quantity!(
    /// A rate in bytes per cycle of the device's clock.
    BytesPerCycle(f64), get, Positive, ["bytes/cycle" = 1.0], show ["bytes/cycle" = 1.0]
);
quantity!(
    /// Results per cycle: an instruction of a whole warp of 32 gives 32.
    PerCycle(f64), get, Positive, ["results/cycle" = 1.0], show ["results/cycle" = 1.0]
);

quantity!(
    /// How many times as much as something else.
    Times(f64), get, Positive, ["times" = 1.0], show ["times" = 1.0]
);

/// How many of something there are.
pub struct Count<U>(u64, PhantomData<U>);

impl<U> Count<U> {
    /// This many.
    pub const fn new(number: u64) -> Count<U> {
        Count(number, PhantomData)
    }

    /// How many.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl<U> Clone for Count<U> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<U> Copy for Count<U> {}

impl<U> PartialEq for Count<U> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<U> PartialOrd for Count<U> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(&other.0)
    }
}

impl<U> fmt::Debug for Count<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Count({})", self.0)
    }
}

/// What a [`Count`] counts.
pub trait Counted {
    /// Its unit in an entry.
    const UNITS: &'static [(&'static str, f64)];
    /// Whether the number must be a power of two.
    const POWER_OF_TWO: bool = false;
}

impl<U: Counted> Quantity for Count<U> {
    const DIMENSION: Dimension = Dimension {
        units: U::UNITS,
        demand: if U::POWER_OF_TWO { Demand::PowerOfTwo } else { Demand::Count },
        by_threads: false,
    };

    fn from_base(numbers: &BTreeMap<u32, f64>) -> Count<U> {
        Count::new(only(numbers) as u64)
    }

    fn show(&self) -> String {
        in_unit(self.0 as f64, U::UNITS)
    }
}

macro_rules! counted {
    ($($(#[doc = $doc:literal])+ $name:ident $unit:literal $power:literal;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {}

        impl Counted for $name {
            const UNITS: &'static [(&'static str, f64)] = &[($unit, 1.0)];
            const POWER_OF_TWO: bool = $power;
        }
    )+};
}

counted! {
    /// Threads that execute together: the lanes of a warp.
    Lanes "lanes" true;
    /// Parts of a memory that work side by side.
    Banks "banks" true;
    /// NVIDIA's streaming multiprocessors, AMD's compute units.
    Multiprocessors "multiprocessors" false;
    /// Warps, AMD's wavefronts.
    Warps "warps" false;
    /// Thread blocks, AMD's workgroups.
    Blocks "blocks" false;
    /// Threads of hardware or of a block.
    Threads "threads" false;
    /// Registers of 32 bits.
    Registers "registers" false;
    /// Units that choose a warp and issue for it.
    Schedulers "schedulers" false;
    /// CPU cores.
    Cores "cores" false;
    /// CPU packages.
    Sockets "sockets" false;
    /// The smallest units of a memory transaction.
    Sectors "sectors" false;
    /// Entries of a translation buffer.
    Entries "entries" false;
    /// Places where a line can be in its set.
    Ways "ways" false;
    /// Instructions, or what they are split into.
    Operations "operations" false;
}

/// One value for each number of threads that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct ByThreads<T>(BTreeMap<u32, T>);

impl<T: Copy> ByThreads<T> {
    /// The values with their numbers of threads, the fewest first.
    pub fn points(&self) -> impl Iterator<Item = (u32, T)> + '_ {
        self.0.iter().map(|(threads, value)| (*threads, *value))
    }
}

impl<T: Quantity> Quantity for ByThreads<T> {
    const DIMENSION: Dimension = Dimension { units: T::DIMENSION.units, demand: T::DIMENSION.demand, by_threads: true };

    fn from_base(numbers: &BTreeMap<u32, f64>) -> ByThreads<T> {
        ByThreads(
            numbers.iter().map(|(threads, number)| (*threads, T::from_base(&BTreeMap::from([(0, *number)])))).collect(),
        )
    }

    fn show(&self) -> String {
        let points: Vec<String> =
            self.0.iter().map(|(threads, value)| format!("{threads}: {}", value.show())).collect();
        points.join(", ")
    }
}
