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

mod ops;

pub use ops::*;

use std::ffi::{CStr, CString};
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_void};

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
        ANY = ADJ_BACKEND_ANY, BESPOKE = ADJ_BACKEND_BESPOKE, HOST = ADJ_BACKEND_HOST, CUDNN = ADJ_BACKEND_CUDNN, NCCL = ADJ_BACKEND_NCCL,
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

// ---- errors

/// One candidate of a selection: [`Status::OK`] if it was accepted, else a status and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// Id of the SKU.
    pub sku: String,
    /// Why it was not chosen, as a code.
    pub code: Status,
    /// The same as a sentence.
    pub reason: String,
}

/// A failure of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Its kind.
    pub code: Status,
    /// One sentence that names operator, argument and value.
    pub message: String,
    /// CUresult, nvrtcResult, cudnnStatus_t or ncclResult_t; 0 when none is involved.
    pub native: i64,
    /// NVRTC's log, or empty.
    pub log: String,
    /// NVRTC's options, or empty.
    pub options: String,
    /// After a failed selection: every candidate with its reason.
    pub rejections: Vec<Rejection>,
}
/// The result of a call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}
impl std::error::Error for Error {}

impl Error {
    /// An error found on this side of the interface.
    fn new(code: Status, message: String) -> Error {
        Error { code, message, native: 0, log: String::new(), options: String::new(), rejections: Vec::new() }
    }
}

/// A copy of a string of the library; empty for null.
fn text(s: *const c_char) -> String {
    if s.is_null() {
        return String::new();
    }
    // SAFETY: the library returns null-terminated strings that live at least until the next call of this thread.
    unsafe { CStr::from_ptr(s) }.to_string_lossy().into_owned()
}

fn check(status: i32) -> Result<()> {
    if status == sys::ADJ_OK {
        return Ok(());
    }
    // SAFETY: never null.
    let mut error = Error::new(Status(status), text(unsafe { sys::adj_last_error() }));
    // SAFETY: no pointers.
    error.native = unsafe { sys::adj_last_native_code() };
    Err(error)
}

/// An error object of the library, released on drop.
struct Report(*mut sys::adj_error);
impl Report {
    fn rejections(&self) -> Result<Vec<Rejection>> {
        // SAFETY: null or a live object of ours, as in every call below; null gives a count of 0.
        let count = unsafe { sys::adj_error_rejection_count(self.0) };
        (0..count)
            .map(|i| {
                let mut info = sys::adj_rejection::default();
                check(unsafe { sys::adj_error_rejection(self.0, i, &mut info) })?;
                Ok(Rejection { sku: text(info.sku), code: Status(info.code), reason: text(info.reason) })
            })
            .collect()
    }
    fn check(&self, status: i32) -> Result<()> {
        let mut error = match check(status) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        if !self.0.is_null() {
            // SAFETY: as above.
            unsafe {
                error.message = text(sys::adj_error_message(self.0));
                error.native = sys::adj_error_native_code(self.0);
                error.log = text(sys::adj_error_log(self.0));
                error.options = text(sys::adj_error_options(self.0));
            }
            error.rejections = self.rejections()?;
        }
        Err(error)
    }
}
impl Drop for Report {
    fn drop(&mut self) {
        // SAFETY: ours to release, once.
        unsafe { sys::adj_error_release(self.0) }
    }
}

