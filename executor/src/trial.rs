//! Trial runs, in which arrays of default length grow as far as a kernel reaches: what it computes from its arguments tells how long they must
//! be, such as the product of a variable-length array's extents.

use crate::arguments::{ArgumentError, Defaults, Description};
use crate::machine::{self, Launch, Races};
use crate::memory::Memory;
use crate::subject::Subject;

/// Trial runs of a kernel: what is behind longer arrays may lead further.
const MOST_ROUNDS: usize = 8;

/// A description with longer arrays where the defaults for what `given` leaves out are too short for these launches. It is as given where no
/// length would do: then a run tells what is wrong with the lengths that all kernels get.
pub fn with_room(subject: &Subject, kernel: usize, given: &Description, launches: &[Launch]) -> Description {
    grown(subject, kernel, given, launches).ok().flatten().unwrap_or_else(|| given.clone())
}

fn grown(
    subject: &Subject,
    kernel: usize,
    given: &Description,
    launches: &[Launch],
) -> Result<Option<Description>, ArgumentError> {
    let parameters = &subject.parameters[kernel];
    let mut filled = given.fill_defaults(parameters, &Defaults::default())?;
    let mut longer = given.clone();
    'rounds: for _ in 0..MOST_ROUNDS {
        for launch in launches {
            let (mut memory, prepared) = subject.memory(kernel, &filled)?;
            let names: Vec<&str> = prepared.arrays.iter().map(|array| array.name.as_str()).collect();
            let may_grow = filled.of_default_length(given, parameters, &names);
            let arrays: Vec<_> = prepared.arrays.iter().zip(may_grow).filter(|(_, may)| *may).collect();
            let length = |memory: &Memory, at: usize| memory.contents(arrays[at].0.buffer).len();
            let before: Vec<usize> = (0..arrays.len()).map(|at| length(&memory, at)).collect();
            arrays.iter().for_each(|(array, _)| memory.let_grow(array.buffer));
            let launch = Launch { races: Races::Ignore, ..*launch };
            let code = &subject.program.kernels()[kernel];
            let end = machine::launch(&subject.program, code, &prepared.values, &mut memory, &launch, None);
            let mut has_grown = false;
            for at in (0..arrays.len()).filter(|&at| length(&memory, at) > before[at]) {
                let enlarged = filled.enlarge(given, parameters, &arrays[at].0.name, length(&memory, at) as u64);
                let Some((name, argument)) = enlarged else { return Ok(None) };
                has_grown = true;
                longer.arguments.retain(|(known, _)| *known != name);
                longer.arguments.push((name, argument));
            }
            match end {
                _ if has_grown => continue 'rounds,
                Err(_) => return Ok(None),
                Ok(_) => {}
            }
        }
        return Ok(Some(longer));
    }
    Ok(None)
}
