//! A module as it was written, and as the plugin has changed it.

use super::mutant::Mutant;
use crate::load::{self, LoadError, LoadOptions};
use crate::oracle::{OracleError, Side, Stage, Target, compile_for, tool};
use crate::program::Site;
use crate::subject::Subject;
use inkwell::context::Context;
use ipda::{Counted, FusedKernel, LoopRequest};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The two, ready to run.
#[derive(Debug)]
pub struct Pair {
    /// As it was written.
    pub original: Subject,
    /// As it was changed.
    pub changed: Subject,
    reported: Reported,
}

/// What is compiled, and how far.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Code {
    /// Which GPU kernels are compiled for.
    #[arg(long, value_enum, default_value_t)]
    pub target: Target,
    /// Run both after optimisation, as of -O3: only there a wrong fact of the changed code shows
    #[arg(long)]
    pub optimised: bool,
    /// Look at kernels too in which only the schedule of the loops was changed; after optimisation, several iterations are done at once, too
    #[arg(long)]
    pub schedules: bool,
    /// Make a mapping of each nest, whether or not it pays: the N-th legal one, or one as `IPDA_MAPPING` has it, for some functions alone if it names them
    #[arg(long, value_name = "N|TEXT", value_parser = LoopRequest::parse)]
    pub mapping: Option<LoopRequest>,
    /// Put a fault into the changed code, which must be found
    #[arg(long, value_enum, conflicts_with_all = ["sectors", "recovery"])]
    pub mutant: Option<Mutant>,
}

impl Code {
    fn counted(&self) -> Counted {
        if self.schedules { Counted::Scheduled } else { Counted::Fused }
    }
}

/// Of each kernel by its name, whether it was changed; else why not.
pub(super) type Reported = BTreeMap<String, Result<FusedKernel, String>>;

impl Pair {
    /// Compiles a source for the device and lets the plugin change a copy of the module.
    pub fn compile(code: &Code, source: &Path, folder: &Path) -> Result<Pair, OracleError> {
        Pair::compile_beside(code, source, folder, None)
    }

    /// The same where the plugin sees the host's code, as it does in a whole build.
    pub fn compile_with_host(code: &Code, source: &Path, folder: &Path) -> Result<Pair, OracleError> {
        let host = folder.join("host.bc");
        compile_for(code.target, source, Stage::FrontEnd, Side::Host, &host)?;
        Pair::compile_beside(code, source, folder, Some(&host))
    }

    fn compile_beside(code: &Code, source: &Path, folder: &Path, host: Option<&Path>) -> Result<Pair, OracleError> {
        let (module, changed) = (folder.join("original.bc"), folder.join("changed.bc"));
        compile_for(code.target, source, Stage::FrontEnd, Side::Device, &module)?;
        let reported = change(&module, &changed, host, code)?;
        if code.optimised {
            optimise(&module)?;
            optimise(&changed)?;
            if code.schedules {
                overlap(&changed, code)?;
            }
        }
        Pair::of(&module, &changed, reported)
    }

    pub(super) fn of(module: &Path, changed: &Path, reported: Reported) -> Result<Pair, OracleError> {
        let load = |path: &Path| Subject::without_predictions(path, &LoadOptions::default(), None);
        Ok(Pair { original: load(module)?, changed: load(changed)?, reported })
    }

    /// The kernel's number in the changed module.
    pub fn changed_kernel(&self, kernel: usize) -> Option<usize> {
        let name = &self.original.program.kernels()[kernel].name;
        self.changed.program.kernels().iter().position(|other| other.name == *name)
    }

    /// Whether a kernel was changed; else why not.
    pub fn outcome(&self, kernel: usize) -> Result<(), &str> {
        match self.reported.get(&self.original.program.kernels()[kernel].name) {
            Some(Ok(_)) => Ok(()),
            Some(Err(reason)) => Err(reason),
            None => Err("nothing is said of it"),
        }
    }

    /// Whether a kernel was changed because the host's code shows that some of its arrays are different ones.
    pub(super) fn rests_on_host(&self, kernel: usize) -> bool {
        let reported = self.reported.get(&self.original.program.kernels()[kernel].name);
        matches!(reported, Some(Ok(FusedKernel { rests_on_host: true, .. })))
    }

    /// Whether lanes of a kernel's warps became tiles.
    pub(super) fn has_tiles(&self, kernel: usize) -> bool {
        let reported = self.reported.get(&self.original.program.kernels()[kernel].name);
        matches!(reported, Some(Ok(FusedKernel { has_tiles: true, .. })))
    }

    /// The mappings that were made in a kernel, with the loops' names.
    pub fn mappings(&self, kernel: usize) -> &[String] {
        match self.reported.get(&self.original.program.kernels()[kernel].name) {
            Some(Ok(fused)) => &fused.mappings,
            _ => &[],
        }
    }

    /// Of each access in the changed module, whether it stands in a function that the original does not have, and not where that runs the loops as
    /// they were written.
    pub(super) fn is_new(&self) -> Vec<bool> {
        let old: FxHashSet<&str> = self.original.program.sites().map(|(_, site)| &site.function[..]).collect();
        let is_new = |site: &Site| !old.contains(&site.function[..]) && !site.is_unlikely;
        self.changed.program.sites().map(|(_, site)| is_new(site)).collect()
    }
}

/// Optimises a module in its file, for its target.
fn optimise(path: &Path) -> Result<(), OracleError> {
    let opt = tool("opt");
    // A kernel that LLVM lets all threads start reads what one thread writes, which the judge takes for a race.
    let flags = ["-passes=default<O3>", "-openmp-opt-disable-spmdization", "-o"];
    let run = Command::new(&opt).args(flags).args([path, path]).output();
    let output = run.map_err(|error| LoadError::Llvm(format!("cannot start {}: {error}", opt.display())))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(LoadError::Llvm(String::from_utf8_lossy(&output.stderr).into_owned()).into()),
    }
}

/// Lets threads do several iterations at once in a module after optimisation, as the plugin does there.
fn overlap(path: &Path, code: &Code) -> Result<(), OracleError> {
    let context = Context::create();
    let module = load::read_any(&context, path)?;
    /// So few that examples have them.
    const ENOUGH: u64 = 8;
    ipda::overlap_iterations(&module, ENOUGH);
    if let Some(mutant) = code.mutant {
        mutant.put_into_optimised(&module);
    }
    module.verify().map_err(|problem| LoadError::Llvm(format!("the changed module is not valid: {problem}")))?;
    module.write_bitcode_to_path(path);
    Ok(())
}

/// Writes a module as the plugin changes it; what it says of each kernel.
pub(super) fn change(module: &Path, changed: &Path, host: Option<&Path>, code: &Code) -> Result<Reported, OracleError> {
    let context = Context::create();
    let module = load::read_any(&context, module)?;
    let reported = ipda::fuse_loops(&module, host, code.mapping.clone(), code.counted());
    if let Some(mutant) = code.mutant {
        mutant.put_into(&module);
    }
    module.verify().map_err(|problem| LoadError::Llvm(format!("the changed module is not valid: {problem}")))?;
    module.write_bitcode_to_path(changed);
    Ok(reported.into_iter().collect())
}
