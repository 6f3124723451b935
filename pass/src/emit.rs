//! Telling people: remarks by LLVM's channel, and the report file.

use crate::ffi::RemarkKind;
use crate::ir::Value;
use crate::outline;
use crate::print;
use crate::remark::remark;
use crate::run::{current_mode, processor};
use inkwell::module::Module;
use ipda_models::report::{
    Access, AccessKind, Branch, Class, Lanes, LanesKind, Location, Loop, LoopKind, MemoryKind, ModeKind, OnHost,
    Reason, Region, RegionKind, Report, Resources, StrideKind, Transformation, TransformationState,
};
use std::cell::RefCell;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// The function of the module that holds a region: remarks belong to functions.
fn holder(module: &Module<'_>, region: &Region) -> Option<(String, Value)> {
    outline::find(module).into_iter().find_map(|found| {
        let name = &found.name;
        let same = name.line == region.location.line && crate::ir::demangle(&name.function) == region.function;
        same.then(|| (found.symbol.clone(), found.holder()))
    })
}

/// Emits all remarks of a report.
pub(crate) fn remarks(module: &Module<'_>, report: &Report) {
    for region in &report.regions {
        let Some((_, function)) = holder(module, region) else { continue };
        let send = |kind: RemarkKind, name: &str, text: &str, at: Option<&Location>| {
            remark(function, kind, name, text, at.unwrap_or(&region.location));
        };
        send(RemarkKind::Analysis, "Region", &region_text(region, report), None);
        for entry in &region.loops {
            send(RemarkKind::Analysis, "Loop", &loop_text(entry), entry.location.as_ref());
        }
        for access in &region.accesses {
            send(RemarkKind::Analysis, "Access", &access_text(access, report), access.location.as_ref());
            if let Some((name, text)) = missed_text(access, report) {
                send(RemarkKind::Missed, name, &text, access.location.as_ref());
            }
            if let Some(sharing) = &access.false_sharing {
                let text = format!("{}: {}", what(access), sharing.sentence());
                send(RemarkKind::Missed, "FalseSharing", &text, access.location.as_ref());
            }
        }
        for branch in &region.branches {
            if let Some(text) = divergence_text(branch) {
                send(RemarkKind::Missed, "Divergent", &text, branch.location.as_ref());
            }
        }
        if let Some(told) = &region.transformation {
            let (kind, name, text) = transformation_text(told);
            let at = told.reasons.first().and_then(|reason| reason.locations.first());
            let at = at.or_else(|| told.threads.first().and_then(|entry| entry.location.as_ref()));
            send(kind, name, &text, at);
        }
        match &region.on_host {
            Some(OnHost { reason: Some(reason), .. }) => {
                let text = format!("its launches stay on the device: {}", reason.reason);
                send(RemarkKind::Missed, &reason.name, &text, None);
            }
            Some(OnHost { reason: None, .. }) => {
                let text = "each launch may run on the host as well, which is decided when the program runs";
                send(RemarkKind::Analysis, "MayRunOnHost", text, None);
            }
            None => {}
        }
        for limit in &region.limits {
            let meaning = limit.meaning().unwrap_or("more than the analysis looks at");
            let count = plural(limit.count as usize, "time", "times");
            let text =
                format!("the analysis met its limit {} {count}, and left something unknown: {meaning}", limit.name);
            send(RemarkKind::Missed, "Limit", &text, None);
        }
        for reject in &region.rejects {
            send(RemarkKind::Missed, &reject.name, &reject.reason, reject.location.as_ref());
        }
    }
}

