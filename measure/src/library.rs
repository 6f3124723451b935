//! Libraries that are looked for when they are needed.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr::NonNull;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// Linux's number for resolving everything at once.
const RTLD_NOW: c_int = 2;

/// A library; it stays until the program ends, for its threads may still run.
pub struct Library {
    handle: NonNull<c_void>,
    /// What it was found as.
    pub name: String,
}

impl Library {
    /// The first of these that there is.
    ///
    /// # Errors
    /// What the last one lacks.
    pub fn open(names: &[PathBuf]) -> Result<Library, String> {
        let mut why = "no name to look for".to_owned();
        for name in names {
            let text = name.to_string_lossy().into_owned();
            let Ok(c_name) = CString::new(text.clone()) else { continue };
            // The loader would wait for a pipe to begin. Whatever is no path is looked for in the loader's folders.
            if text.contains('/') && std::fs::metadata(name).is_ok_and(|found| !found.is_file()) {
                why = format!("{text}: it is not a file");
                continue;
            }
            // SAFETY: a string that ends with a zero; the library's constructors run, as if the program were linked with it.
            match NonNull::new(unsafe { dlopen(c_name.as_ptr(), RTLD_NOW) }) {
                Some(handle) => return Ok(Library { handle, name: text }),
                None => why = last_error(),
            }
        }
        Err(why)
    }

    /// The program itself, with all that is loaded with it.
    ///
    /// # Errors
    /// Where the system does not give it, in words.
    pub fn program() -> Result<Library, String> {
        // SAFETY: no name means the program.
        let handle = NonNull::new(unsafe { dlopen(std::ptr::null(), RTLD_NOW) });
        handle.map(|handle| Library { handle, name: "the program".into() }).ok_or_else(last_error)
    }

    /// The function of that name.
    ///
    /// # Safety
    /// `F` must be a function pointer type with the signature that the library gives that name.
    ///
    /// # Errors
    /// That there is none of that name.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: an open library and a string that ends with a zero.
        let address = unsafe { dlsym(self.handle.as_ptr(), name.as_ptr()) };
        if address.is_null() {
            return Err(format!("{} has no {}", self.name, name.to_string_lossy()));
        }
        // SAFETY: of a pointer's size, and the caller vouches for the signature.
        Ok(unsafe { std::mem::transmute_copy(&address) })
    }
}

fn last_error() -> String {
    // SAFETY: the text is the system's and stays until the next call of this thread.
    let text = unsafe { dlerror() };
    if text.is_null() {
        return "not found".into();
    }
    // SAFETY: not null, so a string that ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
