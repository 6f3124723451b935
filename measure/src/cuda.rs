//! The CUDA driver, as far as measuring needs it; its library is looked for at run time.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;

use crate::library::Library;

type Status = c_int;
type Handle = *mut c_void;

/// cuda.h: numbers of `CUdevice_attribute`.
#[derive(Debug, Clone, Copy)]
#[repr(i32)]
pub enum Attribute {
    ThreadsPerBlock = 1,
    WarpSize = 10,
    ClockKilohertz = 13,
    Multiprocessors = 16,
    MemoryClockKilohertz = 36,
    MemoryBusBits = 37,
    L2Bytes = 38,
    ThreadsPerMultiprocessor = 39,
    CapabilityMajor = 75,
    CapabilityMinor = 76,
    SharedPerMultiprocessor = 81,
    RegistersPerMultiprocessor = 82,
    SharedPerBlock = 97,
    BlocksPerMultiprocessor = 106,
    ReservedSharedPerBlock = 111,
}

/// The driver's functions by their names, with the signatures of cuda.h.
struct Functions {
    device_name: unsafe extern "C" fn(*mut c_char, c_int, c_int) -> Status,
    device_attribute: unsafe extern "C" fn(*mut c_int, c_int, c_int) -> Status,
    device_memory: unsafe extern "C" fn(*mut usize, c_int) -> Status,
    retain_context: unsafe extern "C" fn(*mut Handle, c_int) -> Status,
    set_context: unsafe extern "C" fn(Handle) -> Status,
    allocate: unsafe extern "C" fn(*mut u64, usize) -> Status,
    free: unsafe extern "C" fn(u64) -> Status,
    allocate_host: unsafe extern "C" fn(*mut *mut c_void, usize) -> Status,
    free_host: unsafe extern "C" fn(*mut c_void) -> Status,
    to_device: unsafe extern "C" fn(u64, *const c_void, usize) -> Status,
    from_device: unsafe extern "C" fn(*mut c_void, u64, usize) -> Status,
    load_module: unsafe extern "C" fn(*mut Handle, *const c_void) -> Status,
    get_function: unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> Status,
    launch: unsafe extern "C" fn(
        Handle,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        c_uint,
        Handle,
        *mut *mut c_void,
        *mut *mut c_void,
    ) -> Status,
    synchronise: unsafe extern "C" fn() -> Status,
}

/// The first device of the driver.
pub struct Cuda {
    functions: Functions,
    device: c_int,
}

/// A kernel that is ready to run.
#[derive(Clone, Copy)]
pub struct Kernel(Handle);

/// Memory of the device.
///
/// Invariant: `address` is that of `bytes` of memory which the driver gave and has not got back.
pub struct DeviceMemory<'a> {
    cuda: &'a Cuda,
    pub address: u64,
    pub bytes: usize,
}

/// Memory of the host that is pinned to its place.
///
/// Invariant: `start` leads to `bytes` initialised bytes that the driver gave and has not got back.
pub struct Pinned<'a> {
    cuda: &'a Cuda,
    start: *mut u8,
    bytes: usize,
}

fn check(status: Status, call: &str) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("the driver's {call} failed with {status}")) }
}

/// The driver's library: IPDA_LIBCUDA where it is set, else libcuda.so.1.
pub(crate) fn driver_library() -> Result<Library, String> {
    let named = crate::variable("IPDA_LIBCUDA").map(PathBuf::from);
    Library::open(&[named.unwrap_or_else(|| "libcuda.so.1".into())])
}

/// A device's name.
pub(crate) fn text_of(name: &[u8]) -> Result<String, String> {
    let text = CStr::from_bytes_until_nul(name).map_err(|_| "the device's name has no end".to_owned())?;
    Ok(text.to_string_lossy().into_owned())
}