/// What was done with the loops, or why nothing.
fn transformation_text(told: &Transformation) -> (RemarkKind, &'static str, String) {
    let names: Vec<&str> = told.threads.iter().map(|entry| &entry.name[..]).collect();
    let names = match &names[..] {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        all => all.concat(),
    };
    let gain = told.gain.as_ref().map_or(String::new(), |gain| {
        let per = gain.per_iteration_of.as_deref().map_or(String::new(), |name| format!(" in an iteration of {name}"));
        format!(
            "for sizes of 1021 a warp touches {} sectors{per} instead of {}, and {} threads share the work instead of {}",
            gain.sectors_after, gain.sectors_before, gain.threads_after, gain.threads_before
        )
    });
    let conditions = match &told.conditions[..] {
        [] => String::new(),
        all => format!("; where {}, as the kernel tests", all.join(", and ")),
    };
    let clause = told.clause.as_deref().map_or(String::new(), |clause| format!("; to write it yourself, {clause}"));
    let reasons: Vec<String> = told.reasons.iter().map(reason_text).collect();
    let reasons = reasons.join("; ");
    let verb = if told.is_interchange { "reordered and collapsed" } else { "collapsed" };
    match told.state {
        TransformationState::Done => {
            (RemarkKind::Passed, "Collapsed", format!("{verb} the loops over {names}: {gain}{conditions}{clause}"))
        }
        TransformationState::Possible => (
            RemarkKind::Missed,
            "CouldCollapse",
            format!("the loops over {names} could be {verb}, which was not asked for: {gain}{conditions}{clause}"),
        ),
        TransformationState::Best => {
            (RemarkKind::Analysis, "BestOrder", "no other order of the loops touches fewer sectors".into())
        }
        TransformationState::Left if told.threads.is_empty() => {
            (RemarkKind::Missed, "NotCollapsed", format!("the loops are left as they are: {reasons}"))
        }
        TransformationState::Left => (
            RemarkKind::Missed,
            "NotCollapsed",
            format!("the loops over {names} are not {verb}, though {gain} then: {reasons}{clause}"),
        ),
    }
}

fn reason_text(reason: &Reason) -> String {
    match &reason.locations[..] {
        [] => reason.text.clone(),
        [from, to] if from != to => format!("{}, from {from} to {to}", reason.text),
        [at, ..] => format!("{} at {at}", reason.text),
    }
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Symbolic => "known when the program runs",
        Class::DataDependent => "dependent on data",
        plain => plain.name(),
    }
}

fn region_text(region: &Region, report: &Report) -> String {
    let mode = match region.mode.kind {
        ModeKind::Spmd => "SPMD mode: ",
        ModeKind::Generic => "generic mode: ",
        ModeKind::MadeSpmd => "made SPMD: ",
        ModeKind::Unknown => "",
    };
    let classes: Vec<String> =
        region.totals.by_class.iter().map(|(class, count)| format!("{count} {}", class_name(*class))).collect();
    let classes = if classes.is_empty() { String::new() } else { format!(" ({})", classes.join(", ")) };
    let shared = region.accesses.iter().filter(|access| access.memory == MemoryKind::Shared).count();
    let memories = match shared {
        0 => "to global memory".to_owned(),
        shared => format!("to global memory and {shared} to shared memory"),
    };
    let registers = |code: &Resources| {
        let stack = code
            .stack_bytes
            .filter(|&bytes| bytes > 0)
            .map_or(String::new(), |bytes| format!(" and {bytes} bytes of stack"));
        Some(format!("; {} registers{stack} a thread on {}", code.registers?, code.processor))
    };
    let registers: String = region.resources.iter().filter_map(registers).collect();
    format!(
        "{}, {mode}{}; {}, {} {memories}{classes}, counted for {} with {} threads a warp{registers}",
        subject(region),
        region.mode.why,
        plural(region.loops.len(), "loop", "loops"),
        plural(region.accesses.len() - shared, "access", "accesses"),
        report.hardware.name,
        report.hardware.warp_lanes,
    )
}

/// What a sentence about a region is about.
fn subject(region: &Region) -> String {
    match region.kind {
        RegionKind::Target => format!("target region in '{}'", region.function),
        RegionKind::Kernel => format!("kernel '{}'", region.function),
    }
}

fn loop_text(entry: &Loop) -> String {
    let kind = match entry.kind {
        LoopKind::DistributeParallelFor => "parallel over teams and threads",
        LoopKind::Distribute => "parallel over teams",
        LoopKind::For => "parallel over the threads of a team",
        LoopKind::Sequential => "sequential in each thread",
    };
    let name = entry.variable.as_deref().map_or_else(|| entry.id.clone(), |variable| format!("loop over {variable}"));
    let trips = match (&entry.trips.value, &entry.trips.unknown) {
        (Some(count), _) => format!("{count} iterations"),
        (None, reason) => format!("number of iterations not known ({})", reason.as_deref().unwrap_or("no reason")),
    };
    let schedule = entry.schedule.as_deref().map(|schedule| format!("; schedule {schedule}")).unwrap_or_default();
    format!("{name}: {kind}, {trips}{schedule}")
}

