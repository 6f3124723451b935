//! One compilation of one module: what all phases ask for, found once.

use super::machines::gpu_of;
use super::module::{is_for_gpu, processor_of_kernels, side};
use crate::analysis::allocations::HostCode;
use crate::analysis::maps::{self, Maps};
use crate::analysis::region::{Counterpart, Setting};
use crate::common::budget::Budget;
use crate::common::trace::Tracer;
use crate::decision::read_only::{self, ReadOnly};
use crate::facts::{self, DeviceImage, Place};
use crate::openmp::{
    self,
    outline::{self, TargetRegion},
};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_llvm::{DataLayout, DeclarationGuard, Nameless, RemarkKind, Session, Value, remarks_are_enabled};
use ipda_models::options::{self, Options, Remarks};
use ipda_models::report::{Hardware, Report, SCHEMA_VERSION, Side};
use ipda_symbolic::{Banks, MemoryGeometry};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::OnceLock;

/// A module in work. Invariant: the regions are those that the module has; what is cached is read from what no phase changes.
pub(super) struct Compilation<'m, 'ctx> {
    pub session: Session,
    pub module: &'m Module<'ctx>,
    pub side: Side,
    pub options: Options,
    /// In source order; a region is known by its place here.
    pub regions: Vec<TargetRegion>,
    pub trace: Tracer,
    layout: DataLayout,
    source: String,
    machine: OnceCell<Machine>,
    images: OnceCell<Rc<[DeviceImage]>>,
    maps: OnceCell<FxHashMap<String, Maps>>,
    read_only: OnceCell<BTreeMap<String, ReadOnly>>,
    /// Of a device's compilation.
    pub(super) host: HostCode,
    pub(super) counterparts: OnceCell<FxHashMap<String, Counterpart>>,
    place: OnceCell<Place>,
}

/// The device that accesses are counted for.
struct Machine {
    gpu: Gpu,
    geometry: MemoryGeometry,
}

/// What a phase that only looks holds: the module is afterwards as it was.
pub(super) type Untouched = (DeclarationGuard, Nameless);

impl<'m, 'ctx> Compilation<'m, 'ctx> {
    pub(super) fn new(
        session: Session,
        module: &'m Module<'ctx>,
        options: Options,
        phase: &'static str,
    ) -> Compilation<'m, 'ctx> {
        let side = side(module);
        let trace = Tracer::new(options.trace, side, phase);
        openmp::declare(module.get_functions().map(|function| Value::of(&function)), &options.constant, &options.pure);
        let step = trace.begin("find", None);
        let regions = outline::find(module);
        step.end(format_args!("{} regions", regions.len()));
        let file = (side == Side::Device).then(|| options.host_code.clone().or_else(facts::host_code)).flatten();
        Compilation {
            session,
            module,
            side,
            regions,
            trace,
            options,
            layout: DataLayout::of(module),
            source: module.get_source_file_name().to_string_lossy().into_owned(),
            machine: OnceCell::new(),
            images: OnceCell::new(),
            maps: OnceCell::new(),
            read_only: OnceCell::new(),
            host: HostCode::of_file(file),
            counterparts: OnceCell::new(),
            place: OnceCell::new(),
        }
    }

    /// The same for a device that somebody else names.
    pub(super) fn with_gpu(self, gpu: Option<&Gpu>) -> Compilation<'m, 'ctx> {
        if let Some(gpu) = gpu {
            self.machine.get_or_init(|| Machine::of(gpu.clone()));
        }
        self
    }

    /// The same where there are no regions, for all functions.
    pub(super) fn or_functions(mut self) -> Compilation<'m, 'ctx> {
        if self.regions.is_empty() {
            self.regions = outline::functions(self.module);
        }
        self
    }

    /// While this lives, copies can be made.
    pub(super) fn untouched(&self) -> Untouched {
        (DeclarationGuard::new(self.module), Nameless::new(self.module))
    }

