//! The operators: traits that tie a descriptor to its arguments and say which arguments are written.

use crate::reflect::Block;
use crate::{sys, Argument, Operator};

/// An operator: one that the crate knows ([`KnownOp`]), or [`Any`].
///
/// # Safety
/// Both structures begin with an `adj_header` that the functions here make right, and hold nothing that is not there.
pub unsafe trait Op: Sized + 'static {
    /// What to compute.
    type Descriptor: Clone + Default;
    /// The buffers of a call.
    type Args: Clone + Default;
    /// The descriptor with a header of ours: the caller's cannot chain or claim anything.
    #[doc(hidden)]
    fn checked_descriptor(descriptor: &Self::Descriptor) -> Self::Descriptor;
    /// The arguments with a header of ours.
    #[doc(hidden)]
    fn checked_args(args: &Self::Args) -> Self::Args;
    #[doc(hidden)]
    fn descriptor_memory(descriptor: &mut Self::Descriptor) -> &mut [u64];
    #[doc(hidden)]
    fn args_memory(args: &mut Self::Args) -> &mut [u64];
    #[doc(hidden)]
    fn descriptor_header(descriptor: &Self::Descriptor) -> *const sys::adj_header;
    #[doc(hidden)]
    fn args_header(args: &Self::Args) -> *const sys::adj_header;
}

/// An operator that the crate has types for.
///
/// # Safety
/// `OPERATOR` and `ARGUMENTS` are those of the structures, and `without_pointers` replaces every pointer.
pub unsafe trait KnownOp: Op {
    /// The operator's number.
    const OPERATOR: Operator;
    /// Its arguments, in the library's order.
    const ARGUMENTS: &'static [Argument<Self>];
    /// The descriptor with a header of ours, null in place of every pointer, and 0 in place of every list's length.
    #[doc(hidden)]
    fn without_pointers(descriptor: &Self::Descriptor) -> Self::Descriptor;
}

/// An operator whose descriptor is plain numbers.
///
/// # Safety
/// The descriptor holds no pointer.
#[cfg_attr(
    adjoint_words_of_bounds,
    diagnostic::on_unimplemented(
        message = "the descriptor of `{Self}` has lists, texts, bytes or functions, which `Plan` does not borrow",
        label = "`Problem<{Self}>` borrows them",
        note = "give them to a problem, as in `Problem::<{Self}>::new(&descriptor).integers({Self}::FIELD_..., &list).select(&stream, &preference)`"
    )
)]
pub unsafe trait TensorOp: KnownOp {}

/// Any operator of the library, chosen when the program runs: its fields and arguments have names instead of types. [`Operator`] says which
/// there are.
#[derive(Debug)]
pub enum Any {}

// SAFETY: blocks are made by the library, and only from the operator's own fields and arguments.
unsafe impl Op for Any {
    type Descriptor = Block;
    type Args = Block;
    fn checked_descriptor(descriptor: &Block) -> Block {
        descriptor.clone()
    }
    fn checked_args(args: &Block) -> Block {
        args.clone()
    }
    fn descriptor_memory(descriptor: &mut Block) -> &mut [u64] {
        descriptor.words()
    }
    fn args_memory(args: &mut Block) -> &mut [u64] {
        args.words()
    }
    fn descriptor_header(descriptor: &Block) -> *const sys::adj_header {
        descriptor.header()
    }
    fn args_header(args: &Block) -> *const sys::adj_header {
        args.header()
    }
}

/// Visitor that [`for_each_operator`] calls.
pub trait Visitor {
    /// Called for each operator.
    fn visit<O: KnownOp>(&mut self);
}

/// The words of a structure of the C interface, which has no padding.
fn memory<T: Copy>(structure: &mut T) -> &mut [u64] {
    assert!(std::mem::align_of::<T>() == 8 && std::mem::size_of::<T>() % 8 == 0);
    // SAFETY: aligned; the structure is borrowed exclusively; all its bytes are initialised, since it has no padding.
    unsafe { std::slice::from_raw_parts_mut(structure as *mut T as *mut u64, std::mem::size_of::<T>() / 8) }
}

macro_rules! operators {
    ($($(#[$meta:meta])* $name:ident: $id:ident ($descriptor_name:ident = $descriptor:ident, $args_name:ident = $args:ident) {
        $($(#[$about:meta])* [$index:literal] $constant:ident: $kind:ident = $field:ident,)*
    } fields {
        $($(#[$list_about:meta])* $list_constant:ident: $list_kind:ident = $list_field:ident $(($count:ident))?,)*
    } pointers {
        $($pointer:ident,)*
    })*) => {
        $($(#[$meta])* #[derive(Debug)] pub enum $name {}
        #[doc = concat!("What [`", stringify!($name), "`] computes.")]
        pub type $descriptor_name = sys::$descriptor;
        #[doc = concat!("The buffers of a call of [`", stringify!($name), "`].")]
        pub type $args_name = sys::$args;
        // SAFETY: structures of the library, from sys.
        unsafe impl Op for $name {
            type Descriptor = sys::$descriptor;
            type Args = sys::$args;
            fn checked_descriptor(descriptor: &Self::Descriptor) -> Self::Descriptor {
                sys::$descriptor { header: Self::Descriptor::default().header, ..*descriptor }
            }
            fn checked_args(args: &Self::Args) -> Self::Args {
                sys::$args { header: Self::Args::default().header, ..*args }
            }
            fn descriptor_memory(descriptor: &mut Self::Descriptor) -> &mut [u64] {
                memory(descriptor)
            }
            fn args_memory(args: &mut Self::Args) -> &mut [u64] {
                memory(args)
            }
            fn descriptor_header(descriptor: &Self::Descriptor) -> *const sys::adj_header {
                descriptor as *const Self::Descriptor as *const sys::adj_header
            }
            fn args_header(args: &Self::Args) -> *const sys::adj_header {
                args as *const Self::Args as *const sys::adj_header
            }
        }
        // SAFETY: written from one declaration.
        unsafe impl KnownOp for $name {
            const OPERATOR: Operator = Operator::$id;
            const ARGUMENTS: &'static [Argument<Self>] = &[$(Argument::$kind($name::$constant)),*];
            #[allow(unused_variables, clippy::needless_update)] // a descriptor need not have pointers, nor numbers
            fn without_pointers(descriptor: &Self::Descriptor) -> Self::Descriptor {
                let defaults = Self::Descriptor::default();
                sys::$descriptor { header: defaults.header, $($pointer: defaults.$pointer,)* $($($count: defaults.$count,)?)* ..*descriptor }
            }
        }
        impl $name {
            $($(#[$about])* pub const $constant: $kind<$name> = $kind::known($index, stringify!($field), |args: &mut sys::$args| &mut args.$field);)*
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

#[rustfmt::skip]
mod generated;
pub use generated::*;
