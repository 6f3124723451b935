//! What a program has of the library: settings, machines, and its regions.

use std::path::Path;
use std::sync::{Mutex, OnceLock};

use ipda_measure::GpuDevice;
use ipda_models::table::{MachineNames, Table};

use crate::devices::Devices;
use crate::launch::{Other, State};
use crate::learn::file::{Contents, Key, Learned};
use crate::machines::Finder;
use crate::messages::{lock, report_once};
use crate::settings::{Choices, DeviceChoice, Settings};
use crate::values::Values;

static RUNTIME: OnceLock<Runtime> = OnceLock::new();

/// The library's state.
pub(crate) struct Runtime {
    pub(crate) settings: Settings,
    finder: Finder,
    devices: Devices,
    /// What was looked for before.
    machines: Mutex<Vec<Search>>,
    /// Of programs before this one.
    learned: Learned,
    regions: Mutex<Vec<&'static State>>,
}

/// What came of looking for the machines of a build.
struct Search {
    build: MachineNames,
    gpu: Option<GpuDevice>,
    /// None where those of the build stay.
    values: Option<Values>,
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
        let settings = Settings::read(ipda_measure::variable);
        let (finder, problems) = Finder::new(settings.requested.clone(), Path::new("/"));
        settings.problems.iter().chain(&problems).for_each(|problem| report_once(problem));
        // A GPU that the user names needs no search.
        let devices = if finder.knows_gpu() { Devices::none() } else { Devices::of_driver() };
        let learned = read_learned(&settings);
        let (machines, regions) = (Mutex::default(), Mutex::default());
        Runtime { settings, finder, devices, machines, learned, regions }
    }

    /// Registers a region: what is kept of it, and what its prepared values are with the machines that were found; None where those
    /// of the build stay.
    pub(crate) fn region(&self, carried: &Carried<'_>) -> (&'static State, Option<Vec<f64>>) {
        let problem = |why: &String| report_once(&format!("{}: {why}; what was compiled in stays", carried.name));
        let table = carried.table.and_then(|bytes| read(bytes, carried.prepared).inspect_err(problem).ok());
        let prediction = table.as_ref().and_then(|table| table.prediction.as_ref().ok());
        // A build that could not predict named no machines.
        let predicted = table.as_ref().filter(|_| prediction.is_some());
        let values = predicted.and_then(|table| self.values(&table.machines, self.devices.default_gpu()));
        let prepared = prediction
            .zip(values.as_ref())
            .and_then(|(prediction, values)| values.prepare(prediction).inspect_err(problem).ok());
        let machines = match (&values, &table) {
            (Some(values), _) => values.names.clone(),
            (None, Some(Table { machines: MachineNames { gpu, cpu, link }, .. })) => format!("{gpu}, {cpu}, {link}"),
            (None, None) => String::new(),
        };
        let key = Key::new(&machines, &carried.name, carried.table.unwrap_or_default());
        (self.state(key, table.as_ref()), prepared)
    }

    /// A region that was registered before is the same, for example one of a shared object that was closed and opened again.
    fn state(&self, key: Key, table: Option<&Table>) -> &'static State {
        let mut regions = lock(&self.regions);
        if let Some(known) = regions.iter().find(|state| state.key == key) {
            return known;
        }
        let classes = || self.learned.of(&key).map(|class| (class.key, class)).collect();
        let classes = self.settings.file().map(|_| classes());
        let others = table.map(|table| self.others(table)).unwrap_or_default();
        // Regions are the program's for as long as it runs.
        let state: &'static State = Box::leak(Box::new(State::new(key, others, classes)));
        regions.push(state);
        state
    }

    /// Where launches may also go to, if the user lets them.
    fn others(&self, table: &Table) -> Vec<Other> {
        let Ok(prediction) = &table.prediction else { return Vec::new() };
        if self.settings.devices == DeviceChoice::Default || self.settings.choices == Choices::Fixed {
            return Vec::new();
        }
        let other = |(number, gpu): (i32, &GpuDevice)| {
            let values = self.values(&table.machines, Some(gpu))?;
            values.prepare(prediction).ok()?;
            Some(Other { number, prediction: prediction.clone(), values })
        };
        self.devices.of_other_kinds().into_iter().filter_map(other).collect()
    }

    /// The values of the leaves with the machines that are found for a build; None where those of the build stay.
    fn values(&self, build: &MachineNames, gpu: Option<&GpuDevice>) -> Option<Values> {
        let mut known = lock(&self.machines);
        if let Some(same) = known.iter().find(|search| search.build == *build && search.gpu.as_ref() == gpu) {
            return same.values.clone();
        }
        let found = self.finder.find(build, gpu);
        found.problems.iter().for_each(|problem| report_once(problem));
        let values = found.machines.and_then(|machines| Values::new(&machines));
        let is_logged = self.settings.is_logged;
        match &values {
            Ok(values) if is_logged => report_once(&format!("predictions are for {}", values.names)),
            Err(why) if is_logged || self.settings.requested.is_any() => {
                report_once(&format!("{why}; predictions are for the machines that the build named"));
            }
            _ => {}
        }
        known.push(Search { build: build.clone(), gpu: gpu.cloned(), values: values.clone().ok() });
        values.ok()
    }

    /// What is due when the program ends.
    pub(crate) fn finish(&self) {
        let regions = lock(&self.regions).clone();
        if let Some(path) = self.settings.file() {
            let mut learned = Learned::default();
            for state in &regions {
                state.classes().into_iter().for_each(|class| learned.put(&state.key, class));
            }
            let own: Vec<Key> = regions.iter().map(|state| state.key.clone()).collect();
            if let Err(why) = learned.write(path, &own) {
                report_once(&not_kept(path, &why));
            }
        }
    }
}

fn read_learned(settings: &Settings) -> Learned {
    let Some(path) = settings.file() else { return Learned::default() };
    match Learned::read(path) {
        Contents::Learned(learned, problem) => {
            problem.iter().for_each(|problem| report_once(&format!("{}: {problem}", path.display())));
            learned
        }
        Contents::Other(why) => {
            report_once(&not_kept(path, &why));
            Learned::default()
        }
    }
}

fn not_kept(path: &Path, why: &str) -> String {
    format!("{}: {why}; nothing is kept in it", path.display())
}

/// The table of a region that has room for so many prepared values.
fn read(bytes: &[u8], room: usize) -> Result<Table, String> {
    let table = Table::from_bytes(bytes).map_err(|error| error.to_string())?;
    match table.prediction.as_ref().map_or(0, |prediction| prediction.form.prepared().len()) {
        count if count == room => Ok(table),
        count => Err(format!("its table needs {count} values of machines, and it has room for {room}")),
    }
}