fn c_string(what: &str, value: &str) -> Result<CString> {
    CString::new(value).map_err(|_| Error::new(Status::INVALID_ARGUMENT, format!("{} contains a null byte: {:?}", what, value)))
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

// ---- selection

/// Requirements of the caller on a kernel.
#[derive(Clone, Debug)]
pub struct Preference {
    /// Least level accepted.
    pub determinism: Determinism,
    /// Accuracy of elementary functions.
    pub math: Math,
    /// Where kernels may come from.
    pub jit: JitPolicy,
    /// The only backend accepted; [`Backend::ANY`] for all.
    pub backend: Backend,
    /// Bytes; 0 accepts only kernels that need none.
    pub workspace_limit: u64,
    /// Glob over SKU ids.
    pub sku: Option<String>,
    /// True: `select` takes the next kernel when the chosen one does not compile or load, or its library fails.
    pub fallback: bool,
    /// Compute capability times ten (90 for sm_90a): a plan of the host stream needs as much workspace as the plan for that architecture. 0: as
    /// much as the host itself uses.
    pub workspace_arch: i32,
}
impl Default for Preference {
    fn default() -> Self {
        Preference {
            determinism: Determinism::DEFAULT,
            math: Math::DEFAULT,
            jit: JitPolicy::DEFAULT,
            backend: Backend::ANY,
            workspace_limit: u64::MAX,
            sku: None,
            fallback: false,
            workspace_arch: 0,
        }
    }
}
impl Preference {
    /// Calls `f` with the C structure, whose string lives until `f` returns.
    fn with_raw<T>(&self, f: impl FnOnce(&sys::adj_preference) -> T) -> Result<T> {
        let sku = self.sku.as_deref().map(|s| c_string("preference.sku", s)).transpose()?;
        Ok(f(&sys::adj_preference {
            determinism: self.determinism.0,
            math: self.math.0,
            jit: self.jit.0,
            backend: self.backend.0,
            workspace_limit: self.workspace_limit,
            sku: sku.as_ref().map_or(std::ptr::null(), |s| s.as_ptr()),
            fallback: self.fallback as i32,
            workspace_arch: self.workspace_arch,
            ..Default::default()
        }))
    }
}

/// Promise of a kernel: `|computed - exact| <= bound_ulp * ulp + bound_terms * (sum of the terms' magnitudes) + bound_absolute`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guarantee {
    /// Accuracy of elementary functions.
    pub math: Math,
    /// Type in which sums are kept.
    pub accumulator: Dtype,
    /// Degree to which a result stays the same.
    pub determinism: Determinism,
    /// Same bits on the same hardware.
    pub bit_stable: bool,
    /// The kernel adds floats atomically.
    pub float_atomics: bool,
    /// Error in units of the last place of the exact result, in the output's type.
    pub bound_ulp: f64,
    /// Error as a fraction of the sum of the magnitudes of the result's terms.
    pub bound_terms: f64,
    /// Error from taking subnormal numbers for zero.
    pub bound_absolute: f64,
}
impl Guarantee {
    fn of(g: &sys::adj_guarantee) -> Guarantee {
        Guarantee {
            math: Math(g.math),
            accumulator: Dtype(g.accumulator),
            determinism: Determinism(g.determinism),
            bit_stable: g.bit_stable != 0,
            float_atomics: g.float_atomics != 0,
            bound_ulp: g.bound_ulp,
            bound_terms: g.bound_terms,
            bound_absolute: g.bound_absolute,
        }
    }
}

/// One concrete kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Sku {
    /// "embedding_backward/row_sort/bf16.i64/sm80"
    pub id: String,
    /// Name of the operator.
    pub op: String,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Element types, dot-separated, in the operator's order.
    pub signature: String,
    /// "sm80": that and later; "sm90a": exactly that; "host".
    pub arch: String,
    /// Kernel source file, or empty.
    pub source: String,
    /// One line on how it works.
    pub summary: String,
    /// What it is made of.
    pub backend: Backend,
    /// Kernels that it is made of.
    pub program_count: i32,
    /// For every output of every problem; from a plan: for every output of the plan's problem.
    pub guarantee: Guarantee,
}
impl Sku {
    fn of(info: &sys::adj_sku_info) -> Sku {
        Sku {
            id: text(info.id),
            op: text(info.op_name),
            algorithm: text(info.algorithm),
            signature: text(info.signature),
            arch: text(info.arch),
            source: text(info.source),
            summary: text(info.summary),
            backend: Backend(info.backend),
            program_count: info.program_count,
            guarantee: Guarantee::of(&info.guarantee),
        }
    }

    /// Every kernel that the library has.
    pub fn all() -> Result<Vec<Sku>> {
        // SAFETY: `info` is valid for the calls.
        (0..unsafe { sys::adj_sku_count() })
            .map(|i| {
                let mut info = sys::adj_sku_info::default();
                check(unsafe { sys::adj_sku_get(i, &mut info) })?;
                Ok(Sku::of(&info))
            })
            .collect()
    }
}

/// What a plan needs and does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanInfo {
    /// Bytes of workspace of a run.
    pub workspace_size: u64,
    /// Bytes of workspace of a bound call, never fewer.
    pub bind_workspace_size: u64,
    /// Kernel launches, copies and memsets of a run.
    pub launches: i64,
    /// The same of a bound call.
    pub bound_launches: i64,
    /// The driver compiled PTX, the caller's or for a device that NVRTC does not know.
    pub from_ptx: bool,
}

/// Scratch memory of one call, 256-byte aligned, in the memory of the stream.
pub type Workspace = sys::adj_workspace;

/// A kernel chosen for one problem on one stream's device. Immutable; share it between threads, and give concurrent runs
/// workspaces and outputs of their own.
pub struct Plan<O: Op> {
    handle: *mut sys::adj_plan,
    op: PhantomData<fn() -> O>,
}

