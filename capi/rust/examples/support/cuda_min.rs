//! The few driver calls that a program needs to hold device memory and a stream, loaded at run time, so that the example
//! builds without a CUDA toolkit and runs without a driver. A real program uses a CUDA crate instead.
use std::ffi::CString;
use std::os::raw::{c_char, c_int, c_uint, c_void};

extern "C" {
    fn dlopen(name: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

type Address = u64;

pub struct Cuda {
    library: *mut c_void,
    device: c_int,
    pub stream: *mut c_void,
}

macro_rules! call {
    ($cuda:expr, $name:literal, ($($type:ty),*), $($argument:expr),*) => {{
        let address = $cuda.symbol($name)?;
        // SAFETY: the driver's function of this name has these parameters.
        let function: unsafe extern "C" fn($($type),*) -> c_int = std::mem::transmute(address);
        match function($($argument),*) {
            0 => Ok(()),
            error => Err(format!("{} failed with {}", $name, error)),
        }
    }};
}

impl Cuda {
    /// Makes the primary context of device 0 current and creates a stream; `None` without libcuda.so.1.
    pub fn open() -> Option<Result<Cuda, String>> {
        let name = CString::new("libcuda.so.1").unwrap();
        // SAFETY: a null-terminated name; 2 is RTLD_NOW.
        let library = unsafe { dlopen(name.as_ptr(), 2) };
        if library.is_null() {
            return None;
        }
        let mut cuda = Cuda { library, device: 0, stream: std::ptr::null_mut() };
        // SAFETY: every pointer is valid for its call.
        let opened = unsafe {
            let mut open = || -> Result<(), String> {
                let mut context: *mut c_void = std::ptr::null_mut();
                call!(cuda, "cuInit", (c_uint), 0)?;
                call!(cuda, "cuDeviceGet", (*mut c_int, c_int), &mut cuda.device, 0)?;
                call!(cuda, "cuDevicePrimaryCtxRetain", (*mut *mut c_void, c_int), &mut context, cuda.device)?;
                call!(cuda, "cuCtxSetCurrent", (*mut c_void), context)?;
                call!(cuda, "cuStreamCreate", (*mut *mut c_void, c_uint), &mut cuda.stream, 1)
            };
            open()
        };
        Some(opened.map(|()| cuda))
    }

    fn symbol(&self, name: &str) -> Result<*mut c_void, String> {
        let c_name = CString::new(name).unwrap();
        // SAFETY: a live library and a null-terminated name.
        let address = unsafe { dlsym(self.library, c_name.as_ptr()) };
        if address.is_null() {
            Err(format!("libcuda.so.1 lacks {}", name))
        } else {
            Ok(address)
        }
    }

    /// Uninitialised device memory.
    pub fn allocate(&self, bytes: usize) -> Result<*mut c_void, String> {
        let mut address: Address = 0;
        // SAFETY: the pointer is valid for the call.
        unsafe { call!(self, "cuMemAlloc_v2", (*mut Address, usize), &mut address, bytes.max(1))? };
        Ok(address as *mut c_void)
    }

    pub fn upload<T: Copy>(&self, values: &[T]) -> Result<*mut c_void, String> {
        let bytes = std::mem::size_of_val(values);
        let address = self.allocate(bytes)?;
        // SAFETY: `bytes` bytes on both sides.
        unsafe { call!(self, "cuMemcpyHtoD_v2", (Address, *const c_void, usize), address as Address, values.as_ptr().cast(), bytes)? };
        Ok(address)
    }

    /// Waits for the stream and copies to the host.
    ///
    /// # Safety
    /// `address` is device memory that holds `values.len()` values.
    pub unsafe fn download<T: Copy>(&self, address: *mut c_void, values: &mut [T]) -> Result<(), String> {
        call!(self, "cuStreamSynchronize", (*mut c_void), self.stream)?;
        let bytes = std::mem::size_of_val(values);
        call!(self, "cuMemcpyDtoH_v2", (*mut c_void, Address, usize), values.as_mut_ptr().cast(), address as Address, bytes)
    }

    /// # Safety
    /// `address` came from `allocate` or `upload` and is not used afterwards.
    pub unsafe fn free(&self, address: *mut c_void) -> Result<(), String> {
        call!(self, "cuMemFree_v2", (Address), address as Address)
    }

    pub fn close(self) -> Result<(), String> {
        // SAFETY: our own stream and our own reference to the context.
        unsafe {
            call!(self, "cuStreamDestroy_v2", (*mut c_void), self.stream)?;
            call!(self, "cuDevicePrimaryCtxRelease_v2", (c_int), self.device)
        }
    }
}
