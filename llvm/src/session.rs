//! The analyses of a running pipeline.

use crate::{Value, ffi};
use inkwell::module::Module;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The analysis managers of the running pipeline, which outlive whatever the plugin does in one run.
#[derive(Debug, Clone, Copy)]
pub struct Session(pub(crate) ffi::SessionRef);

impl Session {
    /// Does some work with the analyses of a module, without a pipeline around it.
    pub fn with<R>(module: &Module<'_>, work: impl FnOnce(Session) -> R) -> R {
        struct Work<F, R> {
            work: Option<F>,
            result: Option<std::thread::Result<R>>,
        }
        extern "C" fn call<F: FnOnce(Session) -> R, R>(context: *mut c_void, session: ffi::SessionRef) {
            // SAFETY: `context` is the work below, which lives during the call.
            let state = unsafe { &mut *context.cast::<Work<F, R>>() };
            if let Some(work) = state.work.take() {
                state.result = Some(catch_unwind(AssertUnwindSafe(|| work(Session(session)))));
            }
        }
        fn callback<F: FnOnce(Session) -> R, R>(_: &Work<F, R>) -> extern "C" fn(*mut c_void, ffi::SessionRef) {
            call::<F, R>
        }
        let mut state = Work { work: Some(work), result: None };
        let each = callback(&state);
        // SAFETY: the module is valid, and the callback runs during the call only.
        unsafe { ffi::ipda_with_session(module.as_mut_ptr(), (&raw mut state).cast(), each) };
        // A fault goes on where C++ is left behind.
        state.result.expect("the callback runs once").unwrap_or_else(|fault| resume_unwind(fault))
    }

    /// Brings a function's loops into the form that analyses expect. Whether stores were removed that store what was loaded from the same place.
    pub fn canonicalise(self, function: Value) -> bool {
        // SAFETY: a living function of the module that the session is of.
        unsafe { ffi::ipda_canonicalise(self.0, function.raw()) }
    }
}
