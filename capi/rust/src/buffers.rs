//! Arguments: element types, slots of operators, and calls on slices.

use super::{sys, Dtype, Error, Op, Result, Status, Workspace};
use std::marker::PhantomData;
use std::os::raw::c_void;

/// Element types of slices; bf16 and f16 travel as their bits.
///
/// # Safety
/// `DTYPE` describes a type of the same size, and every bit pattern that a kernel stores is a value of `Self`.
pub unsafe trait Element: Copy {
    /// The element type of the C interface.
    const DTYPE: Dtype;
}
macro_rules! elements {
    ($($type:ty = $dtype:ident,)*) => { $(unsafe impl Element for $type { const DTYPE: Dtype = Dtype::$dtype; })* };
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
    Bool = BOOL,
}

/// A tensor argument over raw memory, of `count` elements; its shape is left to the descriptor.
pub fn tensor(data: *mut c_void, count: usize, dtype: Dtype, element_size: usize) -> sys::adj_tensor {
    sys::adj_tensor { data, bytes: (count * element_size) as u64, dtype: dtype.0, ..Default::default() }
}

/// The tensor with a shape stated: its extents, multiplied in groups in their order, are those that the operator names. A shape of
/// more than [`sys::ADJ_MAX_RANK`] dimensions is refused by the call that gets the tensor.
pub fn with_shape(tensor: sys::adj_tensor, shape: &[i64]) -> sys::adj_tensor {
    let mut stated = sys::adj_tensor { rank: i32::try_from(shape.len()).unwrap_or(i32::MAX), shape: Default::default(), ..tensor };
    for (to, from) in stated.shape.iter_mut().zip(shape) {
        *to = *from;
    }
    stated
}

fn tensor_of<T: Element>(data: *const T, count: usize) -> sys::adj_tensor {
    tensor(data as *mut c_void, count, T::DTYPE, std::mem::size_of::<T>())
}

/// Arguments by kind: a tensor that an operator only reads (`In`) or also writes (`Out`), a list of such tensors, a scalar. The operators
/// have constants of these types, so that an output can only be given an exclusive borrow.
pub struct In<O: Op>(pub(crate) fn(&mut O::Args) -> &mut sys::adj_tensor);
/// A tensor that the operator writes, see [`In`].
pub struct Out<O: Op>(pub(crate) fn(&mut O::Args) -> &mut sys::adj_tensor);
/// A list of tensors that the operator only reads, see [`In`].
pub struct ListIn<O: Op>(pub(crate) fn(&mut O::Args) -> &mut sys::adj_tensor_list);
/// A list of tensors that the operator writes, see [`In`].
pub struct ListOut<O: Op>(pub(crate) fn(&mut O::Args) -> &mut sys::adj_tensor_list);
/// A number, see [`In`].
pub struct Scalar<O: Op>(pub(crate) fn(&mut O::Args) -> &mut sys::adj_scalar);
/// The state of a random generator.
pub struct Random<O: Op>(pub(crate) fn(&mut O::Args) -> &mut sys::adj_random);
/// A handle of another library: a communicator, an event.
pub struct Handle<O: Op>(pub(crate) fn(&mut O::Args) -> &mut *mut c_void);

/// The arguments of one call on the host stream, on borrowed slices.
pub struct HostCall<'a, O: Op> {
    pub(crate) args: O::Args,
    addresses: Vec<Vec<*mut c_void>>,
    capacities: Vec<Vec<u64>>,
    borrows: PhantomData<&'a mut ()>,
}

impl<'a, O: Op> Default for HostCall<'a, O> {
    fn default() -> Self {
        HostCall { args: O::Args::default(), addresses: Vec::new(), capacities: Vec::new(), borrows: PhantomData }
    }
}

