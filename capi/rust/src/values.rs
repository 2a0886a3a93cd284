//! Enumerations: types around `i32`, since the library may return values that the crate does not know.
//!
//! tools/generate.py writes `generated.rs`; the macro here turns it into types.

use super::error::text;
use super::sys;
use std::fmt;

macro_rules! values {
    ($($(#[$meta:meta])* $name:ident { $($(#[$about:meta])* $constant:ident = $value:literal,)* })*) => {
        $($(#[$meta])* #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)] #[repr(transparent)]
        pub struct $name(
            /// The number in the C interface.
            pub i32,
        );
        impl $name { $($(#[$about])* pub const $constant: $name = $name($value);)* }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    $($value => f.write_str(concat!(stringify!($name), "::", stringify!($constant))),)*
                    other => write!(f, concat!(stringify!($name), "({})"), other),
                }
            }
        }
        impl From<$name> for crate::Value<'_> {
            fn from(value: $name) -> Self {
                crate::Value::Integer(value.0.into())
            }
        })*
    };
}

#[rustfmt::skip]
mod generated;
pub use generated::*;

/// The library's name for it, "buffer_too_small".
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the name is a string that lives as long as the library.
        f.write_str(&text(unsafe { sys::adj_status_name(*self) }))
    }
}

/// The library's name for it, "bf16"; the number of an unknown type.
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: as above; null for an unknown type.
        let name = text(unsafe { sys::adj_dtype_name(*self) });
        if name.is_empty() {
            write!(f, "{}", self.0)
        } else {
            f.write_str(&name)
        }
    }
}

impl Dtype {
    /// Bytes of an element; `None` for [`Dtype::NONE`] and for a type that this crate does not know.
    pub fn size(self) -> Option<usize> {
        match self {
            Dtype::U8 | Dtype::I8 | Dtype::BOOL | Dtype::F8_E4M3 | Dtype::F8_E5M2 | Dtype::F8_E8M0 => Some(1),
            Dtype::U16 | Dtype::I16 | Dtype::F16 | Dtype::BF16 => Some(2),
            Dtype::F32 | Dtype::I32 | Dtype::U32 => Some(4),
            Dtype::F64 | Dtype::I64 | Dtype::U64 => Some(8),
            _ => None,
        }
    }
}
