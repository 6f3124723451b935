//! Where code comes from in the source.

use crate::Value;
use crate::ffi::{self, RawLocation, Str};
use ipda_models::report::Location;
use std::ffi::c_void;

/// A file's name as it leads to the file from here: debug information gives it relative to a folder of its own choice.
pub(super) fn reachable(directory: &str, file: String) -> String {
    static HERE: std::sync::OnceLock<Option<std::path::PathBuf>> = std::sync::OnceLock::new();
    let here = HERE.get_or_init(|| std::env::current_dir().ok());
    let is_here = directory.is_empty() || directory == "." || here.as_deref() == Some(std::path::Path::new(directory));
    if is_here || file.starts_with('/') { file } else { format!("{directory}/{file}") }
}

/// Reads a location through one of the shim's functions.
pub(super) fn locate(fill: impl FnOnce(*mut RawLocation) -> bool) -> Option<Location> {
    let mut raw = RawLocation::none();
    // SAFETY: the strings belong to metadata of the living module.
    fill(&mut raw).then(|| unsafe { to_location(&raw) })
}

/// # Safety
/// The owner still holds the strings.
pub(super) unsafe fn to_location(raw: &RawLocation) -> Location {
    // SAFETY: by the caller's promise.
    let (directory, file) = unsafe { (raw.directory.to_string(), raw.file.to_string()) };
    Location { file: reachable(&directory, file), line: raw.line, column: raw.column }
}

/// A place in the source that an instruction comes from.
pub(super) struct SourcePlace {
    /// None for code without a line, and for code in system headers.
    location: Option<Location>,
    function: String,
    /// Whether what is called here was made by the compiler, or belongs to a runtime library.
    calls_made: bool,
}

/// Where an instruction was called from: the places of the calls of the user's functions around it, the nearest first. `frames` are
/// the instruction and the calls that are running around it, the nearest first; calls that were inlined around each are seen by
/// themselves. Calls of functions that are not the user's, by their names, are left out, and places in system headers.
pub fn called_from(frames: &[Value], is_not_users: impl Fn(&str) -> bool) -> Vec<Location> {
    let mut places: Vec<SourcePlace> = Vec::new();
    for (depth, frame) in frames.iter().enumerate() {
        let first = places.len();
        places.extend(frame.places());
        if let (Some(call), Some(inner)) = (places.get_mut(first), depth.checked_sub(1)) {
            let callee = frames[inner].block().function().name();
            call.calls_made = is_not_users(&callee);
        }
    }
    // In code from a system header the instruction itself is the user's call of that code, as in [`Value::location`].
    let own = places.iter().position(|place| place.location.is_some()).unwrap_or(places.len());
    let is_forwarded = |at: usize| places[at - 1].function.strip_suffix("_debug__") == Some(&places[at].function);
    (own + 1..places.len())
        .filter(|&at| !places[at].calls_made && !is_forwarded(at))
        .filter_map(|at| places[at].location.clone())
        .collect()
}

/// The function name in the source of a mangled name.
pub fn demangle(mangled: &str) -> String {
    extern "C" fn store(context: *mut c_void, name: Str) {
        // SAFETY: `context` is the string below; the shim's string lives during the call.
        unsafe { *context.cast::<String>() = name.to_string() }
    }
    let mut name = String::new();
    // SAFETY: the callback runs during the call only.
    unsafe { ffi::ipda_demangle(Str::new(mangled), (&raw mut name).cast(), store) }
    without_variants(name)
}

/// A name without what clang puts behind that of a function between `begin declare variant` and `end declare variant`.
fn without_variants(mut name: String) -> String {
    const VARIANT: &str = "$ompvariant$";
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    while let Some(at) = name.find(VARIANT) {
        let end = name[at..].find(|c| !is_part(c)).map_or(name.len(), |length| at + length);
        name.replace_range(at..end, "");
    }
    name
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Value {
    /// The source place of an instruction; nothing else has one.
    pub fn location(self) -> Option<Location> {
        locate(|out| unsafe { ffi::ipda_location(self.0, out) })
    }

    /// The instruction's own place, then those of the calls that were inlined around it.
    pub(super) fn places(self) -> Vec<SourcePlace> {
        extern "C" fn collect(context: *mut c_void, place: *const ffi::RawPlace) {
            // SAFETY: `context` is the vector below; the strings belong to metadata of the living module.
            unsafe {
                let ffi::RawPlace { at, function, system } = &*place;
                let location = (at.line != 0 && !system).then(|| to_location(at));
                let place = SourcePlace { location, function: function.to_string(), calls_made: false };
                (*context.cast::<Vec<SourcePlace>>()).push(place);
            }
        }
        let mut places: Vec<SourcePlace> = Vec::new();
        unsafe { ffi::ipda_places(self.0, (&raw mut places).cast(), collect) };
        places
    }

    /// The source variable that a normalised loop counter is, as `FunctionCopy::canonicalise` noted it.
    pub fn counter_name(self) -> Option<String> {
        let mut name = Str::new("");
        // SAFETY: the string belongs to metadata of the living module.
        unsafe { ffi::ipda_counter_name(self.0, &mut name).then(|| name.to_string()) }
    }

    /// All variables that count for a worksharing loop, of which this is the number, outermost first, as `FunctionCopy::canonicalise` noted them.
    pub fn counters(self) -> Vec<String> {
        extern "C" fn collect(context: *mut c_void, name: Str) {
            // SAFETY: `context` is the vector below; the name lives during the call.
            unsafe { (*context.cast::<Vec<String>>()).push(name.to_string()) }
        }
        let mut found: Vec<String> = Vec::new();
        // SAFETY: the strings belong to metadata of the living module.
        unsafe { ffi::ipda_counters(self.0, (&raw mut found).cast(), collect) };
        found
    }

    /// The source place of the loop whose back edge is this terminator.
    pub fn loop_location(self) -> Option<Location> {
        locate(|out| unsafe { ffi::ipda_loop_location(self.0, out) })
    }

    /// The source place of a function.
    pub fn function_location(self) -> Option<Location> {
        locate(|out| unsafe { ffi::ipda_function_location(self.0, out) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_the_name_that_the_user_gave() {
        let plain = |name: &str| without_variants(name.to_owned());
        assert_eq!(plain("scale$ompvariant$S2$s6$Pgpu"), "scale");
        assert_eq!(plain("ns::scale$ompvariant$S2$s6$Pgpu(int)"), "ns::scale(int)");
        assert_eq!(plain("look$ompvariant$S3$s8$Pllvm.table"), "look.table");
        assert_eq!(plain("a$ompvariant$S2(b$ompvariant$S2)"), "a(b)");
        assert_eq!(plain("my_ompvariant"), "my_ompvariant");
    }
}