impl Cuda {
    /// Opens the driver: IPDA_LIBCUDA where it is set, else libcuda.so.1.
    ///
    /// # Errors
    /// Where there is no driver or no device, in words.
    pub fn open() -> Result<Cuda, String> {
        let library = driver_library()?;
        type Init = unsafe extern "C" fn(c_uint) -> Status;
        type GetDevice = unsafe extern "C" fn(*mut c_int, c_int) -> Status;
        // SAFETY: cuda.h declares each of these names with the field's signature; they are part of the driver's stable interface.
        let (functions, init, get_device) = unsafe {
            let functions = Functions {
                device_name: library.function(c"cuDeviceGetName")?,
                device_attribute: library.function(c"cuDeviceGetAttribute")?,
                device_memory: library.function(c"cuDeviceTotalMem_v2")?,
                retain_context: library.function(c"cuDevicePrimaryCtxRetain")?,
                set_context: library.function(c"cuCtxSetCurrent")?,
                allocate: library.function(c"cuMemAlloc_v2")?,
                free: library.function(c"cuMemFree_v2")?,
                allocate_host: library.function(c"cuMemAllocHost_v2")?,
                free_host: library.function(c"cuMemFreeHost")?,
                to_device: library.function(c"cuMemcpyHtoD_v2")?,
                from_device: library.function(c"cuMemcpyDtoH_v2")?,
                load_module: library.function(c"cuModuleLoadData")?,
                get_function: library.function(c"cuModuleGetFunction")?,
                launch: library.function(c"cuLaunchKernel")?,
                synchronise: library.function(c"cuCtxSynchronize")?,
            };
            (functions, library.function::<Init>(c"cuInit")?, library.function::<GetDevice>(c"cuDeviceGet")?)
        };
        let mut device = 0;
        // SAFETY: the first call of the driver, and one with a place for its answer.
        unsafe {
            check(init(0), "cuInit")?;
            check(get_device(&raw mut device, 0), "cuDeviceGet")?;
        }
        Ok(Cuda { functions, device })
    }

    /// The device's name.
    pub fn name(&self) -> Result<String, String> {
        let mut name = [0_u8; 256];
        // SAFETY: room for as many bytes as the call is told, of which the last stays zero.
        let status = unsafe { (self.functions.device_name)(name.as_mut_ptr().cast(), 255, self.device) };
        check(status, "cuDeviceGetName")?;
        text_of(&name)
    }

    /// What the driver says; an error where it does not know the attribute or gives none of a positive size.
    pub fn attribute(&self, attribute: Attribute) -> Result<usize, String> {
        let mut value = 0;
        // SAFETY: a place for the answer.
        let status = unsafe { (self.functions.device_attribute)(&raw mut value, attribute as c_int, self.device) };
        check(status, "cuDeviceGetAttribute")?;
        usize::try_from(value).map_err(|_| format!("the driver gives {value} for {attribute:?}"))
    }

    /// Bytes of the device's memory.
    pub fn memory(&self) -> Result<usize, String> {
        let mut bytes = 0;
        // SAFETY: a place for the answer.
        check(unsafe { (self.functions.device_memory)(&raw mut bytes, self.device) }, "cuDeviceTotalMem")?;
        Ok(bytes)
    }

    /// Makes the device's context this thread's.
    pub fn make_context(&self) -> Result<(), String> {
        let mut context = std::ptr::null_mut();
        // SAFETY: a place for the context, which stays until the program ends.
        unsafe {
            check((self.functions.retain_context)(&raw mut context, self.device), "cuDevicePrimaryCtxRetain")?;
            check((self.functions.set_context)(context), "cuCtxSetCurrent")
        }
    }

