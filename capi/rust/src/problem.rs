//! Descriptors with lists, texts and functions of the caller.

use super::error::c_string;
use super::plan::explain_raw;
use super::{sys, Callback, Element, Error, Op, Plan, Preference, Rejection, Result, Stream, UserKernel};
use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::os::raw::c_void;

/// Fields of a descriptor that point to the caller's memory: a list of integers or of floating-point numbers, a text, bytes. The operators have
/// constants of these types, named `FIELD_...`.
pub struct Integers<O: Op>(pub(crate) fn(&mut O::Descriptor, &[i64]));
/// A list of floating-point numbers, see [`Integers`].
pub struct Reals<O: Op>(pub(crate) fn(&mut O::Descriptor, &[f64]));
/// A text, see [`Integers`].
pub struct Text<O: Op>(pub(crate) fn(&mut O::Descriptor, &CStr));
/// Bytes, see [`Integers`].
pub struct Bytes<O: Op>(pub(crate) fn(&mut O::Descriptor, &[u8]));

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
    /// [`crate::Status::INVALID_VALUE`] and that number as native code. It is dropped when the plan and its bound calls are gone.
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