// SAFETY: plans are immutable and reference-counted atomically.
unsafe impl<O: Op> Send for Plan<O> {}
unsafe impl<O: Op> Sync for Plan<O> {}

impl<O: Op> Clone for Plan<O> {
    fn clone(&self) -> Self {
        // SAFETY: a live handle.
        Plan { handle: unsafe { sys::adj_plan_retain(self.handle) }, op: PhantomData }
    }
}
/// Equal when both came from one selection: copies, and plans of [`Plan::cached`] for equal problems.
impl<O: Op> PartialEq for Plan<O> {
    fn eq(&self, other: &Self) -> bool {
        self.handle == other.handle
    }
}
impl<O: Op> Eq for Plan<O> {}
impl<O: Op> Drop for Plan<O> {
    fn drop(&mut self) {
        // SAFETY: gives up our one reference.
        unsafe { sys::adj_plan_release(self.handle) }
    }
}
impl<O: Op> fmt::Debug for Plan<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Plan({})", self.sku().map_or_else(|e| e.message, |s| s.id))
    }
}

impl<O: TensorOp> Plan<O> {
    /// Picks a kernel, compiling or loading it: all slow work is here.
    pub fn select(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Plan<O>> {
        // SAFETY: a descriptor without pointers.
        unsafe { Plan::select_raw(stream, descriptor, preference) }
    }
    /// As [`Plan::select`], from a cache of the process: an equal problem on the same device gets the same plan in well under a
    /// microsecond, from any thread. Meant for programs that ask for a plan before every call.
    pub fn cached(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Plan<O>> {
        // SAFETY: a descriptor without pointers.
        unsafe { Plan::cached_raw(stream, descriptor, preference) }
    }
    /// Every candidate in order with [`Status::OK`] or why not; compiles nothing.
    pub fn explain(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Vec<Rejection>> {
        explain_raw::<O>(stream, descriptor, preference)
    }
}

impl<O: ListOp> Plan<O> {
    /// As [`Plan::select`], for an operator over lists: `numel` has the element count of every tensor, or its length along the axis.
    pub fn select_lists(stream: &Stream, descriptor: &O::Descriptor, numel: &[i64], preference: &Preference) -> Result<Plan<O>> {
        // SAFETY: the only pointer of the descriptor is `numel`.
        unsafe { Plan::select_raw(stream, &O::with_numel(descriptor, numel), preference) }
    }
    /// As [`Plan::cached`], for an operator over lists.
    pub fn cached_lists(stream: &Stream, descriptor: &O::Descriptor, numel: &[i64], preference: &Preference) -> Result<Plan<O>> {
        // SAFETY: the only pointer of the descriptor is `numel`.
        unsafe { Plan::cached_raw(stream, &O::with_numel(descriptor, numel), preference) }
    }
    /// As [`Plan::explain`], for an operator over lists.
    pub fn explain_lists(stream: &Stream, descriptor: &O::Descriptor, numel: &[i64], preference: &Preference) -> Result<Vec<Rejection>> {
        explain_raw::<O>(stream, &O::with_numel(descriptor, numel), preference)
    }
}

// ---- descriptors with lists and texts

/// Fields of a descriptor that point to the caller's memory: a list of integers or of floating-point numbers, a text, bytes. The operators have
/// constants of these types, named `FIELD_...`.
pub struct Integers<O: Op>(fn(&mut O::Descriptor, &[i64]));
/// A list of floating-point numbers, see [`Integers`].
pub struct Reals<O: Op>(fn(&mut O::Descriptor, &[f64]));
/// A text, see [`Integers`].
pub struct Text<O: Op>(fn(&mut O::Descriptor, &CStr));
/// Bytes, see [`Integers`].
pub struct Bytes<O: Op>(fn(&mut O::Descriptor, &[u8]));

/// A descriptor with everything it points to, on borrowed slices. It serves every operator, and selecting with it is safe.
///
/// ```no_run
/// use adjoint::{Lion, Plan, Preference, Problem, Stream};
/// # fn main() -> Result<(), adjoint::Error> {
/// let numel = [1000, 30];
/// let descriptor = adjoint::sys::adj_lion_descriptor { param: adjoint::Dtype::F32.0, ..Default::default() };
/// let plan: Plan<Lion> = Problem::new(&descriptor).integers(Lion::FIELD_NUMEL, &numel).select(&Stream::host(), &Preference::default())?;
/// # Ok(())
/// # }
/// ```
pub struct Problem<'a, O: Op> {
    descriptor: O::Descriptor,
    texts: Vec<CString>, // a string's memory stays where it is while the vector grows
    fault: Option<Error>,
    borrows: PhantomData<&'a ()>,
}

impl<'a, O: Op> Problem<'a, O> {
    /// The numbers of the descriptor. Its pointers, and the lengths of its lists, are left behind.
    pub fn new(descriptor: &O::Descriptor) -> Self {
        Problem { descriptor: O::without_pointers(descriptor), texts: Vec::new(), fault: None, borrows: PhantomData }
    }
    /// Gives a list of integers, and its length.
    pub fn integers(&mut self, field: Integers<O>, values: &'a [i64]) -> &mut Self {
        (field.0)(&mut self.descriptor, values);
        self
    }
    /// Gives a list of floating-point numbers, and its length.
    pub fn reals(&mut self, field: Reals<O>, values: &'a [f64]) -> &mut Self {
        (field.0)(&mut self.descriptor, values);
        self
    }
    /// Gives a text. A text with a null byte is refused by the selection.
    pub fn text(&mut self, field: Text<O>, value: &str) -> &mut Self {
        match c_string("a text of the descriptor", value) {
            Ok(own) => {
                (field.0)(&mut self.descriptor, &own);
                self.texts.push(own);
            }
            Err(error) => self.fault = Some(error),
        }
        self
    }
    /// Gives bytes, and their number.
    pub fn bytes(&mut self, field: Bytes<O>, value: &'a [u8]) -> &mut Self {
        (field.0)(&mut self.descriptor, value);
        self
    }

    fn checked(&self) -> Result<&O::Descriptor> {
        self.fault.clone().map_or(Ok(&self.descriptor), Err)
    }
    /// As [`Plan::select`].
    pub fn select(&self, stream: &Stream, preference: &Preference) -> Result<Plan<O>> {
        // SAFETY: every pointer is null or borrowed, and read during the call only.
        unsafe { Plan::select_raw(stream, self.checked()?, preference) }
    }
    /// As [`Plan::cached`].
    pub fn cached(&self, stream: &Stream, preference: &Preference) -> Result<Plan<O>> {
        // SAFETY: as above.
        unsafe { Plan::cached_raw(stream, self.checked()?, preference) }
    }
    /// As [`Plan::explain`].
    pub fn explain(&self, stream: &Stream, preference: &Preference) -> Result<Vec<Rejection>> {
        explain_raw::<O>(stream, self.checked()?, preference)
    }
}

// ---- functions of the caller

/// What a function of [`Callback`] or [`UserKernel`] is called with.
pub struct CallbackCall<'a>(&'a sys::adj_callback_call);

impl CallbackCall<'_> {
    /// What a function that panics returns for it: the native code of the call's error.
    pub const PANICKED: i32 = i32::MIN;

