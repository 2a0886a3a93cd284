//! The operators: traits that tie a descriptor to its arguments and say which arguments are written.

use crate::sys;

/// An operator.
///
/// # Safety
/// Both structures begin with an `adj_header`, their defaults carry the right size and tag, and they are the library's.
pub unsafe trait Op: Sized + 'static {
    /// The operator's number.
    const ID: i32;
    /// What to compute: the structure of [`sys`].
    type Descriptor: Copy + Default;
    /// The buffers of a call: the structure of [`sys`].
    type Args: Copy + Default;
    /// The descriptor with a header of ours: the caller's cannot chain or claim anything.
    #[doc(hidden)]
    fn fresh_header(descriptor: &Self::Descriptor) -> Self::Descriptor;
    /// The descriptor with a header of ours, null in place of every pointer, and 0 in place of every list's length.
    #[doc(hidden)]
    fn without_pointers(descriptor: &Self::Descriptor) -> Self::Descriptor;
    #[doc(hidden)]
    fn fresh_args_header(args: &Self::Args) -> Self::Args;
}

/// An operator whose descriptor is plain numbers.
///
/// # Safety
/// The descriptor holds no pointer.
pub unsafe trait TensorOp: Op {}

/// An operator over lists of tensors; the descriptor points to their sizes: element counts, or lengths along an axis.
///
/// # Safety
/// `with_numel` replaces every pointer of the descriptor.
pub unsafe trait ListOp: Op {
    #[doc(hidden)]
    fn with_numel(descriptor: &Self::Descriptor, numel: &[i64]) -> Self::Descriptor;
}

/// Visitor that [`for_each_operator`] calls.
pub trait Visitor {
    /// Called for each operator.
    fn visit<O: Op>(&mut self);
}

macro_rules! operators {
    ($($(#[$meta:meta])* $name:ident = $id:ident ($descriptor:ident, $args:ident) {
        $($(#[$about:meta])* $constant:ident: $kind:ident = $field:ident,)*
    } fields {
        $($(#[$list_about:meta])* $list_constant:ident: $list_kind:ident = $list_field:ident $(($count:ident))?,)*
    } pointers {
        $($pointer:ident,)*
    })*) => {
        $($(#[$meta])* #[derive(Debug)] pub enum $name {}
        // SAFETY: structures of the library, from sys.
        unsafe impl Op for $name {
            const ID: i32 = sys::$id;
            type Descriptor = sys::$descriptor;
            type Args = sys::$args;
            fn fresh_header(descriptor: &Self::Descriptor) -> Self::Descriptor {
                sys::$descriptor { header: Self::Descriptor::default().header, ..*descriptor }
            }
            #[allow(unused_variables)] // a descriptor need not have pointers
            fn without_pointers(descriptor: &Self::Descriptor) -> Self::Descriptor {
                let defaults = Self::Descriptor::default();
                sys::$descriptor { header: defaults.header, $($pointer: defaults.$pointer,)* $($($count: defaults.$count,)?)* ..*descriptor }
            }
            fn fresh_args_header(args: &Self::Args) -> Self::Args {
                sys::$args { header: Self::Args::default().header, ..*args }
            }
        }
        impl $name {
            $($(#[$about])* pub const $constant: $kind<$name> = $kind(|args: &mut sys::$args| &mut args.$field);)*
            $($(#[$list_about])* pub const $list_constant: $list_kind<$name> = $list_kind(|descriptor: &mut sys::$descriptor, list| {
                $(descriptor.$count = list.len() as i64;)?
                descriptor.$list_field = list.as_ptr() as _;
            });)*
        })*

        /// Visits every operator, in the order of their numbers.
        pub fn for_each_operator(visitor: &mut impl Visitor) {
            $(visitor.visit::<$name>();)*
        }
    };
}

macro_rules! tensor_operators {
    ($($name:ident),*) => {
        // SAFETY: integers and floats only.
        $(unsafe impl TensorOp for $name {})*
    };
}

macro_rules! list_operators {
    ($($name:ident($count:ident, $sizes:ident)),*) => {
        // SAFETY: the sizes are the only pointer; select copies what it points to.
        $(unsafe impl ListOp for $name {
            fn with_numel(descriptor: &Self::Descriptor, numel: &[i64]) -> Self::Descriptor {
                Self::Descriptor { $count: numel.len() as i64, $sizes: numel.as_ptr(), ..*descriptor }
            }
        })*
    };
}

mod generated;
pub use generated::*;