    /// What the analysis of each region needs to know of the module.
    pub(super) fn setting(&self) -> Setting<'_> {
        let machine = self.machine();
        Setting {
            session: self.session,
            layout: self.layout,
            gpu: &machine.gpu,
            geometry: &machine.geometry,
            banks: Banks { count: machine.gpu.banks, word_bytes: machine.gpu.bank_word.get() },
            reuse_sectors: reuse_of(&machine.gpu),
            source: &self.source,
            device_schedules: None,
            device_environment: None,
            maps: None,
            launches: None,
            counterpart: None,
            is_host: self.side == Side::Host,
            budget: Budget::of_module(self.regions.len()),
            has_device_image: false,
            takes_host_shapes: self.options.takes_host_shapes,
            request: None,
            trace: &self.trace,
        }
    }

    /// The same for one region, with what its launches and the device's compilations say of it.
    pub(super) fn setting_of<'a>(&'a self, region: &'a TargetRegion) -> Setting<'a> {
        let (facts, device_environment) = facts::of_kernel(self.images(), &region.symbol);
        Setting {
            device_schedules: facts.map(|facts| facts.schedules.clone()).filter(|all| !all.is_empty()),
            device_environment,
            maps: self.maps().get(&region.symbol),
            launches: self.host.is_there().then_some((&self.host, &region.symbol[..])),
            has_device_image: !self.images().is_empty(),
            request: region.mapping(&self.options),
            ..self.setting()
        }
    }

    /// The finished objects of the device's compilations, which the host's module has.
    pub(super) fn images(&self) -> &[DeviceImage] {
        self.read_images()
    }

    /// The same, for a later phase.
    pub(super) fn shared_images(&self) -> Rc<[DeviceImage]> {
        Rc::clone(self.read_images())
    }

    /// They were read in an earlier phase.
    pub(super) fn has_images(&self, images: Rc<[DeviceImage]>) {
        self.images.get_or_init(|| images);
    }

    fn read_images(&self) -> &Rc<[DeviceImage]> {
        let find = || if self.side == Side::Host { facts::read(self.module) } else { Vec::new() };
        self.images.get_or_init(|| find().into())
    }

    /// The map clauses by kernel name; the host's module alone shows them.
    pub(super) fn maps(&self) -> &FxHashMap<String, Maps> {
        let find = || match self.side {
            Side::Host => maps::find(self.session, self.layout, self.module),
            Side::Device => FxHashMap::default(),
        };
        self.maps.get_or_init(find)
    }

    /// What launches need not copy back, by kernel name.
    pub(super) fn read_only(&self) -> &BTreeMap<String, ReadOnly> {
        self.read_only.get_or_init(|| match self.options.maps {
            options::Maps::On => read_only::find(self.module, self.images()),
            options::Maps::Off => BTreeMap::new(),
        })
    }

    /// The GPU that the module is for.
    pub(super) fn gpu(&self) -> &Gpu {
        &self.machine().gpu
    }

    fn machine(&self) -> &Machine {
        self.machine.get_or_init(|| {
            let named = || Gpu::find(self.options.gpu.as_deref()?).ok();
            let (triple, processor) = match self.images().first() {
                Some(image) => (image.triple.clone(), image.processor.clone()),
                None => (self.triple(), processor_of_kernels(self.module).unwrap_or_default()),
            };
            Machine::of(named().or_else(|| gpu_of(&processor)).unwrap_or_else(|| usual_gpu(&triple)))
        })
    }

    fn triple(&self) -> String {
        self.module.get_triple().as_str().to_string_lossy().into_owned()
    }

    /// A report without regions.
    pub(super) fn header(&self) -> Report {
        let Machine { gpu, geometry } = self.machine();
        Report {
            ipda_report: SCHEMA_VERSION,
            tool: concat!("ipda ", env!("CARGO_PKG_VERSION")).into(),
            source: self.source.clone(),
            sources: Vec::new(),
            side: self.side,
            target: self.triple(),
            hardware: Hardware {
                name: gpu.name.clone(),
                warp_lanes: geometry.lanes,
                sector_bytes: geometry.sector_bytes as u32,
                line_bytes: geometry.line_bytes as u32,
                banks: gpu.banks,
                bank_bytes: gpu.bank_word.get(),
                reuse_sectors: (reuse_of(gpu) > 0).then(|| reuse_of(gpu)),
            },
            regions: Vec::new(),
            rejects: Vec::new(),
        }
    }

    pub(super) fn is_openmp_device(&self) -> bool {
        self.module.get_flag("openmp-device").is_some()
    }

    /// Where a device's compilation stands among those of one call of the compiler.
    fn place(&self) -> Place {
        *self.place.get_or_init(Place::find)
    }

    /// Whether this compilation writes the report, and warns.
    pub(super) fn speaks(&self) -> bool {
        match (self.options.remarks, self.side) {
            (Remarks::Here, _) | (_, Side::Host) => true,
            // The host's module knows OpenMP's regions, and no others.
            (_, Side::Device) => !self.is_openmp_device() || !self.host_follows() && self.place().is_first,
        }
    }

    /// Whether the host's compilation follows this one of a device, and reads what it leaves.
    pub(super) fn host_follows(&self) -> bool {
        self.is_openmp_device() && self.place().host_follows
    }

    /// Whether the host's compilation reads what this one of a GPU says to people. A device that is as the host has nothing else to say.
    pub(super) fn relays(&self) -> bool {
        self.is_reported() && self.is_part_of_host()
    }

    /// Whether the host's compilation embeds what this one of a GPU makes.
    pub(super) fn is_part_of_host(&self) -> bool {
        self.host_follows() && self.place().is_embedded && is_for_gpu(self.module)
    }

    /// Whether people see this device compilation's remarks on code: it has the source at hand, which the host's has no more.
    pub(super) fn reports_code(&self) -> bool {
        self.has_remarks() && (self.speaks() || self.relays() && self.place().is_first)
    }

    /// Whether people see remarks.
    pub(super) fn has_remarks(&self) -> bool {
        let are_enabled = |kind| remarks_are_enabled(self.module, kind);
        let kinds = [RemarkKind::Missed, RemarkKind::Analysis, RemarkKind::Passed];
        self.options.remarks != Remarks::Off && kinds.into_iter().any(are_enabled)
    }

    /// Whether anybody sees what is found.
    pub(super) fn is_reported(&self) -> bool {
        self.options.report.is_some() || self.has_remarks()
    }
}

impl Machine {
    fn of(gpu: Gpu) -> Machine {
        let geometry = MemoryGeometry {
            lanes: gpu.lanes,
            sector_bytes: gpu.sector.get().into(),
            line_bytes: gpu.line.get().into(),
        };
        Machine { gpu, geometry }
    }
}

/// Sectors that a group of accesses may touch; none where the description does not say what stays in the first-level cache.
fn reuse_of(gpu: &Gpu) -> u64 {
    gpu.coalescing.reuse.as_ref().map_or(0, |sectors| sectors.get().get())
}

/// The GPU that stands for a device's target where none is named.
fn usual_gpu(triple: &str) -> Gpu {
    static NVIDIA: OnceLock<Gpu> = OnceLock::new();
    static AMD: OnceLock<Gpu> = OnceLock::new();
    let (entry, name) = if triple.starts_with("amdgcn") { (&AMD, "mi210") } else { (&NVIDIA, "h200") };
    entry.get_or_init(|| Gpu::builtin(name).expect("the default entries are built in")).clone()
}