    /// The structure of the C interface, with the addresses of the buffers.
    pub fn raw(&self) -> &sys::adj_callback_call {
        self.0
    }
    /// The stream of the call.
    pub fn stream(&self) -> Stream {
        // SAFETY: set by the library for the time of the call.
        Stream(unsafe { *self.0.stream })
    }
    /// The i-th input. `None` when there is none, when it has another type, and on a CUDA stream, whose memory Rust cannot see.
    pub fn input<T: Element>(&self, i: usize) -> Option<&[T]> {
        let (data, count) = self.entry::<T>(self.0.inputs, i)?;
        // SAFETY: ordinary memory of `count` elements, which the caller of the run lends for the call; an exclusive borrow of an output that is this
        // buffer would borrow `self`.
        Some(unsafe { std::slice::from_raw_parts(data, count) })
    }
    /// The i-th output, as [`CallbackCall::input`].
    pub fn output<T: Element>(&mut self, i: usize) -> Option<&mut [T]> {
        let (data, count) = self.entry::<T>(self.0.outputs, i)?;
        // SAFETY: as above, and nothing else is borrowed while this is.
        Some(unsafe { std::slice::from_raw_parts_mut(data, count) })
    }
    /// The number that one function leaves for another; `None` when the call has none.
    pub fn context(&mut self) -> Option<&mut i64> {
        // SAFETY: null, or ordinary memory that the caller of the run lends for the call.
        unsafe { self.0.context.as_mut() }
    }

    fn entry<T: Element>(&self, list: *const sys::adj_tensor_list, i: usize) -> Option<(*mut T, usize)> {
        // SAFETY: set by the library for the time of the call, as is what it points to.
        let (list, stream) = unsafe { (list.as_ref()?, self.0.stream.as_ref()?) };
        if stream.kind != sys::ADJ_STREAM_HOST || list.dtype != T::DTYPE.0 || i as u64 >= list.count as u64 {
            return None;
        }
        // SAFETY: i is below the count.
        let (data, bytes) = unsafe { (*list.data.add(i), *list.bytes.add(i)) };
        let count = usize::try_from(bytes).ok()? / std::mem::size_of::<T>();
        let data = if count == 0 { std::ptr::NonNull::<T>::dangling().as_ptr() } else { data as *mut T };
        Some((data, count))
    }
}