fn kind_name(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load from",
        AccessKind::Store => "store to",
        AccessKind::Atomic => "atomic update of",
        AccessKind::CopyFrom => "copy from",
        AccessKind::CopyTo => "copy to",
    }
}

fn stride_sentence(access: &Access) -> String {
    let stride = &access.stride;
    let text = stride.text.as_deref().unwrap_or("?");
    match stride.kind {
        StrideKind::Constant if text == "0" => "all threads of a warp use one address".into(),
        StrideKind::Constant | StrideKind::Symbolic => format!("neighbouring threads are {text} bytes apart"),
        StrideKind::Vector => format!("the threads of a warp are {text} bytes from the first"),
        StrideKind::PerLane => format!("each thread of a warp is {} bytes from the first", readable(text)),
        StrideKind::RowEnds => format!(
            "neighbouring threads are {text} bytes apart, and {} at row ends, every {} threads",
            stride.at_row_ends.as_deref().unwrap_or("?"),
            stride.row_length.as_deref().unwrap_or("?")
        ),
        StrideKind::DataDependent | StrideKind::Unknown => {
            format!(
                "the distance between neighbouring threads is not known: {}",
                stride.reason.as_deref().unwrap_or("no reason")
            )
        }
    }
}

/// The beginning of an expression, if all of it is more than a person reads; the report has the whole.
fn readable(text: &str) -> String {
    const READABLE: usize = 80;
    if text.chars().count() <= READABLE {
        return text.to_owned();
    }
    text.chars().take(READABLE - 3).chain("...".chars()).collect()
}

fn access_text(access: &Access, _report: &Report) -> String {
    let mut text = format!("{} ({} bytes): {}", what(access), access.bytes, stride_sentence(access));
    match access.class_within_rows {
        Some(within) => text.push_str(&format!("; {} within rows", class_name(within))),
        None => text.push_str(&format!("; {}", class_name(access.class))),
    }
    if let Some(count) = access.sectors {
        text.push_str(&format!(", {} a warp", sectors_text(count.aligned, count.worst)));
    }
    if let Some(passes) = access.bank_passes {
        text.push_str(&format!(", {} a warp", plural(passes.needed as usize, "pass", "passes")));
    }
    if let Some(lanes) = &access.active_lanes
        && let (LanesKind::Fixed, Some(list)) = (lanes.kind, &lanes.text)
    {
        text.push_str(&format!("; by threads {} of each warp", readable(list)));
    }
    if let Some(runs) = &access.executions.value
        && runs != "1"
    {
        text.push_str(&format!("; runs {runs} times in each thread's iteration"));
    }
    if let Some(condition) = &access.condition {
        text.push_str(&format!("; if {}", readable(condition)));
    }
    text
}

/// The access, as `store to shared tile`.
fn what(access: &Access) -> String {
    let memory = if access.memory == MemoryKind::Shared { "shared " } else { "" };
    format!("{} {memory}{}", kind_name(access.kind), access.object)
}

/// Why a branch costs time, if it may.
fn divergence_text(branch: &Branch) -> Option<String> {
    let Lanes { kind, text, reason } = &branch.lanes;
    let text = readable(text.as_deref().unwrap_or("?"));
    let may = if branch.ends_loop {
        "threads of a warp may leave the loop one after the other"
    } else {
        "threads of a warp may go different ways"
    };
    Some(match kind {
        LanesKind::Uniform | LanesKind::ByWarp => return None,
        LanesKind::Fixed if branch.ends_loop => {
            format!("every warp is divided: threads {text} stay in the loop, the others leave it")
        }
        LanesKind::Fixed => format!("every warp is divided: threads {text} go one way, then the others the other way"),
        LanesKind::Symbolic => {
            format!("{may}: those with {text} {}", if branch.ends_loop { "stay" } else { "go one way" })
        }
        LanesKind::DataDependent | LanesKind::Unknown => format!("{may}: {}", reason.as_deref().unwrap_or("no reason")),
    })
}

fn sectors_text(aligned: u64, worst: u64) -> String {
    if aligned == worst {
        plural(aligned as usize, "sector", "sectors")
    } else {
        format!("{aligned} to {worst} sectors")
    }
}

