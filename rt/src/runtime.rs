//! What a program has of the library: settings, machines, and its regions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use ipda_measure::{CudaDevice, CudaDriver};
use ipda_models::form::Leaf;
use ipda_models::table::{MachineNames, Prediction, Table};

use crate::learn::file::{Contents, Key, Learned};
use crate::learn::{CLASSES, Chosen, Class, Predicted, Side};
use crate::machines::Finder;
use crate::openmp::OpenMp;
use crate::settings::{Choices, Learning, Log, Settings};
use crate::tell::{self, Sum, lock, tell, tell_once};
use crate::values::machine_values;

/// Bit 0 of what a region gets told: its launches are measured.
pub(crate) const WANTS_TIMES: i32 = 1;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The library's state.
pub(crate) struct Runtime {
    pub(crate) settings: Settings,
    finder: Finder,
    driver: Option<CudaDriver>,
    gpus: Vec<CudaDevice>,
    /// For each build's machines: their names, and the values of the leaves.
    machines: Mutex<Vec<(MachineNames, Option<Values>)>>,
    learned: Mutex<Learned>,
    regions: Mutex<Vec<&'static State>>,
}

#[derive(Clone)]
struct Values {
    names: String,
    of_leaves: BTreeMap<String, f64>,
}

/// What is known of a region.
pub(crate) struct State {
    title: String,
    key: Key,
    inner: Mutex<Inner>,
}

struct Inner {
    /// Of the host and the device.
    sums: [Sum; 2],
    /// Empty where nothing is learned.
    classes: Box<[Class]>,
}

/// A launch that is under way.
#[derive(Clone, Copy)]
pub(crate) struct Launch {
    pub(crate) state: &'static State,
    pub(crate) side: Side,
    chosen: Chosen,
    predicted: Predicted,
    /// Whether both versions could have run, with predictions.
    is_comparable: bool,
}

/// Whether a launch's code leaves the choice open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostVersion {
    /// The host may run it.
    MayRun,
    /// Its choice stands.
    Settled,
}

/// A region as the program carries it.
pub(crate) struct Carried<'a> {
    pub(crate) name: String,
    pub(crate) table: Option<&'a [u8]>,
    pub(crate) prepared: usize,
}

