//! Plans: selection, what a kernel promises, runs and bound calls.

use super::call::HostWorkspace;
use super::error::{c_string, check, text, Report};
use super::{
    check_version, sys, Any, Argument, Backend, Determinism, Dtype, HostCall, JitPolicy, Math, Op, Rejection, Requirement, Result, Stream, TensorOp,
};
use std::fmt;
use std::marker::PhantomData;

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
    /// True: `select` measures on a device, where no verdict is known, and takes the fastest kernel that the rest of the preference accepts.
    pub tune: bool,
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
            tune: false,
        }
    }
}
impl Preference {
    /// Calls `f` with the C structure, whose string lives until `f` returns.
    fn with_raw<T>(&self, f: impl FnOnce(&sys::adj_preference) -> T) -> Result<T> {
        let sku = self.sku.as_deref().map(|s| c_string("preference.sku", s)).transpose()?;
        Ok(f(&sys::adj_preference {
            determinism: self.determinism,
            math: self.math,
            jit: self.jit,
            backend: self.backend,
            workspace_limit: self.workspace_limit,
            sku: sku.as_ref().map_or(std::ptr::null(), |s| s.as_ptr()),
            fallback: self.fallback as i32,
            workspace_arch: self.workspace_arch,
            tune: self.tune as i32,
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
            math: g.math,
            accumulator: g.accumulator,
            determinism: g.determinism,
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
            backend: info.backend,
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
pub struct Plan<O: Op = Any> {
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

impl<O: Op> Plan<O> {
    /// Picks a kernel, compiling or loading it: all slow work is here. An operator whose descriptor has lists, texts or bytes is selected by
    /// [`crate::Problem`], which borrows them.
    pub fn select(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Plan<O>>
    where
        O: TensorOp,
    {
        // SAFETY: a descriptor without pointers.
        unsafe { Plan::select_raw(stream, descriptor, preference) }
    }
    /// As [`Plan::select`], from a cache of the process: an equal problem on the same device gets the same plan in well under a
    /// microsecond, from any thread. Meant for programs that ask for a plan before every call.
    pub fn cached(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Plan<O>>
    where
        O: TensorOp,
    {
        // SAFETY: a descriptor without pointers.
        unsafe { Plan::cached_raw(stream, descriptor, preference) }
    }
    /// Every candidate in order with [`crate::Status::OK`] or why not; compiles nothing.
    pub fn explain(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Vec<Rejection>>
    where
        O: TensorOp,
    {
        explain_raw::<O>(stream, descriptor, preference)
    }
}

type PlanFunction = unsafe extern "C" fn(
    *const sys::adj_stream,
    *const sys::adj_header,
    *const sys::adj_preference,
    *mut *mut sys::adj_plan,
    *mut *mut sys::adj_error,
) -> sys::adj_status;

pub(crate) fn explain_raw<O: Op>(stream: &Stream, descriptor: &O::Descriptor, preference: &Preference) -> Result<Vec<Rejection>> {
    check_version()?;
    let descriptor = O::checked_descriptor(descriptor);
    let mut report = Report(std::ptr::null_mut());
    let status = preference.with_raw(|p| {
        // SAFETY: all pointers are valid for the call; the descriptor's header is ours.
        unsafe { sys::adj_plan_explain(&stream.0, O::descriptor_header(&descriptor), p, &mut report.0) }
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
        let descriptor = O::checked_descriptor(descriptor);
        let mut handle = std::ptr::null_mut();
        let mut report = Report(std::ptr::null_mut());
        let status = preference.with_raw(|p| {
            // SAFETY: all pointers are valid for the call; the descriptor's header is ours.
            unsafe { function(&stream.0, O::descriptor_header(&descriptor), p, &mut handle, &mut report.0) }
        })?;
        report.check(status)?;
        Ok(Plan { handle, op: PhantomData })
    }

    /// Checks element types, shapes, capacities, alignment and overlap of these buffers.
    ///
    /// # Safety
    /// The arrays of addresses and capacities of list arguments are readable. The buffers themselves are not accessed.
    pub unsafe fn can_implement(&self, args: &O::Args) -> Result<()> {
        let args = O::checked_args(args);
        check(sys::adj_plan_can_implement(self.handle, O::args_header(&args)))
    }

    /// Checks the buffers and launches; never compiles, allocates or synchronises.
    ///
    /// # Safety
    /// Every address in `args` and `workspace` is valid memory of the stream, of the stated capacity, until the work is
    /// done, and nothing else accesses the outputs and the workspace meanwhile. The stream is alive.
    pub unsafe fn run(&self, stream: &Stream, workspace: &Workspace, args: &O::Args) -> Result<()> {
        let args = O::checked_args(args);
        check(sys::adj_plan_run(self.handle, &stream.0, workspace, O::args_header(&args)))
    }

    /// As [`Plan::can_implement`], of borrowed memory.
    pub fn check_host(&self, call: &HostCall<'_, O>) -> Result<()> {
        // SAFETY: the arrays of lists belong to the call.
        unsafe { self.can_implement(call.checked()?) }
    }
    /// Runs on the host stream on borrowed memory, with a workspace of its own.
    pub fn run_host(&self, call: &mut HostCall<'_, O>) -> Result<()> {
        let args = call.checked()?;
        let mut workspace = HostWorkspace::new(self.workspace_size())?;
        let stream = Stream::host();
        // SAFETY: the call borrows every buffer for its lifetime, outputs exclusively; a plan of another stream is refused.
        unsafe { self.run(&stream, &workspace.raw(), args) }
    }

    /// Checks once and prepares calls on the same buffers; scalars by value are frozen.
    ///
    /// # Safety
    /// As for [`Plan::run`], for as long as the bound call is used; the workspace belongs to it.
    pub unsafe fn bind(&self, stream: &Stream, workspace: &Workspace, args: &O::Args) -> Result<Bound> {
        let args = O::checked_args(args);
        let mut handle = std::ptr::null_mut();
        check(sys::adj_plan_bind(self.handle, &stream.0, workspace, O::args_header(&args), &mut handle))?;
        Ok(Bound { handle })
    }

    /// Exact bytes that a run needs; 0 accepts a null workspace.
    pub fn workspace_size(&self) -> u64 {
        // SAFETY: a live handle, here and below.
        unsafe { sys::adj_plan_workspace_size(self.handle) }
    }
    /// What the plan asks of an argument: as [`crate::Problem::requirement`], with what its kernel asks besides.
    pub fn requirement(&self, argument: impl Into<Argument<O>>) -> Result<Requirement> {
        let index = argument.into().index();
        Requirement::asked(|out| unsafe { sys::adj_plan_argument(self.handle, index as i64, out) })
    }
    /// Elements of each entry of a list; none when it is absent.
    pub fn requirement_of_entries(&self, argument: impl Into<Argument<O>>) -> Result<Vec<i64>> {
        let argument = argument.into();
        let index = argument.index();
        // SAFETY: room for as many numbers as are stated.
        self.requirement(argument)?.list(|out, room| unsafe { sys::adj_plan_argument_list(self.handle, index as i64, out, room) })
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
