//! What the program's OpenMP runtime says of its devices, if it has one.

use std::ffi::{c_int, c_void};

use ipda_measure::{CudaDriver, Library};

/// OpenMP's functions by their names, with the signatures of the standard.
pub(crate) struct OpenMp {
    devices: unsafe extern "C" fn() -> c_int,
    default_device: unsafe extern "C" fn() -> c_int,
    initial_device: unsafe extern "C" fn() -> c_int,
    allocate: unsafe extern "C" fn(usize, c_int) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, c_int),
}

impl OpenMp {
    pub(crate) fn of_program() -> Option<OpenMp> {
        let program = Library::program();
        // SAFETY: the OpenMP standard declares each of these names with the field's signature.
        unsafe {
            Some(OpenMp {
                devices: program.function(c"omp_get_num_devices").ok()?,
                default_device: program.function(c"omp_get_default_device").ok()?,
                initial_device: program.function(c"omp_get_initial_device").ok()?,
                allocate: program.function(c"omp_target_alloc").ok()?,
                free: program.function(c"omp_target_free").ok()?,
            })
        }
    }

    /// How many devices there are beside the host.
    pub(crate) fn device_count(&self) -> i32 {
        // SAFETY: a question to the runtime, which has started, as the program launches.
        unsafe { (self.devices)() }
    }

    /// The device that launches go to; None where that is the host.
    pub(crate) fn default_device(&self) -> Option<i32> {
        // SAFETY: as above.
        let (device, initial) = unsafe { ((self.default_device)(), (self.initial_device)()) };
        (device != initial).then_some(device)
    }

    /// The driver's number of a device. OpenMP numbers devices in the order in which the program's images fit them, which need not be the
    /// driver's: the address of memory on the device tells. This makes the runtime start the device.
    pub(crate) fn gpu(&self, driver: &CudaDriver, device: i32) -> Option<usize> {
        // SAFETY: as above; what is allocated is freed.
        unsafe {
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