fn missed_text(access: &Access, report: &Report) -> Option<(&'static str, String)> {
    let bytes = access.lanes(report.hardware.warp_lanes).saturating_mul(access.bytes);
    let least = bytes.div_ceil(u64::from(report.hardware.sector_bytes));
    let what = what(access);
    match access.class {
        Class::Uniform | Class::Coalesced | Class::ConflictFree => None,
        Class::BankConflict => {
            let passes = access.bank_passes?;
            Some((
                "BankConflict",
                format!(
                    "{what} has bank conflicts: {}; {} passes a warp instead of {}",
                    stride_sentence(access),
                    passes.needed,
                    passes.least
                ),
            ))
        }
        Class::Strided | Class::Uncoalesced => {
            let count = access.sectors?;
            let sectors = sectors_text(count.aligned, count.worst);
            Some((
                "Uncoalesced",
                format!("{what} is not coalesced: {}; {sectors} a warp instead of {least}", stride_sentence(access)),
            ))
        }
        Class::Symbolic if access.stride.kind == StrideKind::RowEnds => None,
        // Of shared memory, only conflicts that are sure are worth a word.
        _ if access.memory == MemoryKind::Shared => None,
        Class::Symbolic if access.stride.kind == StrideKind::PerLane => Some((
            "SymbolicStride",
            format!("{what} may not be coalesced: {}; {least} sectors a warp at best", stride_sentence(access)),
        )),
        Class::Symbolic => Some((
            "SymbolicStride",
            format!(
                "{what} is coalesced only for small strides: {}; {least} sectors a warp at best",
                stride_sentence(access)
            ),
        )),
        Class::DataDependent => {
            Some(("DataDependent", format!("{what} may not be coalesced: {}", stride_sentence(access))))
        }
        Class::Unknown => Some(("UnknownStride", format!("{what} may not be coalesced: {}", stride_sentence(access)))),
    }
}

/// Writes the report to a file, or into a folder under a name made of the source's. A source that is compiled for several processors, each
/// with a report, needs theirs too.
pub(crate) fn write_report(path: &Path, report: &Report, processor: Option<&str>) -> Result<(), String> {
    let is_folder = path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/');
    let file = if is_folder {
        std::fs::create_dir_all(path)
            .map_err(|error| format!("cannot create the report folder {}: {error}", path.display()))?;
        let here = std::env::current_dir().unwrap_or_default();
        path.join(file_name(&here.join(&report.source), &here.join(path), processor))
    } else {
        path.to_path_buf()
    };
    let failed = |error: std::io::Error| format!("cannot write the report {}: {error}", file.display());
    // A link, a pipe or a device stays what it is.
    if std::fs::symlink_metadata(&file).is_ok_and(|metadata| !metadata.is_file()) {
        return std::fs::write(&file, report.to_yaml()).map_err(failed);
    }
    // First under another name: a reader, or a compilation beside this one, never sees half a file.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let readable = std::fs::Permissions::from_mode(0o666);
    let temporary = tempfile::Builder::new().permissions(readable).tempfile_in(folder).map_err(failed)?;
    std::fs::write(temporary.path(), report.to_yaml()).map_err(failed)?;
    temporary.persist(&file).map(drop).map_err(|error| failed(error.error))
}

/// Names that are longer, in bytes, are cut: file systems take 255.
const LONGEST_NAME: usize = 200;

/// A name for the report of a source, another for each: its path from beside the folder of reports, with `+` for `/` and for each step upward.
/// With reports in `p/reports`, `p/src/a/gemm.c` becomes `src+a+gemm.c.ipda.yaml`, and with reports in `p/build/reports` `+src+a+gemm.c.ipda.yaml`;
/// `a.cu` for sm_90 becomes `a.cu.sm_90.ipda.yaml`.
fn file_name(source: &Path, folder: &Path, processor: Option<&str>) -> String {
    let (source, folder) = (plain(source), plain(folder));
    let around: Vec<Component<'_>> = folder.parent().unwrap_or(&folder).components().collect();
    let common = source.components().zip(&around).take_while(|(one, other)| one == *other).count();
    let rest: PathBuf = source.components().skip(common).collect();
    let mut flat = "+".repeat(around.len() - common);
    for c in rest.to_string_lossy().chars() {
        match c {
            '/' => flat.push('+'),
            c if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') => flat.push(c),
            c => flat.push_str(&format!("%{:x}", u32::from(c))),
        }
    }
    if let Some(processor) = processor {
        flat = format!("{flat}.{processor}");
    }
    if flat.len() > LONGEST_NAME {
        // FNV-1a: the same on every machine.
        let hash = flat
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        let end = (flat.len() - LONGEST_NAME..).find(|&at| flat.is_char_boundary(at)).unwrap_or(0);
        flat = format!("{hash:016x}+{}", &flat[end..]);
    }
    format!("{flat}.ipda.yaml")
}

