//! CUDA training kernels: describe a problem, select a kernel, run it on a stream.
//!
//! ```no_run
//! use adjoint::{Dtype, EmbeddingBackward, HostCall, Plan, Preference, Stream};
//!
//! # fn main() -> Result<(), adjoint::Error> {
//! let descriptor = adjoint::sys::adj_embedding_backward_descriptor {
//!     num_embeddings: 4,
//!     embedding_dim: 2,
//!     num_indices: 3,
//!     element: Dtype::F32.0,
//!     index: Dtype::I64.0,
//!     ..Default::default()
//! };
//! let plan = Plan::<EmbeddingBackward>::select(&Stream::host(), &descriptor, &Preference::default())?;
//! let (dout, indices, mut dweight) = ([1f32; 6], [2i64, 0, 2], [0f32; 8]);
//! let mut call = HostCall::new();
//! call.read(EmbeddingBackward::DOUT, &dout)
//!     .read(EmbeddingBackward::INDICES, &indices)
//!     .write(EmbeddingBackward::DWEIGHT, &mut dweight);
//! plan.run_host(&call)?;
//! # Ok(())
//! # }
//! ```
//!
//! On the host stream everything is safe: [`HostCall`] borrows slices. Device memory is the caller's, so [`Plan::run`]
//! with raw arguments is `unsafe`. An operator whose descriptor has lists or texts is selected by a [`Problem`], which borrows them.
//! [`sys`] is the C interface itself, for what this layer does not cover.
#![warn(missing_docs)]

pub mod sys;

mod buffers;
mod error;
mod ops;
mod plan;
mod problem;

pub use buffers::*;
pub use error::*;
pub use ops::*;
pub use plan::*;
pub use problem::*;

use error::{c_string, check, text};
use std::fmt;
use std::os::raw::c_void;

// ---- enumerations

macro_rules! values {
    ($($(#[$meta:meta])* $name:ident { $($constant:ident = $value:ident,)* })*) => {
        $($(#[$meta])* #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)] #[repr(transparent)]
        pub struct $name(
            /// The number in the C interface.
            pub i32,
        );
        impl $name { $(#[doc = concat!("`", stringify!($value), "`")] pub const $constant: $name = $name(sys::$value);)* }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(if *self == $name::$constant { return f.write_str(concat!(stringify!($name), "::", stringify!($constant))); })*
                write!(f, "{}({})", stringify!($name), self.0)
            }
        })*
    };
}
values! {
    /// Kind of a failure; `Display` gives the library's name for it.
    Status {
        OK = ADJ_OK, INVALID_ARGUMENT = ADJ_ERROR_INVALID_ARGUMENT, STRUCT_SIZE = ADJ_ERROR_STRUCT_SIZE,
        INVALID_PROBLEM = ADJ_ERROR_INVALID_PROBLEM, UNSUPPORTED = ADJ_ERROR_UNSUPPORTED, DTYPE_MISMATCH = ADJ_ERROR_DTYPE_MISMATCH,
        SHAPE_MISMATCH = ADJ_ERROR_SHAPE_MISMATCH, NULL_BUFFER = ADJ_ERROR_NULL_BUFFER, BUFFER_TOO_SMALL = ADJ_ERROR_BUFFER_TOO_SMALL,
        MISALIGNED = ADJ_ERROR_MISALIGNED, ALIASING = ADJ_ERROR_ALIASING, WORKSPACE_TOO_SMALL = ADJ_ERROR_WORKSPACE_TOO_SMALL,
        STREAM_MISMATCH = ADJ_ERROR_STREAM_MISMATCH, BACKEND_UNAVAILABLE = ADJ_ERROR_BACKEND_UNAVAILABLE,
        DRIVER_TOO_OLD = ADJ_ERROR_DRIVER_TOO_OLD, COMPILE_FAILED = ADJ_ERROR_COMPILE_FAILED, CUDA = ADJ_ERROR_CUDA,
        NOT_FOUND = ADJ_ERROR_NOT_FOUND, IO = ADJ_ERROR_IO, CORRUPT = ADJ_ERROR_CORRUPT, OUT_OF_MEMORY = ADJ_ERROR_OUT_OF_MEMORY,
        INTERNAL = ADJ_ERROR_INTERNAL, CAPTURING = ADJ_ERROR_CAPTURING, INVALID_VALUE = ADJ_ERROR_INVALID_VALUE,
    }
    /// Element type of a buffer.
    Dtype {
        NONE = ADJ_DTYPE_NONE, F32 = ADJ_F32, U8 = ADJ_U8, I8 = ADJ_I8, U16 = ADJ_U16, I16 = ADJ_I16, I32 = ADJ_I32, I64 = ADJ_I64,
        BOOL = ADJ_BOOL, F16 = ADJ_F16, F64 = ADJ_F64, U32 = ADJ_U32, U64 = ADJ_U64, BF16 = ADJ_BF16,
    }
    /// Degree to which a result stays the same; as a requirement, the default is `RUN_TO_RUN`.
    Determinism {
        DEFAULT = ADJ_DETERMINISM_DEFAULT, NONDETERMINISTIC = ADJ_NONDETERMINISTIC, RUN_TO_RUN = ADJ_RUN_TO_RUN,
        SHAPE_ONLY = ADJ_SHAPE_ONLY, BATCH_INVARIANT = ADJ_BATCH_INVARIANT,
    }
    /// Accuracy of elementary functions, division and square root.
    Math { DEFAULT = ADJ_MATH_DEFAULT, IEEE = ADJ_MATH_IEEE, FAST = ADJ_MATH_FAST, }
    /// What a SKU is made of.
    Backend {
        ANY = ADJ_BACKEND_ANY, BESPOKE = ADJ_BACKEND_BESPOKE, HOST = ADJ_BACKEND_HOST, CUDNN = ADJ_BACKEND_CUDNN, NCCL = ADJ_BACKEND_NCCL, CUBLASLT = ADJ_BACKEND_CUBLASLT,
    }
    /// Places from which `select` may take a kernel that is not loaded.
    JitPolicy { DEFAULT = ADJ_JIT_DEFAULT, CACHED_ONLY = ADJ_JIT_CACHED_ONLY, PACKS_ONLY = ADJ_JIT_PACKS_ONLY, }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the name is a string that lives as long as the library.
        f.write_str(&text(unsafe { sys::adj_status_name(self.0) }))
    }
}
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: as above; null for an unknown type.
        let name = text(unsafe { sys::adj_dtype_name(self.0) });
        if name.is_empty() { write!(f, "{}", self.0) } else { f.write_str(&name) }
    }
}

