//! Libraries that are looked for when they are needed.

use std::error::Error;
use std::ffi::CStr;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use libloading::os::unix;

/// A library; it stays until the program ends, for its threads may still run.
pub struct Library {
    handle: ManuallyDrop<unix::Library>,
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
            // The loader would wait for a pipe to begin. Whatever is no path is looked for in the loader's folders.
            if text.contains('/') && std::fs::metadata(name).is_ok_and(|found| !found.is_file()) {
                why = format!("{text}: it is not a file");
                continue;
            }
            // SAFETY: the library's constructors run, as if the program were linked with it.
            match unsafe { unix::Library::open(Some(name), unix::RTLD_NOW) } {
                Ok(handle) => return Ok(Library { handle: ManuallyDrop::new(handle), name: text }),
                // What the loader says stands behind what was asked of it.
                Err(error) => why = error.source().map_or_else(|| error.to_string(), ToString::to_string),
            }
        }
        Err(why)
    }

    /// The program itself, with all that is loaded with it.
    pub fn program() -> Library {
        Library { handle: ManuallyDrop::new(unix::Library::this()), name: "the program".into() }
    }

    /// The function of that name.
    ///
    /// # Safety
    /// `F` must be a function pointer type with the signature that the library gives that name.
    ///
    /// # Errors
    /// That there is none of that name.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        // SAFETY: the caller vouches for the signature.
        let found = unsafe { self.handle.get::<F>(name) };
        found.map(|function| *function).map_err(|_| format!("{} has no {}", self.name, name.to_string_lossy()))
    }
}