/// Calls a function of Rust. A panic does not cross into the library.
fn call_guarded(call: &sys::adj_callback_call, function: impl FnOnce(&mut CallbackCall<'_>) -> i32) -> i32 {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| function(&mut CallbackCall(call)))).unwrap_or(CallbackCall::PANICKED)
}

unsafe extern "C" fn call_closure<F: Fn(&mut CallbackCall<'_>) -> i32>(call: *const sys::adj_callback_call) -> i32 {
    call_guarded(&*call, &*((*call).user as *const F))
}
unsafe extern "C" fn drop_closure<F>(user: *mut c_void) {
    let closure = Box::from_raw(user as *mut F);
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || drop(closure)));
}
/// A function of the caller that stands for a kernel on the host stream.
pub type HostFunction = fn(&mut CallbackCall<'_>) -> i32;
unsafe extern "C" fn call_function(call: *const sys::adj_callback_call) -> i32 {
    call_guarded(&*call, std::mem::transmute::<*mut c_void, HostFunction>((*call).user))
}

impl Problem<'_, Callback> {
    /// As [`Problem::select`], with the function that runs call. It returns 0, or any other number to make the call fail with
    /// [`Status::INVALID_VALUE`] and that number as native code. It is dropped when the plan and its bound calls are gone.
    pub fn select_function<F>(&self, stream: &Stream, preference: &Preference, function: F) -> Result<Plan<Callback>>
    where
        F: Fn(&mut CallbackCall<'_>) -> i32 + Send + Sync + 'static,
    {
        let mut descriptor = *self.checked()?;
        // A type without size has no memory of its own, and its address may be that of another closure: fine, since its value has no parts.
        let user = Box::into_raw(Box::new(function));
        descriptor.function = Some(call_closure::<F>);
        descriptor.destroy = Some(drop_closure::<F>);
        descriptor.user = user as *mut c_void;
        // SAFETY: `user` belongs to the plan from here on; the lists are borrowed.
        let plan = unsafe { Plan::select_raw(stream, &descriptor, preference) };
        if plan.is_err() {
            // SAFETY: no plan has it, so nobody drops it.
            drop(unsafe { Box::from_raw(user) });
        }
        plan
    }
}

impl Problem<'_, UserKernel> {
    /// As [`Problem::select`], with the function that runs on the host stream call in place of the kernel; see [`Problem::select_function`].
    pub fn select_with_host(&self, stream: &Stream, preference: &Preference, host: HostFunction) -> Result<Plan<UserKernel>> {
        let mut descriptor = *self.checked()?;
        descriptor.host = Some(call_function);
        descriptor.user = host as *mut c_void;
        // SAFETY: a function lives as long as the program; the lists are borrowed.
        unsafe { Plan::select_raw(stream, &descriptor, preference) }
    }
}

type PlanFunction = unsafe extern "C" fn(
    *const sys::adj_stream,
    *const sys::adj_header,
    *const sys::adj_preference,
    *mut *mut sys::adj_plan,
    *mut *mut sys::adj_error,
) -> sys::adj_status;