/// A path without `.` and `..`, by its words alone.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut made, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(made.pop()),
            other => made.push(other),
        }
        made
    })
}

thread_local! {
    /// The report of the module in work, until its optimisation has ended.
    static PENDING: RefCell<Option<(Report, Option<PathBuf>)>> = const { RefCell::new(None) };
    /// What its optimisation left, as text.
    static FINISHED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What was found of the code at the end of the optimisation, as text.
pub(crate) fn finished_code() -> Option<String> {
    FINISHED.with_borrow(Clone::clone)
}

/// Keeps a report until the optimiser has made of the code what it will be.
pub(crate) fn remember(report: Report, path: Option<PathBuf>) {
    PENDING.set(Some((report, path)));
}

/// After optimisation: kernels that were made SPMD are told, and the report that people asked for follows, with what `add` has to add, if it
/// says so; it is told where the report goes, if anywhere.
pub(crate) fn complete(module: &Module<'_>, with_remarks: bool, add: impl FnOnce(&mut Report, Option<&Path>) -> bool) {
    let Some((mut report, path)) = PENDING.take() else { return };
    let mut changed = add(&mut report, path.as_deref());
    FINISHED.set((changed && path.is_some()).then(|| print::code(&report)));
    for region in &mut report.regions {
        let Some((symbol, function)) = holder(module, region) else { continue };
        if region.mode.kind != ModeKind::Generic || current_mode(module, &symbol) != Some(ModeKind::MadeSpmd) {
            continue;
        }
        region.mode.kind = ModeKind::MadeSpmd;
        region.mode.why = crate::analyse::MADE_SPMD.into();
        changed = true;
        if with_remarks {
            let text = format!("{} was {}", subject(region), crate::analyse::MADE_SPMD);
            remark(function, RemarkKind::Analysis, "MadeSpmd", &text, &region.location);
        }
    }
    if let Some(path) = path
        && changed
    {
        // The first writing told of any problem.
        let _ = write_report(&path, &report, processor(module).as_deref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_names_follow_the_source() {
        let name = |source: &str, processor| file_name(Path::new(source), Path::new("/p/build/reports/"), processor);
        assert_eq!(name("/p/build/gemm.c", None), "gemm.c.ipda.yaml");
        assert_eq!(name("/p/build/b/gemm.c", None), "b+gemm.c.ipda.yaml");
        assert_eq!(name("/p/src/a/gemm.c", None), "+src+a+gemm.c.ipda.yaml");
        assert_eq!(name("/p/build/../src/a b.cpp", None), "+src+a%20b.cpp.ipda.yaml");
        assert_eq!(name("/home/x/gemm.c", None), "++home+x+gemm.c.ipda.yaml");
        assert_eq!(name("/p/build/b.cu", Some("sm_90")), "b.cu.sm_90.ipda.yaml");
    }

    #[test]
    fn no_two_sources_have_one_name() {
        let long = "deep/".repeat(100);
        let sources =
            ["x.c", "p/x.c", "p/build/x.c", "p/build/reports/x.c", "p/x/y.c", "p/x_y.c", "p/x+y.c", "p/x%2by.c"];
        let sources = sources.map(|source| format!("/{source}"));
        let long = [format!("/p/{long}a.c"), format!("/p/b/{long}a.c")];
        let all = sources.iter().chain(&long);
        let names = all.map(|source| file_name(Path::new(source), Path::new("/p/build/reports"), None));
        let names: std::collections::BTreeSet<String> = names.collect();
        assert_eq!(names.len(), sources.len() + long.len(), "{names:?}");
        assert!(names.iter().all(|name| name.len() < 255));
    }
}
