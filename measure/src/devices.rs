//! Which GPUs the CUDA driver knows, asked without a context on any of them.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::cuda::{Attribute, driver_library, text_of};
use crate::library::Library;

type Status = c_int;

/// cuda.h: CUDA_ERROR_NO_DEVICE.
const NO_DEVICE: Status = 100;
/// cuda.h: CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL.
const DEVICE_ORDINAL: c_int = 9;
/// More devices than any machine has: a driver that says so is not believed.
const MAX_DEVICES: c_int = 1024;

/// A GPU of this machine, as its driver or the system describes it; None where these say nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GpuDevice {
    /// The product's name, such as `NVIDIA H200`.
    pub name: String,
    /// LLVM's name of the processor, such as `sm_90`.
    pub processor: String,
    /// Multiprocessors that programs can use.
    pub multiprocessors: Option<usize>,
    /// The clock of the multiprocessors, in kHz.
    pub clock: Option<usize>,
    /// The clock of the memory, in kHz.
    pub memory_clock: Option<usize>,
    /// Bits that the memory's interface carries side by side.
    pub memory_bits: Option<usize>,
    /// Bytes of the second-level cache.
    pub l2: Option<usize>,
}

/// The driver's functions that need no context, with the signatures of cuda.h.
struct Functions {
    init: unsafe extern "C" fn(c_uint) -> Status,
    count: unsafe extern "C" fn(*mut c_int) -> Status,
    device: unsafe extern "C" fn(*mut c_int, c_int) -> Status,
    name: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status,
    attribute: unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Status,
    pointer_attribute: unsafe extern "C" fn(*mut c_void, c_int, u64) -> Status,
}

/// The driver, where there is one.
pub struct CudaDriver {
    functions: Functions,
}

impl CudaDriver {
    /// Opens the driver: IPDA_LIBCUDA where it is set, else libcuda.so.1.
    ///
    /// # Errors
    /// Where there is none, or it does not start, in words. A driver without devices is no error.
    pub fn open() -> Result<CudaDriver, String> {
        let library = driver_library()?;
        let driver = CudaDriver { functions: functions(&library)? };
        // SAFETY: the first call of the driver.
        match unsafe { (driver.functions.init)(0) } {
            0 | NO_DEVICE => Ok(driver),
            status => Err(format!("the driver's cuInit failed with {status}")),
        }
    }

    /// The devices in the driver's order.
    #[must_use]
    pub fn devices(&self) -> Vec<GpuDevice> {
        let mut count = 0;
        // SAFETY: a place for the answer.
        let status = unsafe { (self.functions.count)(&raw mut count) };
        if status != 0 || count > MAX_DEVICES {
            return Vec::new();
        }
        (0..count).filter_map(|number| self.device(number)).collect()
    }

    fn device(&self, number: c_int) -> Option<GpuDevice> {
        let mut device = 0;
        let mut name = [0_u8; 256];
        // SAFETY: places for the answers, the second one with room for as many bytes as the call is told, of which the last stays zero.
        let failed = unsafe {
            (self.functions.device)(&raw mut device, number) != 0
                || (self.functions.name)(name.as_mut_ptr().cast(), 255, device) != 0
        };
        if failed {
            return None;
        }
        let attribute = |attribute: Attribute| {
            let mut value = 0;
            // SAFETY: a place for the answer.
            let status = unsafe { (self.functions.attribute)(&raw mut value, attribute as c_int, device) };
            usize::try_from(value).ok().filter(|_| status == 0)
        };
        let positive = |asked: Attribute| attribute(asked).filter(|value| *value > 0);
        let (major, minor) = (attribute(Attribute::CapabilityMajor)?, attribute(Attribute::CapabilityMinor)?);
        Some(GpuDevice {
            name: text_of(&name).ok()?,
            processor: format!("sm_{major}{minor}"),
            multiprocessors: positive(Attribute::Multiprocessors),
            clock: positive(Attribute::ClockKilohertz),
            memory_clock: positive(Attribute::MemoryClockKilohertz),
            memory_bits: positive(Attribute::MemoryBusBits),
            l2: positive(Attribute::L2Bytes),
        })
    }

    /// The number of the device whose memory an address is of.
    #[must_use]
    pub fn device_of(&self, address: *const c_void) -> Option<usize> {
        let mut ordinal: c_int = -1;
        // SAFETY: a place for the answer, which is an int for this attribute; the address is only looked up.
        let status = unsafe {
            (self.functions.pointer_attribute)((&raw mut ordinal).cast(), DEVICE_ORDINAL, address as usize as u64)
        };
        usize::try_from(ordinal).ok().filter(|_| status == 0)
    }
}

fn functions(library: &Library) -> Result<Functions, String> {
    // SAFETY: cuda.h declares each of these names with the field's signature; they are part of the driver's stable interface.
    unsafe {
        Ok(Functions {
            init: library.function(c"cuInit")?,
            count: library.function(c"cuDeviceGetCount")?,
            device: library.function(c"cuDeviceGet")?,
            name: library.function(c"cuDeviceGetName")?,
            attribute: library.function(c"cuDeviceGetAttribute")?,
            pointer_attribute: library.function(c"cuPointerGetAttribute")?,
        })
    }
}