fn explain_raw<O: Op>(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Vec<Rejection>> {
    check_version()?;
    let descriptor = O::fresh_header(descriptor);
    let mut report = Report(std::ptr::null_mut());
    let status = preference.with_raw(|p| {
        // SAFETY: all pointers are valid for the call; the descriptor's header is ours.
        unsafe { sys::adj_plan_explain(&stream.0, &descriptor as *const _ as *const sys::adj_header, p, &mut report.0) }
    })?;
    report.check(status)?;
    report.rejections()
}

impl<O: Op> Plan<O> {
    /// As [`Plan::select`], for any operator.
    ///
    /// # Safety
    /// Every pointer of the descriptor meets the C header's demands for as long as the header asks.
    pub unsafe fn select_raw(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Plan<O>> {
        Plan::get(sys::adj_plan_select, stream, descriptor, preference)
    }
    /// As [`Plan::cached`], for any operator.
    ///
    /// # Safety
    /// As for [`Plan::select_raw`].
    pub unsafe fn cached_raw(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Plan<O>> {
        Plan::get(sys::adj_plan_acquire, stream, descriptor, preference)
    }
    unsafe fn get(function: PlanFunction, stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Plan<O>> {
        check_version()?;
        let descriptor = O::fresh_header(descriptor);
        let mut handle = std::ptr::null_mut();
        let mut report = Report(std::ptr::null_mut());
        let status = preference.with_raw(|p| {
            // SAFETY: all pointers are valid for the call; the descriptor's header is ours.
            unsafe {
                function(&stream.0, &descriptor as *const _ as *const sys::adj_header, p, &mut handle, &mut report.0)
            }
        })?;
        report.check(status)?;
        Ok(Plan { handle, op: PhantomData })
    }

    /// Checks element types, shapes, capacities, alignment and overlap of these buffers.
    ///
    /// # Safety
    /// The arrays of addresses and capacities of list arguments are readable. The buffers themselves are not accessed.
    pub unsafe fn can_implement(&self, args: &O::Args) -> Result<()> {
        let args = O::fresh_args_header(args);
        check(sys::adj_plan_can_implement(self.handle, &args as *const _ as *const sys::adj_header))
    }

    /// Checks the buffers and launches; never compiles, allocates or synchronises.
    ///
    /// # Safety
    /// Every address in `args` and `workspace` is valid memory of the stream, of the stated capacity, until the work is
    /// done, and nothing else accesses the outputs and the workspace meanwhile. The stream is alive.
    pub unsafe fn run(&self, stream: &Stream, workspace: &Workspace, args: &O::Args) -> Result<()> {
        let args = O::fresh_args_header(args);
        check(sys::adj_plan_run(self.handle, &stream.0, workspace, &args as *const _ as *const sys::adj_header))
    }

    /// Runs on the host stream on borrowed slices, with a workspace of its own.
    pub fn run_host(&self, call: &HostCall<'_, O>) -> Result<()> {
        let mut workspace = HostWorkspace::new(self.workspace_size())?;
        let stream = Stream::host();
        // SAFETY: the call borrows every buffer for its lifetime, outputs exclusively; a plan of another stream is refused.
        unsafe { self.run(&stream, &workspace.raw(), &call.args) }
    }

    /// Checks once and prepares calls on the same buffers; scalars by value are frozen.
    ///
    /// # Safety
    /// As for [`Plan::run`], for as long as the bound call is used; the workspace belongs to it.
    pub unsafe fn bind(&self, stream: &Stream, workspace: &Workspace, args: &O::Args) -> Result<Bound> {
        let args = O::fresh_args_header(args);
        let mut handle = std::ptr::null_mut();
        check(sys::adj_plan_bind(self.handle, &stream.0, workspace, &args as *const _ as *const sys::adj_header, &mut handle))?;
        Ok(Bound { handle })
    }

    /// Exact bytes that a run needs; 0 accepts a null workspace.
    pub fn workspace_size(&self) -> u64 {
        // SAFETY: a live handle, here and below.
        unsafe { sys::adj_plan_workspace_size(self.handle) }
    }
    /// What the plan needs and does.
    pub fn info(&self) -> Result<PlanInfo> {
        let mut info = sys::adj_plan_info::default();
        check(unsafe { sys::adj_plan_get_info(self.handle, &mut info) })?;
        Ok(PlanInfo {
            workspace_size: info.workspace_size,
            bind_workspace_size: info.bind_workspace_size,
            launches: info.launches,
            bound_launches: info.bound_launches,
            from_ptx: info.from_ptx != 0,
        })
    }
    /// The kernel that was chosen, with what it promises for this problem.
    pub fn sku(&self) -> Result<Sku> {
        let mut info = sys::adj_sku_info::default();
        check(unsafe { sys::adj_plan_sku(self.handle, &mut info) })?;
        Ok(Sku::of(&info))
    }
    /// What the plan promises for every output of its problem.
    pub fn guarantee(&self) -> Result<Guarantee> {
        Ok(self.sku()?.guarantee)
    }
    /// What the plan promises for one output, by the name of its argument ("dinput").
    pub fn guarantee_of(&self, output: &str) -> Result<Guarantee> {
        let output = c_string("output", output)?;
        let mut guarantee = sys::adj_guarantee::default();
        check(unsafe { sys::adj_plan_guarantee(self.handle, output.as_ptr(), &mut guarantee) })?;
        Ok(Guarantee::of(&guarantee))
    }
}

/// A call with its buffers checked and resolved.
#[derive(Debug)]
pub struct Bound {
    handle: *mut sys::adj_bound,
}
// SAFETY: immutable after bind; it holds a reference to its plan.
unsafe impl Send for Bound {}
unsafe impl Sync for Bound {}
impl Bound {
    /// Launches, without any check of the buffers.
    ///
    /// # Safety
    /// As for [`Plan::run`], with the buffers and the workspace that were bound.
    pub unsafe fn run(&self, stream: &Stream) -> Result<()> {
        check(sys::adj_bound_run(self.handle, &stream.0))
    }
}
impl Drop for Bound {
    fn drop(&mut self) {
        // SAFETY: ours to release, once.
        unsafe { sys::adj_bound_release(self.handle) }
    }
}

// ---- buffers

/// Element types of slices; bf16 and f16 travel as their bits.
///
/// # Safety
/// `DTYPE` describes a type of the same size, and every bit pattern that a kernel stores is a value of `Self`.
pub unsafe trait Element: Copy {
    /// The element type of the C interface.
    const DTYPE: Dtype;
}
macro_rules! elements {
    ($($type:ty = $dtype:ident,)*) => { $(unsafe impl Element for $type { const DTYPE: Dtype = Dtype::$dtype; })* };
}
/// The bits of an IEEE half-precision number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct F16(
    /// Sign, five bits of exponent, ten of fraction.
    pub u16,
);
/// The bits of a bfloat16 number: the upper half of an `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct Bf16(
    /// Sign, eight bits of exponent, seven of fraction.
    pub u16,
);
impl Bf16 {
    /// Rounds to nearest, ties to even.
    pub fn from_f32(value: f32) -> Bf16 {
        let bits = value.to_bits();
        if value.is_nan() {
            return Bf16((bits >> 16) as u16 | 0x40);
        }
        Bf16((bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16)
    }
    /// The number; exact.
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}
/// A byte of a mask: 0 is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct Bool(
    /// 0 is false.
    pub u8,
);
impl From<bool> for Bool {
    fn from(value: bool) -> Bool {
        Bool(value.into())
    }
}
elements! {
    f32 = F32, f64 = F64, F16 = F16, Bf16 = BF16, i8 = I8, i16 = I16, i32 = I32, i64 = I64, u8 = U8, u16 = U16, u32 = U32, u64 = U64,
    Bool = BOOL,
}

/// A tensor argument over raw memory, of `count` elements; its shape is left to the descriptor.
pub fn tensor(data: *mut c_void, count: usize, dtype: Dtype, element_size: usize) -> sys::adj_tensor {
    sys::adj_tensor { data, bytes: (count * element_size) as u64, dtype: dtype.0, ..Default::default() }
}

/// The tensor with a shape stated: its extents, multiplied in groups in their order, are those that the operator names. A shape of
/// more than [`sys::ADJ_MAX_RANK`] dimensions is refused by the call that gets the tensor.
pub fn with_shape(tensor: sys::adj_tensor, shape: &[i64]) -> sys::adj_tensor {
    let mut stated = sys::adj_tensor { rank: i32::try_from(shape.len()).unwrap_or(i32::MAX), shape: Default::default(), ..tensor };
    for (to, from) in stated.shape.iter_mut().zip(shape) {
        *to = *from;
    }
    stated
}

fn tensor_of<T: Element>(data: *const T, count: usize) -> sys::adj_tensor {
    tensor(data as *mut c_void, count, T::DTYPE, std::mem::size_of::<T>())
}

/// Arguments by kind: a tensor that an operator only reads (`In`) or also writes (`Out`), a list of such tensors, a scalar. The operators
/// have constants of these types, so that an output can only be given an exclusive borrow.
pub struct In<O: Op>(fn(&mut O::Args) -> &mut sys::adj_tensor);
/// A tensor that the operator writes, see [`In`].
pub struct Out<O: Op>(fn(&mut O::Args) -> &mut sys::adj_tensor);
/// A list of tensors that the operator only reads, see [`In`].
pub struct ListIn<O: Op>(fn(&mut O::Args) -> &mut sys::adj_tensor_list);
/// A list of tensors that the operator writes, see [`In`].
pub struct ListOut<O: Op>(fn(&mut O::Args) -> &mut sys::adj_tensor_list);
/// A number, see [`In`].
pub struct Scalar<O: Op>(fn(&mut O::Args) -> &mut sys::adj_scalar);
/// The state of a random generator.
pub struct Random<O: Op>(fn(&mut O::Args) -> &mut sys::adj_random);
/// A handle of another library: a communicator, an event.
pub struct Handle<O: Op>(fn(&mut O::Args) -> &mut *mut c_void);

/// The arguments of one call on the host stream, on borrowed slices.
pub struct HostCall<'a, O: Op> {
    args: O::Args,
    addresses: Vec<Vec<*mut c_void>>,
    capacities: Vec<Vec<u64>>,
    borrows: PhantomData<&'a mut ()>,
}

impl<'a, O: Op> Default for HostCall<'a, O> {
    fn default() -> Self {
        HostCall { args: O::Args::default(), addresses: Vec::new(), capacities: Vec::new(), borrows: PhantomData }
    }
}

impl<'a, O: Op> HostCall<'a, O> {
    /// A call without arguments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a tensor that the operator reads.
    pub fn read<T: Element>(&mut self, slot: In<O>, values: &'a [T]) -> &mut Self {
        *(slot.0)(&mut self.args) = tensor_of(values.as_ptr(), values.len());
        self
    }
    /// Gives a tensor that the operator writes.
    pub fn write<T: Element>(&mut self, slot: Out<O>, values: &'a mut [T]) -> &mut Self {
        *(slot.0)(&mut self.args) = tensor_of(values.as_mut_ptr(), values.len());
        self
    }
    /// As [`HostCall::read`], with the shape stated, as [`with_shape`] does.
    pub fn read_shaped<T: Element>(&mut self, slot: In<O>, values: &'a [T], shape: &[i64]) -> &mut Self {
        *(slot.0)(&mut self.args) = with_shape(tensor_of(values.as_ptr(), values.len()), shape);
        self
    }
    /// As [`HostCall::write`], with the shape stated, as [`with_shape`] does.
    pub fn write_shaped<T: Element>(&mut self, slot: Out<O>, values: &'a mut [T], shape: &[i64]) -> &mut Self {
        *(slot.0)(&mut self.args) = with_shape(tensor_of(values.as_mut_ptr(), values.len()), shape);
        self
    }
    /// Gives a list of tensors that the operator reads.
    pub fn read_list<T: Element>(&mut self, slot: ListIn<O>, tensors: &[&'a [T]]) -> &mut Self {
        let addresses = tensors.iter().map(|t| t.as_ptr() as *mut c_void).collect();
        self.list(slot.0, T::DTYPE, addresses, tensors.iter().map(|t| std::mem::size_of_val(*t) as u64).collect())
    }
    /// Gives a list of tensors that the operator writes.
    pub fn write_list<T: Element>(&mut self, slot: ListOut<O>, tensors: Vec<&'a mut [T]>) -> &mut Self {
        let capacities = tensors.iter().map(|t| std::mem::size_of_val(&**t) as u64).collect();
        self.list(slot.0, T::DTYPE, tensors.into_iter().map(|t| t.as_mut_ptr() as *mut c_void).collect(), capacities)
    }
    /// Gives a number.
    pub fn scalar(&mut self, slot: Scalar<O>, value: f64) -> &mut Self {
        *(slot.0)(&mut self.args) = sys::adj_scalar { value, ..Default::default() };
        self
    }
    /// Gives the state of a random generator.
    pub fn random(&mut self, slot: Random<O>, seed: u64, offset: u64) -> &mut Self {
        *(slot.0)(&mut self.args) = sys::adj_random { seed, offset, ..Default::default() };
        self
    }
    /// Gives a handle.
    ///
    /// # Safety
    /// `handle` is what the argument's documentation asks for, alive until the call is done.
    pub unsafe fn handle(&mut self, slot: Handle<O>, handle: *mut c_void) -> &mut Self {
        *(slot.0)(&mut self.args) = handle;
        self
    }

    fn list(
        &mut self,
        slot: fn(&mut O::Args) -> &mut sys::adj_tensor_list,
        dtype: Dtype,
        addresses: Vec<*mut c_void>,
        capacities: Vec<u64>,
    ) -> &mut Self {
        // The vectors' heap blocks stay where they are while the outer vectors grow.
        *slot(&mut self.args) = sys::adj_tensor_list {
            count: addresses.len() as i64,
            dtype: dtype.0,
            data: addresses.as_ptr(),
            bytes: capacities.as_ptr(),
            ..Default::default()
        };
        self.addresses.push(addresses);
        self.capacities.push(capacities);
        self
    }
}

/// Ordinary memory aligned for a workspace.
struct HostWorkspace {
    bytes: Vec<u8>,
    size: u64,
}
impl HostWorkspace {
    const ALIGNMENT: usize = 256;
    fn new(size: u64) -> Result<HostWorkspace> {
        let too_large = || Error::new(Status::OUT_OF_MEMORY, format!("a workspace of {} bytes cannot be allocated", size));
        let capacity = usize::try_from(size).ok().and_then(|s| s.checked_add(Self::ALIGNMENT)).ok_or_else(too_large)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(capacity).map_err(|_| too_large())?;
        Ok(HostWorkspace { bytes, size })
    }
    fn raw(&mut self) -> Workspace {
        let base = self.bytes.as_mut_ptr();
        let skip = base.align_offset(Self::ALIGNMENT);
        Workspace { data: base.wrapping_add(skip) as *mut c_void, bytes: self.size }
    }
}
