//! Communicators and events of the host stream.

use super::error::check;
use super::{sys, Result};
use std::os::raw::c_void;

/// One rank of a communicator of threads of this process, for collectives on the host stream. A call borrows it exclusively, so that a rank is in
/// one collective at a time. Ranks that wait for a rank that was dropped, or that call later, get an error.
#[derive(Debug)]
pub struct HostCommunicator(*mut c_void);

// SAFETY: a key to a table of the library, which any thread may use.
unsafe impl Send for HostCommunicator {}
unsafe impl Sync for HostCommunicator {}

impl HostCommunicator {
    /// All ranks of a new communicator, in order.
    pub fn create(ranks: u16) -> Result<Vec<HostCommunicator>> {
        let mut handles = vec![std::ptr::null_mut(); ranks.into()];
        // SAFETY: room for as many handles as are asked for.
        check(unsafe { sys::adj_host_comm_create(ranks.into(), handles.as_mut_ptr()) })?;
        Ok(handles.into_iter().map(HostCommunicator).collect())
    }
    pub(crate) fn handle(&self) -> *mut c_void {
        self.0
    }
}
impl Drop for HostCommunicator {
    fn drop(&mut self) {
        // SAFETY: ours to give up, once.
        unsafe { sys::adj_host_comm_destroy(self.0) };
    }
}

/// An event of the host stream, for [`crate::RecordEvent`] and [`crate::WaitEvent`]. It is not recorded at first.
#[derive(Debug)]
pub struct HostEvent(*mut c_void);

// SAFETY: as above; the library locks an event.
unsafe impl Send for HostEvent {}
unsafe impl Sync for HostEvent {}

impl HostEvent {
    /// A new event.
    pub fn new() -> Result<HostEvent> {
        let mut handle = std::ptr::null_mut();
        // SAFETY: a place for the handle.
        check(unsafe { sys::adj_host_event_create(&mut handle) })?;
        Ok(HostEvent(handle))
    }
    /// Makes it as if it had not been recorded.
    pub fn reset(&self) -> Result<()> {
        // SAFETY: a live handle.
        check(unsafe { sys::adj_host_event_reset(self.0) })
    }
    pub(crate) fn handle(&self) -> *mut c_void {
        self.0
    }
}
impl Drop for HostEvent {
    fn drop(&mut self) {
        // SAFETY: ours to give up, once.
        unsafe { sys::adj_host_event_destroy(self.0) };
    }
}
