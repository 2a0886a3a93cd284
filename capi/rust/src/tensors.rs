//! Element types, and tensors on slices.

use super::{sys, Dtype};
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_void;

/// Element types of slices; bf16, f16 and FP8 travel as their bits.
///
/// # Safety
/// `DTYPE` describes a type of the same size, and every bit pattern that a kernel stores is a value of `Self`.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The element type of the C interface.
    const DTYPE: Dtype;
}
macro_rules! elements {
    ($($type:ty = $dtype:ident,)*) => { $(
        // SAFETY: of the size that the element type has; every bit pattern is a value.
        unsafe impl Element for $type { const DTYPE: Dtype = Dtype::$dtype; }
    )* };
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
/// The bits of an FP8 number of the format E4M3: without infinities, up to 448.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct F8E4M3(
    /// Sign, four bits of exponent, three of fraction.
    pub u8,
);
/// The bits of an FP8 number of the format E5M2: with infinities, up to 57344.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct F8E5M2(
    /// Sign, five bits of exponent, two of fraction.
    pub u8,
);
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
    Bool = BOOL, F8E4M3 = F8_E4M3, F8E5M2 = F8_E5M2,
}

/// A tensor argument over `count` elements of raw memory, such as that of a device. Its shape is left to the descriptor; `From` of
/// [`TensorRef`] and of [`TensorMut`] and [`with_shape`] state one.
pub fn tensor<T: Element>(data: *mut c_void, count: usize) -> sys::adj_tensor {
    let bytes = (count as u64).saturating_mul(std::mem::size_of::<T>() as u64);
    sys::adj_tensor { data, bytes, dtype: T::DTYPE, ..Default::default() }
}

/// The tensor with a shape stated: its extents, multiplied in groups in their order, are those that the operator names. A shape of
/// more than [`sys::ADJ_MAX_RANK`] dimensions is refused by the call that gets the tensor.
pub fn with_shape(tensor: sys::adj_tensor, shape: &[i64]) -> sys::adj_tensor {
    let stated = sys::adj_shape::from(shape);
    sys::adj_tensor { rank: i32::try_from(stated.rank).unwrap_or(i32::MAX), shape: stated.dims, ..tensor }
}

/// A tensor that is read: a shared borrow of a slice, of an array or of a vector, by `From`.
#[derive(Clone, Copy)]
pub struct TensorRef<'a>(pub(crate) sys::adj_tensor, PhantomData<&'a u8>);
/// A tensor that is written: an exclusive borrow of a slice, of an array or of a vector, by `From`.
pub struct TensorMut<'a>(pub(crate) sys::adj_tensor, PhantomData<&'a mut u8>);

// SAFETY: borrows of elements, which are plain numbers.
unsafe impl Send for TensorRef<'_> {}
unsafe impl Sync for TensorRef<'_> {}
unsafe impl Send for TensorMut<'_> {}
unsafe impl Sync for TensorMut<'_> {}

impl<'a> TensorRef<'a> {
    /// Elements of any type as their bytes, in the order of the machine. An address that is no multiple of what the operator needs is refused
    /// by the call.
    pub fn from_bytes(dtype: Dtype, bytes: &'a [u8]) -> Self {
        let data = bytes.as_ptr() as *mut c_void;
        TensorRef(sys::adj_tensor { dtype, ..tensor::<u8>(data, bytes.len()) }, PhantomData)
    }
    /// The tensor with a shape stated, as [`with_shape`] does.
    pub fn shaped(self, shape: &[i64]) -> Self {
        TensorRef(with_shape(self.0, shape), PhantomData)
    }
}
impl<'a> TensorMut<'a> {
    /// As [`TensorRef::from_bytes`].
    pub fn from_bytes(dtype: Dtype, bytes: &'a mut [u8]) -> Self {
        let data = bytes.as_mut_ptr() as *mut c_void;
        TensorMut(sys::adj_tensor { dtype, ..tensor::<u8>(data, bytes.len()) }, PhantomData)
    }
    /// As [`TensorRef::shaped`].
    pub fn shaped(self, shape: &[i64]) -> Self {
        TensorMut(with_shape(self.0, shape), PhantomData)
    }
}

impl<'a, T: Element> From<&'a [T]> for TensorRef<'a> {
    fn from(values: &'a [T]) -> Self {
        TensorRef(tensor::<T>(values.as_ptr() as *mut c_void, values.len()), PhantomData)
    }
}
impl<'a, T: Element, const N: usize> From<&'a [T; N]> for TensorRef<'a> {
    fn from(values: &'a [T; N]) -> Self {
        values[..].into()
    }
}
impl<'a, T: Element> From<&'a Vec<T>> for TensorRef<'a> {
    fn from(values: &'a Vec<T>) -> Self {
        values[..].into()
    }
}
impl<'a, T: Element> From<&'a mut [T]> for TensorMut<'a> {
    fn from(values: &'a mut [T]) -> Self {
        TensorMut(tensor::<T>(values.as_mut_ptr() as *mut c_void, values.len()), PhantomData)
    }
}
impl<'a, T: Element, const N: usize> From<&'a mut [T; N]> for TensorMut<'a> {
    fn from(values: &'a mut [T; N]) -> Self {
        (&mut values[..]).into()
    }
}
impl<'a, T: Element> From<&'a mut Vec<T>> for TensorMut<'a> {
    fn from(values: &'a mut Vec<T>) -> Self {
        (&mut values[..]).into()
    }
}
macro_rules! tensors {
    ($($name:ident)*) => {
        $(impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:?}, {} bytes)"), self.0.dtype, self.0.bytes)
            }
        }
        /// The structure of the C interface, for calls with raw arguments.
        impl From<$name<'_>> for sys::adj_tensor {
            fn from(tensor: $name<'_>) -> sys::adj_tensor {
                tensor.0
            }
        })*
    };
}
tensors! { TensorRef TensorMut }
