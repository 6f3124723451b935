//! Which LLVM has loaded the plugin? Another one than it was built for must not be touched.

use llvm_sys::core::LLVMGetVersion;
use std::ffi::{CStr, c_char, c_int, c_void};

/// `Err`: a sentence naming both versions.
pub(crate) fn check() -> Result<(), String> {
    let mut ours = (0, 0, 0);
    // SAFETY: the function writes three integers. It is the one of the library that the plugin is linked to.
    unsafe { LLVMGetVersion(&mut ours.0, &mut ours.1, &mut ours.2) };
    let text = |version: (u32, u32, u32)| format!("{}.{}.{}", version.0, version.1, version.2);
    match version_of_program() {
        Some(HostVersion::Full(theirs)) if theirs.0 != ours.0 || theirs.1 != ours.1 => Err(sentence(&text(ours), &text(theirs))),
        Some(HostVersion::Library(name)) if name != format!("{}.{}", ours.0, ours.1) && name != ours.0.to_string() => {
            Err(sentence(&text(ours), &name))
        }
        _ => Ok(()),
    }
}

fn sentence(ours: &str, theirs: &str) -> String {
    format!("this plugin was built for LLVM {ours} and was loaded into LLVM {theirs}: it does nothing; use it with clang or opt of LLVM {ours}")
}

enum HostVersion {
    Full((u32, u32, u32)),
    /// As the file name of a shared library tells it.
    Library(String),
}

/// The version of the LLVM that the program itself uses: by its own symbol, else by a shared library of another version among the loaded ones.
fn version_of_program() -> Option<HostVersion> {
    type GetVersion = unsafe extern "C" fn(*mut u32, *mut u32, *mut u32);
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    const RTLD_DEFAULT: *mut c_void = std::ptr::null_mut();
    // SAFETY: the default handle finds the program's symbols before those of a library that it loaded later; the function has had this
    // signature since it exists.
    unsafe {
        let found = dlsym(RTLD_DEFAULT, c"LLVMGetVersion".as_ptr());
        if !found.is_null() {
            let get = std::mem::transmute::<*mut c_void, GetVersion>(found);
            let mut version = (0, 0, 0);
            get(&mut version.0, &mut version.1, &mut version.2);
            return Some(HostVersion::Full(version));
        }
    }
    let mut versions = loaded_llvm_libraries().into_iter();
    // The program's libraries were loaded before the plugin's.
    versions.next().map(HostVersion::Library)
}

/// The versions in the names of loaded libraries `libLLVM-14.so.1`, `libLLVM.so.19.1`, in the order of loading.
fn loaded_llvm_libraries() -> Vec<String> {
    #[repr(C)]
    struct PhdrInfo {
        address: usize,
        name: *const c_char,
    }
    unsafe extern "C" {
        fn dl_iterate_phdr(callback: extern "C" fn(*const PhdrInfo, usize, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    }
    extern "C" fn collect(info: *const PhdrInfo, _size: usize, data: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid entry, and `data` is the vector below.
        unsafe {
            if !(*info).name.is_null() {
                let path = CStr::from_ptr((*info).name).to_string_lossy();
                if let Some(version) = library_version(&path) {
                    (*data.cast::<Vec<String>>()).push(version);
                }
            }
        }
        0
    }
    let mut versions: Vec<String> = Vec::new();
    // SAFETY: the callback runs during the call only.
    unsafe { dl_iterate_phdr(collect, (&raw mut versions).cast()) };
    versions
}

fn library_version(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let digits = |text: &str| -> String { text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect() };
    let version = if let Some(rest) = name.strip_prefix("libLLVM-") {
        digits(rest.split(".so").next()?)
    } else {
        digits(name.strip_prefix("libLLVM.so.")?)
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