// ---- library

/// The version of the library in use, "1.0.0".
pub fn version() -> String {
    // SAFETY: a constant string.
    text(unsafe { sys::adj_version() })
}

/// Fails when this crate was not written for the library's interface. `select` and `explain` check it too.
pub fn check_version() -> Result<()> {
    // SAFETY: no pointers.
    check(unsafe { sys::adj_abi_check(sys::ADJ_ABI_MAJOR, sys::ADJ_ABI_MINOR) })
}

/// Number of CUDA devices; 0 without a driver.
pub fn device_count() -> i64 {
    // SAFETY: no pointers.
    unsafe { sys::adj_device_count() }
}

// ---- streams

/// Where a plan runs: ordinary memory, a CUDA stream, or a device that need not be there.
#[derive(Clone, Copy, Debug)]
pub struct Stream(sys::adj_stream);

// SAFETY: a handle and three numbers; streams may be used from any thread.
unsafe impl Send for Stream {}
unsafe impl Sync for Stream {}

impl Stream {
    /// Ordinary memory; runs return when the result is there.
    pub fn host() -> Stream {
        // SAFETY: no pointers.
        Stream(unsafe { sys::adj_stream_host() })
    }

    /// A device by architecture ("sm_90a"): plans can be selected and explained on it, and fail to run.
    pub fn offline(arch: &str) -> Result<Stream> {
        let arch = c_string("arch", arch)?;
        let mut stream = Stream::host().0;
        // SAFETY: both pointers are valid for the call.
        check(unsafe { sys::adj_stream_offline(arch.as_ptr(), &mut stream) })?;
        Ok(Stream(stream))
    }

    /// Wraps a `CUstream` or `cudaStream_t` without taking ownership.
    ///
    /// # Safety
    /// `cuda_stream` is a live stream, or null for the default stream of a current context, and outlives every use.
    pub unsafe fn wrap(cuda_stream: *mut c_void) -> Result<Stream> {
        let mut stream = Stream::host().0;
        check(sys::adj_stream_wrap(cuda_stream, &mut stream))?;
        Ok(Stream(stream))
    }

    /// True for the host stream.
    pub fn is_host(&self) -> bool {
        self.0.kind == sys::ADJ_STREAM_HOST
    }
    /// CUDA device ordinal; `None` on the host and offline.
    pub fn device(&self) -> Option<i32> {
        if self.0.kind == sys::ADJ_STREAM_CUDA { Some(self.0.device) } else { None }
    }
    /// The structure of the C interface.
    pub fn raw(&self) -> &sys::adj_stream {
        &self.0
    }
}
