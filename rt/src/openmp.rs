//! What the program's OpenMP runtime says of its devices, if it has one.

use std::ffi::{c_int, c_void};

use ipda_measure::{CudaDriver, Library};

/// OpenMP's functions by their names, with the signatures of the standard.
pub(crate) struct OpenMp {
    default_device: unsafe extern "C" fn() -> c_int,
    initial_device: unsafe extern "C" fn() -> c_int,
    allocate: unsafe extern "C" fn(usize, c_int) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, c_int),
}

impl OpenMp {
    pub(crate) fn of_program() -> Option<OpenMp> {
        let program = Library::program().ok()?;
        // SAFETY: the OpenMP standard declares each of these names with the field's signature.
        unsafe {
            Some(OpenMp {
                default_device: program.function(c"omp_get_default_device").ok()?,
                initial_device: program.function(c"omp_get_initial_device").ok()?,
                allocate: program.function(c"omp_target_alloc").ok()?,
                free: program.function(c"omp_target_free").ok()?,
            })
        }
    }

    /// The driver's number of the device that launches go to. OpenMP numbers devices in the order in which the program's images fit them, which
    /// need not be the driver's: memory of the device tells.
    pub(crate) fn default_gpu(&self, driver: &CudaDriver) -> Option<usize> {
        // SAFETY: functions of the runtime, which has started, as the program launches; what is allocated is freed.
        unsafe {
            let device = (self.default_device)();
            if device == (self.initial_device)() {
                return None;
            }
            let memory = (self.allocate)(1, device);
            if memory.is_null() {
                return None;
            }
            let number = driver.device_of(memory);
            (self.free)(memory, device);
            number
        }
    }
}
