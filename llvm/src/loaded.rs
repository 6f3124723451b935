//! Which LLVM has loaded the plugin? Another one than it was built for must not be touched.

use llvm_sys::core::{LLVMContextCreate, LLVMGetVersion};
use std::ffi::{CStr, c_char, c_int, c_void};

/// `Err`: a sentence naming both versions.
pub fn check() -> Result<(), String> {
    let mut ours = (0, 0, 0);
    // SAFETY: the function writes three integers. It is the one of the library that the plugin is linked to.
    unsafe { LLVMGetVersion(&mut ours.0, &mut ours.1, &mut ours.2) };
    // Every version has this function. The program's own comes first in the search; ours is what the plugin is linked
    // to.
    let theirs = find(c"LLVMContextCreate");
    let own = LLVMContextCreate as *const () as *const c_void;
    // Equal in the normal case; asking what lies where costs millions of instructions.
    if theirs == Some(own) {
        return Ok(());
    }
    let (Some(theirs), Some(own)) = (theirs.and_then(object_of), object_of(own)) else { return Ok(()) };
    if theirs.base == own.base {
        return Ok(());
    }
    let (major, minor, patch) = ours;
    Err(format!(
        "this plugin was built for LLVM {major}.{minor}.{patch} and was loaded into LLVM {}: it does nothing; use it with clang or opt of LLVM {major}.{minor}",
        version_in(&theirs)
    ))
}

/// A loaded program or library.
struct LoadedObject {
    base: *const c_void,
    path: String,
}

#[repr(C)]
struct DlInfo {
    path: *const c_char,
    base: *const c_void,
    symbol: *const c_char,
    address: *const c_void,
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *const c_void;
    fn dladdr(address: *const c_void, info: *mut DlInfo) -> c_int;
}

/// The symbol that the program itself would use.
fn find(name: &CStr) -> Option<*const c_void> {
    const RTLD_DEFAULT: *mut c_void = std::ptr::null_mut();
    // SAFETY: the name is a C string.
    let found = unsafe { dlsym(RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

fn object_of(address: *const c_void) -> Option<LoadedObject> {
    let mut info =
        DlInfo { path: std::ptr::null(), base: std::ptr::null(), symbol: std::ptr::null(), address: std::ptr::null() };
    // SAFETY: `info` has the layout that the loader fills.
    if unsafe { dladdr(address, &mut info) } == 0 || info.path.is_null() {
        return None;
    }
    // SAFETY: the loader's string lives as long as the object is loaded.
    let path = unsafe { CStr::from_ptr(info.path) }.to_string_lossy().into_owned();
    Some(LoadedObject { base: info.base, path })
}

/// The version by the object's own word, else by its file name.
fn version_in(object: &LoadedObject) -> String {
    type GetVersion = unsafe extern "C" fn(*mut u32, *mut u32, *mut u32);
    if let Some(address) = find(c"LLVMGetVersion")
        && object_of(address).is_some_and(|holder| holder.base == object.base)
    {
        let mut version = (0, 0, 0);
        // SAFETY: the function has had this signature since it exists.
        unsafe {
            std::mem::transmute::<*const c_void, GetVersion>(address)(&mut version.0, &mut version.1, &mut version.2)
        };
        return format!("{}.{}.{}", version.0, version.1, version.2);
    }
    library_version(&object.path).unwrap_or_else(|| format!("of another version ({})", object.path))
}

/// `libLLVM-14.so.1` is 14, `libLLVM.so.19.1` is 19.1.
fn library_version(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let digits = |text: &str| -> String { text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect() };
    let version = match name.strip_prefix("libLLVM-") {
        Some(rest) => digits(rest.split(".so").next()?),
        None => digits(name.strip_prefix("libLLVM.so.")?),
    };
    let version = version.trim_matches('.').to_string();
    (!version.is_empty()).then_some(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_library_names() {
        assert_eq!(library_version("/usr/lib/libLLVM-14.so.1"), Some("14".into()));
        assert_eq!(library_version("/usr/lib/libLLVM.so.19.1"), Some("19.1".into()));
        assert_eq!(library_version("/usr/lib/libLLVM-19.so"), Some("19".into()));
        assert_eq!(library_version("/usr/lib/libc.so.6"), None);
    }

    #[test]
    fn the_test_program_itself_uses_the_right_version() {
        assert_eq!(check(), Ok(()));
    }
}
