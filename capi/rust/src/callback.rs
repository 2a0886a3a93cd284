//! Functions of the caller: what [`Callback`] calls, and what stands for the kernel of a [`UserKernel`] on the host.

use super::{sys, Callback, Element, Plan, Preference, Problem, Result, Stream, UserKernel};
use std::os::raw::c_void;

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
        if stream.kind != sys::ADJ_STREAM_HOST || list.dtype != T::DTYPE || i as u64 >= list.count as u64 {
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