impl<'a, O: Op> HostCall<'a, O> {
    /// A call without arguments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a tensor that the operator reads.
    pub fn read<T: Element>(&mut self, slot: In<O>, values: &'a [T]) -> &mut Self {
        *(slot.0)(&mut self.args) = tensor_of(values.as_ptr(), values.len());
        self
    }
    /// Gives a tensor that the operator writes.
    pub fn write<T: Element>(&mut self, slot: Out<O>, values: &'a mut [T]) -> &mut Self {
        *(slot.0)(&mut self.args) = tensor_of(values.as_mut_ptr(), values.len());
        self
    }
    /// As [`HostCall::read`], with the shape stated, as [`with_shape`] does.
    pub fn read_shaped<T: Element>(&mut self, slot: In<O>, values: &'a [T], shape: &[i64]) -> &mut Self {
        *(slot.0)(&mut self.args) = with_shape(tensor_of(values.as_ptr(), values.len()), shape);
        self
    }
    /// As [`HostCall::write`], with the shape stated, as [`with_shape`] does.
    pub fn write_shaped<T: Element>(&mut self, slot: Out<O>, values: &'a mut [T], shape: &[i64]) -> &mut Self {
        *(slot.0)(&mut self.args) = with_shape(tensor_of(values.as_mut_ptr(), values.len()), shape);
        self
    }
    /// Gives a list of tensors that the operator reads.
    pub fn read_list<T: Element>(&mut self, slot: ListIn<O>, tensors: &[&'a [T]]) -> &mut Self {
        let addresses = tensors.iter().map(|t| t.as_ptr() as *mut c_void).collect();
        self.list(slot.0, T::DTYPE, addresses, tensors.iter().map(|t| std::mem::size_of_val(*t) as u64).collect())
    }
    /// Gives a list of tensors that the operator writes.
    pub fn write_list<T: Element>(&mut self, slot: ListOut<O>, tensors: Vec<&'a mut [T]>) -> &mut Self {
        let capacities = tensors.iter().map(|t| std::mem::size_of_val(&**t) as u64).collect();
        self.list(slot.0, T::DTYPE, tensors.into_iter().map(|t| t.as_mut_ptr() as *mut c_void).collect(), capacities)
    }
    /// Gives a number.
    pub fn scalar(&mut self, slot: Scalar<O>, value: f64) -> &mut Self {
        *(slot.0)(&mut self.args) = sys::adj_scalar { value, ..Default::default() };
        self
    }
    /// Gives the state of a random generator.
    pub fn random(&mut self, slot: Random<O>, seed: u64, offset: u64) -> &mut Self {
        *(slot.0)(&mut self.args) = sys::adj_random { seed, offset, ..Default::default() };
        self
    }
    /// Gives a handle.
    ///
    /// # Safety
    /// `handle` is what the argument's documentation asks for, alive until the call is done.
    pub unsafe fn handle(&mut self, slot: Handle<O>, handle: *mut c_void) -> &mut Self {
        *(slot.0)(&mut self.args) = handle;
        self
    }

    fn list(
        &mut self,
        slot: fn(&mut O::Args) -> &mut sys::adj_tensor_list,
        dtype: Dtype,
        addresses: Vec<*mut c_void>,
        capacities: Vec<u64>,
    ) -> &mut Self {
        // The vectors' heap blocks stay where they are while the outer vectors grow.
        *slot(&mut self.args) = sys::adj_tensor_list {
            count: addresses.len() as i64,
            dtype: dtype.0,
            data: addresses.as_ptr(),
            bytes: capacities.as_ptr(),
            ..Default::default()
        };
        self.addresses.push(addresses);
        self.capacities.push(capacities);
        self
    }
}

/// Ordinary memory aligned for a workspace.
pub(crate) struct HostWorkspace {
    bytes: Vec<u8>,
    size: u64,
}
impl HostWorkspace {
    const ALIGNMENT: usize = 256;
    pub(crate) fn new(size: u64) -> Result<HostWorkspace> {
        let too_large = || Error::new(Status::OUT_OF_MEMORY, format!("a workspace of {} bytes cannot be allocated", size));
        let capacity = usize::try_from(size).ok().and_then(|s| s.checked_add(Self::ALIGNMENT)).ok_or_else(too_large)?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(capacity).map_err(|_| too_large())?;
        Ok(HostWorkspace { bytes, size })
    }
    pub(crate) fn raw(&mut self) -> Workspace {
        let base = self.bytes.as_mut_ptr();
        let skip = base.align_offset(Self::ALIGNMENT);
        Workspace { data: base.wrapping_add(skip) as *mut c_void, bytes: self.size }
    }
}