impl Runtime {
    /// The program's, made when it is first needed.
    pub(crate) fn get() -> &'static Runtime {
        RUNTIME.get_or_init(Runtime::new)
    }

    /// The program's, where it was needed.
    pub(crate) fn existing() -> Option<&'static Runtime> {
        RUNTIME.get()
    }

    fn new() -> Runtime {
        let settings = Settings::read(|name| std::env::var_os(name));
        let (finder, problems) = Finder::new(settings.wishes.clone(), Path::new("/"));
        problems.iter().for_each(|problem| tell_once(problem));
        // A GPU that the user names needs no search.
        let driver = if settings.wishes.gpu.is_none() { CudaDriver::open().ok() } else { None };
        let gpus = driver.as_ref().map(CudaDriver::devices).unwrap_or_default();
        let learned = match &settings.learning {
            Learning::Kept(path) => match Learned::read(path) {
                Contents::Learned(learned, problem) => {
                    problem.iter().for_each(|problem| tell_once(&format!("{}: {problem}", path.display())));
                    learned
                }
                Contents::Other(why) => {
                    tell_once(&format!("{}: {why}; nothing is kept in it", path.display()));
                    Learned::default()
                }
            },
            Learning::Off | Learning::On => Learned::default(),
        };
        Runtime {
            settings,
            finder,
            driver,
            gpus,
            machines: Mutex::default(),
            learned: Mutex::new(learned),
            regions: Mutex::default(),
        }
    }

    /// Takes in a region: what is kept of it, and what its prepared values are with the machines that were found; None where those
    /// of the build stay.
    pub(crate) fn region(&self, carried: &Carried<'_>) -> (&'static State, Option<Vec<f64>>) {
        let table = carried.table.and_then(|bytes| {
            let problem = |why: &String| {
                tell_once(&format!("{}: {why}; what was compiled in stays", carried.name));
            };
            read(bytes, carried.prepared).inspect_err(problem).ok()
        });
        let values = table.as_ref().and_then(|table| self.values(&table.machines));
        let prediction = table.as_ref().and_then(|table| table.prediction.as_ref().ok());
        let prepared = prediction.zip(values.as_ref()).and_then(|(prediction, values)| {
            let problem = |why: &String| tell_once(&format!("{}: {why}; what was compiled in stays", carried.name));
            prepare(prediction, &values.of_leaves).inspect_err(problem).ok()
        });
        let machines = match (&values, &table) {
            (Some(values), _) => values.names.clone(),
            (None, Some(Table { machines: MachineNames { gpu, cpu, link }, .. })) => format!("{gpu}, {cpu}, {link}"),
            (None, None) => String::new(),
        };
        let key = Key::new(&machines, &carried.name, carried.table.unwrap_or_default());
        (self.state(key, carried), prepared)
    }

    /// A region that was taken in before is the same, for example one of a shared object that was closed and opened again.
    fn state(&self, key: Key, carried: &Carried<'_>) -> &'static State {
        let mut regions = lock(&self.regions);
        if let Some(known) = regions.iter().find(|state| state.key == key) {
            return known;
        }
        let count = if self.settings.learning == Learning::Off { 0 } else { CLASSES };
        let mut classes = vec![Class::default(); count].into_boxed_slice();
        for (number, class) in lock(&self.learned).of(&key) {
            if let Some(place) = classes.get_mut(number) {
                *place = class;
            }
        }
        let inner = Mutex::new(Inner { sums: [Sum::default(); 2], classes });
        // Regions are the program's for as long as it runs.
        let state: &'static State = Box::leak(Box::new(State { title: carried.name.clone(), key, inner }));
        regions.push(state);
        state
    }

    /// The values of the leaves with the machines that were found for a build; None where those of the build stay.
    fn values(&self, build: &MachineNames) -> Option<Values> {
        let mut known = lock(&self.machines);
        if let Some((_, values)) = known.iter().find(|(names, _)| names == build) {
            return values.clone();
        }
        let found = self.finder.find(build, self.gpu());
        found.problems.iter().for_each(|problem| tell_once(problem));
        let values = found.machines.and_then(|machines| {
            let names = format!("{}, {}, {}", machines.gpu.name, machines.cpu.name, machines.link.name);
            let of_leaves = machine_values(&machines).map_err(|error| error.to_string())?;
            Ok(Values { names, of_leaves })
        });
        let is_asked = self.settings.log != Log::Nothing;
        match &values {
            Ok(values) if is_asked => tell_once(&format!("predictions are for {}", values.names)),
            Err(why) if is_asked || self.settings.wishes.is_any() => {
                tell_once(&format!("{why}; predictions are for the machines that the build named"));
            }
            _ => {}
        }
        known.push((build.clone(), values.clone().ok()));
        values.ok()
    }

    /// The GPU that launches go to.
    fn gpu(&self) -> Option<&CudaDevice> {
        let first = self.gpus.first()?;
        if self.gpus.iter().all(|gpu| gpu == first) {
            return Some(first);
        }
        self.gpus.get(OpenMp::of_program()?.default_gpu(self.driver.as_ref()?)?)
    }

    /// Begins a launch for which the program's code has chosen `asked`.
    pub(crate) fn begin(&self, state: &'static State, asked: Side, host: HostVersion, predicted: Predicted) -> Launch {
        let could_run = asked == Side::Host || host == HostVersion::MayRun;
        let is_comparable = could_run && predicted.is_known() && self.settings.learning != Learning::Off;
        let may_turn = is_comparable
            && host == HostVersion::MayRun
            && self.settings.choices == Choices::Predicted
            && asked == predicted.faster();
        let side = if may_turn {
            let mut inner = lock(&state.inner);
            inner.classes.get_mut(predicted.class()).map_or(asked, |class| class.choose(predicted))
        } else {
            asked
        };
        let chosen = if side == asked { Chosen::AsAsked } else { Chosen::Turned };
        Launch { state, side, chosen, predicted, is_comparable }
    }

    /// Ends a launch that took so many seconds.
    pub(crate) fn end(&self, launch: &Launch, seconds: f64) {
        let &Launch { state, side, chosen, predicted, is_comparable } = launch;
        {
            let mut inner = lock(&state.inner);
            let sum = &mut inner.sums[side as usize];
            let is_first = sum.launches == 0;
            sum.add(predicted.of(side), seconds);
            if is_comparable && let Some(class) = inner.classes.get_mut(predicted.class()) {
                class.add(side, chosen, predicted, seconds, is_first);
            }
        }
        if self.settings.log == Log::Calls {
            tell(&tell::launch(&state.title, side, predicted, seconds, chosen == Chosen::Turned));
        }
    }

    /// What is due when the program ends.
    pub(crate) fn finish(&self) {
        let regions = lock(&self.regions).clone();
        if self.settings.log == Log::Summary {
            let of = |state: &&'static State| {
                let sums = lock(&state.inner).sums;
                [Side::Host, Side::Device].map(|side| (state.title.as_str(), side, sums[side as usize]))
            };
            let sums: Vec<(&str, Side, Sum)> = regions.iter().flat_map(of).collect();
            tell::table(&sums).iter().for_each(|line| tell(line));
        }
        if let Learning::Kept(path) = &self.settings.learning {
            let mut learned = Learned::default();
            for state in &regions {
                let inner = lock(&state.inner);
                let is_new = |class: &Class| *class != Class::default();
                for (number, class) in inner.classes.iter().enumerate().filter(|(_, class)| is_new(class)) {
                    learned.put(&state.key, number, *class);
                }
            }
            let own: Vec<Key> = regions.iter().map(|state| state.key.clone()).collect();
            if let Err(why) = learned.write(path, &own) {
                tell_once(&format!("{}: {why}; nothing is kept in it", path.display()));
            }
        }
    }
}

/// The table of a region that has room for so many prepared values.
fn read(bytes: &[u8], room: usize) -> Result<Table, String> {
    let table = Table::from_bytes(bytes).map_err(|error| error.to_string())?;
    match table.prediction.as_ref().map_or(0, |prediction| prediction.form.prepared().len()) {
        count if count == room => Ok(table),
        count => Err(format!("its table needs {count} values of machines, and it has room for {room}")),
    }
}

/// What a prediction needs of machines at each launch.
fn prepare(prediction: &Prediction, of_leaves: &BTreeMap<String, f64>) -> Result<Vec<f64>, String> {
    prediction.prepared(|key| of_leaves.get(key).copied()).ok_or_else(|| {
        let is_unknown = |leaf: &&Leaf| matches!(leaf, Leaf::Machine(key) if !of_leaves.contains_key(key));
        let leaf = prediction.form.leaves().iter().find(is_unknown).map(Leaf::to_string).unwrap_or_default();
        format!("its prediction needs {leaf}, which this libipda_rt.so does not know")
    })
}