    /// The kernels of that names in a PTX text.
    pub fn kernels<const N: usize>(&self, ptx: &CStr, names: [&CStr; N]) -> Result<[Kernel; N], String> {
        let mut module = std::ptr::null_mut();
        // SAFETY: a text that ends with a zero; the module stays until the program ends.
        check(unsafe { (self.functions.load_module)(&raw mut module, ptx.as_ptr().cast()) }, "cuModuleLoadData")?;
        let mut kernels = [Kernel(std::ptr::null_mut()); N];
        for (kernel, name) in kernels.iter_mut().zip(names) {
            // SAFETY: a module, and a name that ends with a zero.
            let status = unsafe { (self.functions.get_function)(&raw mut kernel.0, module, name.as_ptr()) };
            check(status, "cuModuleGetFunction")?;
        }
        Ok(kernels)
    }

    /// Runs a kernel whose parameters are these, and waits for its end.
    pub fn run(&self, kernel: Kernel, blocks: usize, threads: usize, parameters: &mut [u64]) -> Result<(), String> {
        let too_many = |_| "too many blocks or threads".to_owned();
        let (blocks, threads) =
            (c_uint::try_from(blocks).map_err(too_many)?, c_uint::try_from(threads).map_err(too_many)?);
        let mut places: Vec<*mut c_void> =
            parameters.iter_mut().map(|parameter| std::ptr::from_mut(parameter).cast()).collect();
        // SAFETY: each of the module's kernels takes parameters of 64 bits, as many as its callers in `gpu` give; the driver copies them
        // before the call ends. Addresses among them are those of `DeviceMemory` that outlives the wait.
        let status = unsafe {
            (self.functions.launch)(
                kernel.0,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                std::ptr::null_mut(),
                places.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check(status, "cuLaunchKernel")?;
        // SAFETY: there is a context.
        check(unsafe { (self.functions.synchronise)() }, "cuCtxSynchronize")
    }

    pub fn allocate(&self, bytes: usize) -> Result<DeviceMemory<'_>, String> {
        let mut address = 0;
        // SAFETY: a place for the address.
        check(unsafe { (self.functions.allocate)(&raw mut address, bytes) }, "cuMemAlloc")?;
        Ok(DeviceMemory { cuda: self, address, bytes })
    }

    pub fn allocate_pinned(&self, bytes: usize) -> Result<Pinned<'_>, String> {
        let mut start = std::ptr::null_mut();
        // SAFETY: a place for the address.
        check(unsafe { (self.functions.allocate_host)(&raw mut start, bytes) }, "cuMemAllocHost")?;
        // SAFETY: the driver gave so many bytes.
        unsafe { std::ptr::write_bytes(start.cast::<u8>(), 1, bytes) };
        Ok(Pinned { cuda: self, start: start.cast(), bytes })
    }
}

impl DeviceMemory<'_> {
    /// Copies the bytes to its beginning, as far as they fit.
    pub fn write(&self, bytes: &[u8]) -> Result<(), String> {
        let length = bytes.len().min(self.bytes);
        // SAFETY: by the invariant there is room for them.
        let status = unsafe { (self.cuda.functions.to_device)(self.address, bytes.as_ptr().cast(), length) };
        check(status, "cuMemcpyHtoD")
    }

    /// Copies its beginning to the bytes, as far as it goes.
    pub fn read(&self, bytes: &mut [u8]) -> Result<(), String> {
        let length = bytes.len().min(self.bytes);
        // SAFETY: by the invariant there are so many, and `bytes` has room for them.
        let status = unsafe { (self.cuda.functions.from_device)(bytes.as_mut_ptr().cast(), self.address, length) };
        check(status, "cuMemcpyDtoH")
    }
}

impl Drop for DeviceMemory<'_> {
    fn drop(&mut self) {
        // SAFETY: by the invariant. A driver that fails here fails at the next call too, whose error is reported.
        unsafe { (self.cuda.functions.free)(self.address) };
    }
}

impl Pinned<'_> {
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: by the invariant, and `self` is borrowed for as long.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        // SAFETY: by the invariant.
        unsafe { (self.cuda.functions.free_host)(self.start.cast()) };
    }
}
