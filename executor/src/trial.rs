//! Trial runs, in which arrays of default length grow as far as a kernel reaches: what it computes from its arguments says how long they must
//! be, such as the product of a variable-length array's extents. Where that takes too much time or room, default integers become smaller.

use crate::arguments::{ArgumentError, Defaults, Description, PreparedArray};
use crate::interpreter::{self, FaultKind, Launch, Races};
use crate::memory::Memory;
use crate::subject::Subject;

/// Trial runs of a kernel with the same integers: what is behind longer arrays may lead further.
const MAX_ROUNDS: usize = 8;
/// Default integers that are tried where the usual one is too large.
const SMALLER: [i64; 3] = [40, 16, 7];
/// Up to here nothing takes too long, and no array is too large.
const MODERATE: Limits = Limits { steps: 2_000_000, bytes: 1 << 26 };
/// The bytes of an array where no integer makes it smaller.
const MAX_BYTES: u64 = 1 << 28;

/// What a trial may take.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Operations of each launch.
    steps: u64,
    /// Bytes of each array.
    bytes: u64,
}

/// How a trial ends.
enum Trial {
    /// With arguments that have room.
    Fits(Description),
    /// With arrays that are long enough until time is up.
    TakesLong,
    /// With arrays that would have to be longer, as far as that is known until time or room is up.
    TooLarge,
    /// Otherwise: length is not what is missing.
    Fails,
}

/// A description with longer arrays, and with smaller integers, where the defaults for what `given` leaves out are too short or too large for
/// these launches. `usual` is tried first. It is as given where nothing would do: then a run shows what is wrong with the usual defaults.
pub fn with_room(
    subject: &Subject,
    kernel: usize,
    given: &Description,
    usual: &Defaults,
    launches: &[Launch],
) -> Description {
    let trial = |integer: i64, limits: Limits| {
        run(subject, kernel, given, launches, &Defaults { integer, ..*usual }, limits).unwrap_or(Trial::Fails)
    };
    let first = match trial(usual.integer, MODERATE) {
        Trial::Fits(description) => return description,
        first => first,
    };
    if !matches!(first, Trial::Fails) {
        for integer in SMALLER.into_iter().filter(|&integer| integer < usual.integer) {
            if let Trial::Fits(description) = trial(integer, MODERATE) {
                return description;
            }
        }
    }
    // No integer makes it small.
    let steps = launches.iter().map(|launch| launch.max_steps).max().unwrap_or(0);
    match first {
        Trial::TooLarge => match trial(usual.integer, Limits { steps, bytes: MAX_BYTES }) {
            Trial::Fits(description) => description,
            _ => given.clone(),
        },
        _ => given.clone(),
    }
}

fn run(
    subject: &Subject,
    kernel: usize,
    given: &Description,
    launches: &[Launch],
    defaults: &Defaults,
    limits: Limits,
) -> Result<Trial, ArgumentError> {
    let parameters = &subject.parameters[kernel];
    let mut filled = given.fill_defaults(parameters, defaults)?;
    for number in 0..MAX_ROUNDS {
        match round(subject, kernel, given, launches, &mut filled, limits)? {
            Round::Grown => {}
            Round::Ended(Trial::TakesLong) if number > 0 => return Ok(Trial::TooLarge),
            Round::Ended(trial) => return Ok(trial),
        }
    }
    Ok(Trial::Fails)
}

/// What one run of all launches tells.
enum Round {
    /// Arrays are longer now.
    Grown,
    Ended(Trial),
}

fn round(
    subject: &Subject,
    kernel: usize,
    given: &Description,
    launches: &[Launch],
    filled: &mut Description,
    limits: Limits,
) -> Result<Round, ArgumentError> {
    let parameters = &subject.parameters[kernel];
    let code = &subject.program.kernels()[kernel];
    for launch in launches {
        let (mut memory, prepared) = subject.memory(kernel, filled)?;
        let names: Vec<&str> = prepared.arrays.iter().map(|array| array.name.as_str()).collect();
        let may_grow = filled.of_default_length(given, parameters, &names);
        let arrays: Vec<&PreparedArray> =
            prepared.arrays.iter().zip(may_grow).filter(|(_, may)| *may).map(|(array, _)| array).collect();
        let lengths = |memory: &Memory| -> Vec<usize> {
            arrays.iter().map(|array| memory.contents(array.buffer).len()).collect()
        };
        let before = lengths(&memory);
        memory.let_grow(arrays.iter().map(|array| array.buffer), limits.bytes);
        let launch = Launch { races: Races::Ignore, max_steps: launch.max_steps.min(limits.steps), ..*launch };
        let end = interpreter::launch(&subject.program, code, &prepared.values, &mut memory, &launch, None);
        let now = lengths(&memory);
        if memory.is_growth_exhausted() {
            return Ok(Round::Ended(Trial::TooLarge));
        }
        if end.as_ref().is_err_and(|fault| fault.kind == FaultKind::OutOfSteps) {
            return Ok(Round::Ended(if now == before { Trial::TakesLong } else { Trial::TooLarge }));
        }
        let mut has_grown = false;
        for ((array, before), now) in arrays.iter().zip(before).zip(now) {
            if now > before {
                filled.enlarge(given, parameters, &array.name, now as u64);
                has_grown = true;
            }
        }
        match end {
            _ if has_grown => return Ok(Round::Grown),
            Err(_) => return Ok(Round::Ended(Trial::Fails)),
            Ok(_) => {}
        }
    }
    Ok(Round::Ended(Trial::Fits(filled.clone())))
}
