//! Errors of calls, with what the library says about them.

use super::{sys, Status};
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;

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
    /// CUresult, nvrtcResult, cudnnStatus_t, cublasStatus_t or ncclResult_t; 0 when none is involved.
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

/// For conversions that cannot fail.
impl From<std::convert::Infallible> for Error {
    fn from(never: std::convert::Infallible) -> Error {
        match never {}
    }
}

impl Error {
    /// An error found on this side of the interface.
    pub(crate) fn new(code: Status, message: String) -> Error {
        Error { code, message, native: 0, log: String::new(), options: String::new(), rejections: Vec::new() }
    }
}

/// A copy of a string of the library; empty for null.
pub(crate) fn text(s: *const c_char) -> String {
    if s.is_null() {
        return String::new();
    }
    // SAFETY: the library returns null-terminated strings that live at least until the next call of this thread.
    unsafe { CStr::from_ptr(s) }.to_string_lossy().into_owned()
}

pub(crate) fn check(status: Status) -> Result<()> {
    if status == Status::OK {
        return Ok(());
    }
    // SAFETY: never null.
    let mut error = Error::new(status, text(unsafe { sys::adj_last_error() }));
    // SAFETY: no pointers.
    error.native = unsafe { sys::adj_last_native_code() };
    Err(error)
}

/// An error object of the library, released on drop.
pub(crate) struct Report(pub(crate) *mut sys::adj_error);
impl Report {
    pub(crate) fn rejections(&self) -> Result<Vec<Rejection>> {
        // SAFETY: null or a live object of ours, as in every call below; null gives a count of 0.
        let count = unsafe { sys::adj_error_rejection_count(self.0) };
        (0..count)
            .map(|i| {
                let mut info = sys::adj_rejection::default();
                check(unsafe { sys::adj_error_rejection(self.0, i, &mut info) })?;
                Ok(Rejection { sku: text(info.sku), code: info.code, reason: text(info.reason) })
            })
            .collect()
    }
    pub(crate) fn check(&self, status: Status) -> Result<()> {
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

pub(crate) fn c_string(what: &str, value: &str) -> Result<CString> {
    CString::new(value).map_err(|_| Error::new(Status::INVALID_ARGUMENT, format!("{} contains a null byte: {:?}", what, value)))
}
