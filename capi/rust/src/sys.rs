//! The C interface (`adjoint.h`), name for name. Enumerations are types around `i32` with constants: a value that this
//! version does not know is data, never undefined behaviour.
//!
//! tools/generate.py writes `generated.rs`, which has all of it; the macros here turn it into Rust.
//!
//! `tests/layout.rs` compares every structure, field, constant and function here with the golden layout of the C headers.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_void};

/// One structure as the compiler laid it out.
#[doc(hidden)]
pub struct StructLayout {
    pub name: &'static str,
    pub size: usize,
    pub align: usize,
    /// name, offset, size, type as written
    pub fields: Vec<(&'static str, usize, usize, &'static str)>,
}

#[doc(hidden)]
pub fn size_behind<T>(_: *const T) -> usize {
    std::mem::size_of::<T>()
}

macro_rules! structures {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$about:meta])* $field:ident: $type:ty,)* })*) => {
        $($(#[$meta])* #[repr(C)] #[derive(Clone, Copy, Debug)] pub struct $name { $($(#[$about])* pub $field: $type,)* })*

        #[doc(hidden)]
        pub fn layouts() -> Vec<StructLayout> {
            vec![$({
                let place = std::mem::MaybeUninit::<$name>::uninit();
                let base = place.as_ptr();
                StructLayout {
                    name: stringify!($name),
                    size: std::mem::size_of::<$name>(),
                    align: std::mem::align_of::<$name>(),
                    // SAFETY: addr_of! only computes addresses inside `place`.
                    fields: vec![$(unsafe {
                        let field = std::ptr::addr_of!((*base).$field);
                        (stringify!($field), field as usize - base as usize, size_behind(field), stringify!($type))
                    }),*],
                }
            }),*]
        }
    };
}

macro_rules! constants {
    ($($(#[$meta:meta])* $name:ident: $type:ident = $value:literal,)*) => {
        $(constants! { @one $(#[$meta])* $name: $type = $value })*
        #[doc(hidden)]
        pub const CONSTANTS: &[(&str, i32)] = &[$((stringify!($name), $value)),*];
    };
    (@one $(#[$meta:meta])* $name:ident: i32 = $value:literal) => { $(#[$meta])* pub const $name: i32 = $value; };
    (@one $(#[$meta:meta])* $name:ident: $type:ident = $value:literal) => { $(#[$meta])* pub const $name: $type = $type($value); };
}

macro_rules! functions {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        extern "C" { $($(#[$meta])* pub fn $name($($argument: $type),*) $(-> $result)?;)* }
        /// name, types of the parameters, type of the result ("" for none)
        #[doc(hidden)]
        pub const FUNCTIONS: &[(&str, &[&str], &str)] =
            &[$((stringify!($name), &[$(stringify!($type)),*], concat!($(stringify!($result))?))),*];
    };
}

/// Most dimensions of a tensor.
pub const ADJ_MAX_RANK: usize = 8;

macro_rules! opaque {
    ($($name:ident)*) => {
        $(#[doc = concat!("The handle ", stringify!($name), " of adjoint.h.")] #[repr(C)] #[derive(Debug)] pub struct $name { opaque: [u8; 0] })*
    };
}

macro_rules! defaults {
    ($($name:ident $tag:ident { $($field:ident: $value:expr),* })*) => {
        $(impl Default for $name {
            /// Size and tag filled in, and the defaults that the C headers give.
            fn default() -> Self {
                // SAFETY: zero is a value of every field: integers, floats, pointers, optional functions.
                let mut s: Self = unsafe { std::mem::zeroed() };
                s.header.struct_size = std::mem::size_of::<Self>() as u64;
                s.header.tag = $tag;
                $(s.$field = $value;)*
                s
            }
        })*
    };
}

macro_rules! zero_defaults {
    ($($name:ident)*) => {
        $(impl Default for $name {
            fn default() -> Self {
                // SAFETY: zero is a value of every field: integers, floats and pointers.
                unsafe { std::mem::zeroed() }
            }
        })*
    };
}

#[rustfmt::skip]
mod generated;
pub use generated::*;

/// A shape of more than [`ADJ_MAX_RANK`] dimensions is refused by the call that gets it.
impl From<&[i64]> for adj_shape {
    fn from(extents: &[i64]) -> adj_shape {
        let mut shape = adj_shape { rank: extents.len() as i64, ..Default::default() };
        for (to, from) in shape.dims.iter_mut().zip(extents) {
            *to = *from;
        }
        shape
    }
}

/// A list of more than [`ADJ_MAX_RANK`] axes is refused by the call that gets it.
impl From<&[i64]> for adj_axes {
    fn from(axes: &[i64]) -> adj_axes {
        let shape = adj_shape::from(axes);
        adj_axes { count: shape.rank, at: shape.dims }
    }
}

macro_rules! from_arrays {
    ($($name:ident)*) => {
        $(impl<const N: usize> From<[i64; N]> for $name {
            fn from(values: [i64; N]) -> $name {
                values[..].into()
            }
        }
        impl<const N: usize> From<&[i64; N]> for $name {
            fn from(values: &[i64; N]) -> $name {
                values[..].into()
            }
        })*
    };
}
from_arrays! { adj_shape adj_axes }
