//! CUDA training kernels: describe a problem, select a kernel, run it on a stream.
//!
//! ```no_run
//! use adjoint::{Dtype, EmbeddingBackward, EmbeddingBackwardDescriptor, HostCall, Plan, Preference, Stream};
//!
//! # fn main() -> Result<(), adjoint::Error> {
//! let descriptor = EmbeddingBackwardDescriptor {
//!     num_embeddings: 4,
//!     embedding_dim: 2,
//!     num_indices: 3,
//!     element: Dtype::F32,
//!     index: Dtype::I64,
//!     ..Default::default()
//! };
//! let plan = Plan::<EmbeddingBackward>::select(&Stream::host(), &descriptor, &Preference::default())?;
//! let (dout, indices, mut dweight) = ([1f32; 6], [2i64, 0, 2], [0f32; 8]);
//! let mut call = HostCall::new();
//! call.read(EmbeddingBackward::DOUT, &dout)
//!     .read(EmbeddingBackward::INDICES, &indices)
//!     .write(EmbeddingBackward::DWEIGHT, &mut dweight);
//! plan.run_host(&mut call)?;
//! # Ok(())
//! # }
//! ```
//!
//! On the host stream everything is safe: [`HostCall`] borrows slices. Device memory is the caller's, so [`Plan::run`]
//! with raw arguments is `unsafe`. An operator whose descriptor has lists or texts is selected by a [`Problem`], which borrows them.
//! Each operator is a type ([`KnownOp`]) with constants for its arguments; [`Any`] is one that is found by its name when the program runs
//! ([`Operator`]). [`sys`] is the C interface itself, for what this layer does not cover.
//!
//! Enumerations are types, and a value of another one does not compile:
//!
//! ```compile_fail,E0308
//! let descriptor = adjoint::EmbeddingBackwardDescriptor { write_mode: adjoint::Reduction::SUM, ..Default::default() };
//! ```
//!
//! ```
//! use adjoint::{EmbeddingBackwardDescriptor, WriteMode};
//! let descriptor = EmbeddingBackwardDescriptor { write_mode: WriteMode::ACCUMULATE, ..Default::default() };
//! assert_eq!(descriptor.write_mode.0, 2);
//! ```
#![deny(missing_docs)]

pub mod sys;

mod call;
mod callback;
mod error;
mod host;
mod ops;
mod plan;
mod problem;
mod reflect;
mod tensors;
mod values;

pub use call::*;
pub use callback::*;
pub use error::*;
pub use host::*;
pub use ops::*;
pub use plan::*;
pub use problem::*;
pub use reflect::*;
pub use tensors::*;
pub use values::*;

use error::{c_string, check, text};
use std::os::raw::c_void;

// ---- library

/// The version of the library in use: "1.0.0", or between releases "0.9.0.dev0+g0123456789ab", with the commit.
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
        if self.0.kind == sys::ADJ_STREAM_CUDA {
            Some(self.0.device)
        } else {
            None
        }
    }
    /// The structure of the C interface.
    pub fn raw(&self) -> &sys::adj_stream {
        &self.0
    }
}
