//! Arguments of operators, and calls on borrowed memory.

use super::{sys, Any, Dtype, Error, HostCommunicator, HostEvent, KnownOp, Op, Operator, Result, Status, TensorMut, TensorRef, Workspace};
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_void;

/// Where an argument lies in the structure of arguments.
pub(crate) enum Place<O: Op, T> {
    Known(fn(&mut O::Args) -> &mut T),
    /// At a byte of the arguments of an operator that was found when the program ran.
    Found(Operator, usize),
}
impl<O: Op, T> Clone for Place<O, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<O: Op, T> Copy for Place<O, T> {}

/// What the constants of arguments have in common.
pub trait ArgumentOf<O: Op>: Copy + Into<Argument<O>> + sealed::Sealed {
    /// The structure of the C interface.
    type Field;
    #[doc(hidden)]
    fn in_args<'c>(&self, call: &'c mut HostCall<'_, O>) -> Result<&'c mut Self::Field>;
    /// The argument's name.
    fn name(&self) -> &'static str;
}
mod sealed {
    pub trait Sealed {}
}

macro_rules! arguments {
    ($($(#[$meta:meta])* $name:ident: $field:ty, $words:literal;)*) => {
        $($(#[$meta])*
        pub struct $name<O: Op> {
            place: Place<O, $field>,
            index: usize,
            name: &'static str,
        }
        impl<O: Op> $name<O> {
            pub(crate) const fn known(index: usize, name: &'static str, field: fn(&mut O::Args) -> &mut $field) -> Self {
                $name { place: Place::Known(field), index, name }
            }
        }
        impl $name<Any> {
            pub(crate) fn found(operator: Operator, index: usize, name: &'static str, offset: usize) -> Self {
                $name { place: Place::Found(operator, offset), index, name }
            }
        }
        impl<O: Op> Clone for $name<O> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<O: Op> Copy for $name<O> {}
        impl<O: Op> fmt::Debug for $name<O> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.name)
            }
        }
        impl<O: Op> sealed::Sealed for $name<O> {}
        impl<O: Op> ArgumentOf<O> for $name<O> {
            type Field = $field;
            fn in_args<'c>(&self, call: &'c mut HostCall<'_, O>) -> Result<&'c mut $field> {
                call.field(self.place, self.name)
            }
            fn name(&self) -> &'static str {
                self.name
            }
        }
        impl<O: Op> From<$name<O>> for Argument<O> {
            fn from(argument: $name<O>) -> Argument<O> {
                Argument::$name(argument)
            }
        }
        /// Fails when the argument is of another kind.
        impl<O: Op> TryFrom<Argument<O>> for $name<O> {
            type Error = Error;
            fn try_from(argument: Argument<O>) -> Result<Self> {
                match argument {
                    Argument::$name(found) => Ok(found),
                    other => Err(Error::new(Status::INVALID_ARGUMENT, format!("{} is {}, not {}", other.name(), other.words(), $words))),
                }
            }
        })*

        /// An argument of an operator, of any kind.
        pub enum Argument<O: Op> {
            $(#[doc = concat!("See [`", stringify!($name), "`].")] $name($name<O>),)*
        }
        impl<O: Op> Argument<O> {
            /// Its place among the arguments.
            pub fn index(&self) -> usize {
                match self { $(Argument::$name(argument) => argument.index,)* }
            }
            /// Its name.
            pub fn name(&self) -> &'static str {
                match self { $(Argument::$name(argument) => argument.name,)* }
            }
            fn words(&self) -> &'static str {
                match self { $(Argument::$name(_) => $words,)* }
            }
        }
    };
}
arguments! {
    /// A tensor that the operator only reads. The operators have constants of this and the following types for their arguments, so that an
    /// output can only be given an exclusive borrow. Arguments that are written depending on the descriptor count as written.
    In: sys::adj_tensor, "a tensor that is read";
    /// A tensor that the operator writes.
    Out: sys::adj_tensor, "a tensor that is written";
    /// A list of tensors that the operator only reads.
    ListIn: sys::adj_tensor_list, "a list that is read";
    /// A list of tensors that the operator writes.
    ListOut: sys::adj_tensor_list, "a list that is written";
    /// A number.
    Scalar: sys::adj_scalar, "a number";
    /// A number that the operator writes when it is in memory.
    ScalarOut: sys::adj_scalar, "a number that is written";
    /// The state of a random generator.
    Random: sys::adj_random, "a random state";
    /// The state of a random generator, which the operator advances when it is in memory.
    RandomOut: sys::adj_random, "a random state that is written";
    /// A communicator or an event.
    Handle: *mut c_void, "a handle";
}
impl<O: Op> fmt::Debug for Argument<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.words())
    }
}
impl<O: Op> Clone for Argument<O> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<O: Op> Copy for Argument<O> {}

/// The arguments of one call on the host stream, on borrowed memory: outputs exclusively, inputs shared. A fault of an argument, such as a list
/// of tensors of several types, is returned by [`crate::Plan::run_host`].
///
/// A buffer must live until the call is run:
///
/// ```compile_fail,E0597
/// # use adjoint::{HostCall, SoftmaxBackward};
/// let mut call = HostCall::<SoftmaxBackward>::new();
/// {
///     let dout = [1f32; 6];
///     call.read(SoftmaxBackward::DOUT, &dout);
/// }
/// call.read(SoftmaxBackward::OUT, &[1f32; 6]);
/// ```
///
/// No input is an output at the same time, unless [`HostCall::in_place`] gives it as both:
///
/// ```compile_fail,E0502
/// # use adjoint::{HostCall, SoftmaxBackward};
/// let mut values = [1f32; 6];
/// let mut call = HostCall::<SoftmaxBackward>::new();
/// call.read(SoftmaxBackward::DOUT, &values).write(SoftmaxBackward::DINPUT, &mut values);
/// ```
///
/// An output is no input, and the argument of another operator is none of this one:
///
/// ```compile_fail,E0308
/// # use adjoint::{HostCall, SoftmaxBackward};
/// HostCall::<SoftmaxBackward>::new().read(SoftmaxBackward::DINPUT, &[1f32; 6]);
/// ```
///
/// ```compile_fail,E0308
/// # use adjoint::{HostCall, LogSoftmaxBackward, SoftmaxBackward};
/// HostCall::<SoftmaxBackward>::new().read(LogSoftmaxBackward::DOUT, &[1f32; 6]);
/// ```
pub struct HostCall<'a, O: Op = Any> {
    operator: Operator,
    pub(crate) args: O::Args,
    lists: Vec<(Vec<*mut c_void>, Vec<u64>)>,
    fault: Option<Error>,
    borrows: PhantomData<&'a mut ()>,
}

// SAFETY: what the addresses point to is borrowed, and made of elements, which are plain numbers, or of handles, which belong to no thread.
unsafe impl<O: Op> Send for HostCall<'_, O> {}

impl<O: KnownOp> Default for HostCall<'_, O> {
    fn default() -> Self {
        Self::new()
    }
}
impl<O: KnownOp> HostCall<'_, O> {
    /// A call without arguments.
    pub fn new() -> Self {
        HostCall::with(O::OPERATOR, O::Args::default())
    }
}
impl HostCall<'_, Any> {
    /// A call of an operator of the library, without arguments. [`Operator::argument`] finds them by name.
    pub fn of(operator: Operator) -> Result<Self> {
        Ok(HostCall::with(operator, operator.args()?))
    }
}

impl<'a, O: Op> HostCall<'a, O> {
    fn with(operator: Operator, args: O::Args) -> Self {
        HostCall { operator, args, lists: Vec::new(), fault: None, borrows: PhantomData }
    }

    fn field<T>(&mut self, place: Place<O, T>, name: &str) -> Result<&mut T> {
        let (operator, offset) = match place {
            Place::Known(field) => return Ok(field(&mut self.args)),
            Place::Found(operator, offset) => (operator, offset),
        };
        let memory = O::args_memory(&mut self.args);
        if operator != self.operator || offset % 8 != 0 || offset + std::mem::size_of::<T>() > std::mem::size_of_val(memory) {
            return Err(Error::new(Status::INVALID_ARGUMENT, format!("{name} is an argument of {operator}, the call is one of {}", self.operator)));
        }
        // SAFETY: inside the structure and aligned; the library's table says that the structure has a T there.
        Ok(unsafe { &mut *(memory.as_mut_ptr() as *mut u8).add(offset).cast() })
    }
    fn set<S: ArgumentOf<O>>(&mut self, argument: S, value: impl FnOnce(&mut Self) -> Result<S::Field>) -> &mut Self {
        let done = value(self).and_then(|value| argument.in_args(self).map(|field| *field = value));
        if let Err(error) = done {
            self.fault.get_or_insert(error);
        }
        self
    }
    pub(crate) fn checked(&self) -> Result<&O::Args> {
        self.fault.clone().map_or(Ok(&self.args), Err)
    }

    /// Entries of all lists that were given.
    pub(crate) fn entries(&self) -> usize {
        self.lists.iter().map(|(addresses, _)| addresses.len()).sum()
    }

    /// Gives a tensor that the operator reads.
    pub fn read(&mut self, argument: In<O>, values: impl Into<TensorRef<'a>>) -> &mut Self {
        let tensor = values.into().0;
        self.set(argument, |_| Ok(tensor))
    }
    /// Gives a tensor that the operator writes.
    pub fn write(&mut self, argument: Out<O>, values: impl Into<TensorMut<'a>>) -> &mut Self {
        let tensor = values.into().0;
        self.set(argument, |_| Ok(tensor))
    }
    /// Gives one tensor as two arguments, for an output that may be the very buffer of another argument.
    pub fn in_place(&mut self, other: impl ArgumentOf<O, Field = sys::adj_tensor>, output: Out<O>, values: impl Into<TensorMut<'a>>) -> &mut Self {
        let tensor = values.into().0;
        self.set(other, |_| Ok(tensor)).set(output, |_| Ok(tensor))
    }
    /// Gives a list of tensors that the operator reads.
    pub fn read_list<T: Into<TensorRef<'a>>>(&mut self, argument: ListIn<O>, tensors: impl IntoIterator<Item = T>) -> &mut Self {
        let tensors: Vec<_> = tensors.into_iter().map(|t| t.into().0).collect();
        self.set(argument, |call| call.list(argument.name, &tensors))
    }
    /// Gives a list of tensors that the operator writes.
    pub fn write_list<T: Into<TensorMut<'a>>>(&mut self, argument: ListOut<O>, tensors: impl IntoIterator<Item = T>) -> &mut Self {
        let tensors: Vec<_> = tensors.into_iter().map(|t| t.into().0).collect();
        self.set(argument, |call| call.list(argument.name, &tensors))
    }
    /// As [`HostCall::in_place`], for lists.
    pub fn in_place_list<T: Into<TensorMut<'a>>>(
        &mut self,
        other: impl ArgumentOf<O, Field = sys::adj_tensor_list>,
        output: ListOut<O>,
        tensors: impl IntoIterator<Item = T>,
    ) -> &mut Self {
        self.write_list(output, tensors);
        self.set(other, |call| Ok(*output.in_args(call)?))
    }
    /// Gives a list of tensors as `whole`, and the `index`-th of `parts` equal parts of each of them as `part`: what a rank brings to an
    /// [`crate::AllGather`] in place, or keeps of a [`crate::ReduceScatter`].
    pub fn in_place_parts<T: Into<TensorMut<'a>>>(
        &mut self,
        whole: impl ArgumentOf<O, Field = sys::adj_tensor_list>,
        part: impl ArgumentOf<O, Field = sys::adj_tensor_list>,
        (index, parts): (u64, u64),
        tensors: impl IntoIterator<Item = T>,
    ) -> &mut Self {
        let tensors: Vec<_> = tensors.into_iter().map(|t| t.into().0).collect();
        let fault = |text| Err(Error::new(Status::INVALID_ARGUMENT, text));
        self.set(whole, |call| call.list(whole.name(), &tensors)).set(part, |call| {
            if index >= parts {
                return fault(format!("{}: {}: there is no part {index} of {parts}", call.operator, part.name()));
            }
            let mut own = tensors;
            for tensor in &mut own {
                if tensor.bytes % parts != 0 {
                    return fault(format!("{}: {}: {} bytes have no {parts} equal parts", call.operator, whole.name(), tensor.bytes));
                }
                tensor.bytes /= parts;
                tensor.data = (tensor.data as *mut u8).wrapping_add((index * tensor.bytes) as usize).cast();
            }
            call.list(part.name(), &own)
        })
    }
    /// Gives a number by its value.
    pub fn scalar(&mut self, argument: impl ArgumentOf<O, Field = sys::adj_scalar>, value: f64) -> &mut Self {
        self.set(argument, |_| Ok(sys::adj_scalar { value, ..Default::default() }))
    }
    /// Gives a number in memory: the first element of `values`.
    pub fn scalar_at(&mut self, argument: Scalar<O>, values: impl Into<TensorRef<'a>>) -> &mut Self {
        let tensor = values.into().0;
        self.set(argument, |call| call.number(argument.name, tensor))
    }
    /// Gives a number in memory that the operator may write: the first element of `values`.
    pub fn scalar_at_mut(&mut self, argument: ScalarOut<O>, values: impl Into<TensorMut<'a>>) -> &mut Self {
        let tensor = values.into().0;
        self.set(argument, |call| call.number(argument.name, tensor))
    }
    /// Gives the state of a random generator by its value.
    pub fn random(&mut self, argument: impl ArgumentOf<O, Field = sys::adj_random>, seed: u64, offset: u64) -> &mut Self {
        self.set(argument, |_| Ok(sys::adj_random { seed, offset, ..Default::default() }))
    }
    /// Gives the state of a random generator in memory: seed and offset.
    pub fn random_at(&mut self, argument: Random<O>, state: &'a [u64; 2]) -> &mut Self {
        self.set(argument, |_| Ok(sys::adj_random { device: state.as_ptr(), ..Default::default() }))
    }
    /// Gives the state of a random generator in memory, which the operator may advance: seed and offset.
    pub fn random_at_mut(&mut self, argument: RandomOut<O>, state: &'a mut [u64; 2]) -> &mut Self {
        self.set(argument, |_| Ok(sys::adj_random { device: state.as_mut_ptr(), ..Default::default() }))
    }
    /// Gives a rank's communicator. A handle of another kind than the argument wants is refused by the run.
    pub fn communicator(&mut self, argument: Handle<O>, rank: &'a mut HostCommunicator) -> &mut Self {
        self.set(argument, |_| Ok(rank.handle()))
    }
    /// Gives an event. A handle of another kind than the argument wants is refused by the run.
    pub fn event(&mut self, argument: Handle<O>, event: &'a HostEvent) -> &mut Self {
        self.set(argument, |_| Ok(event.handle()))
    }

    fn number(&self, name: &str, tensor: sys::adj_tensor) -> Result<sys::adj_scalar> {
        match tensor.dtype.size() {
            Some(size) if tensor.bytes >= size as u64 => Ok(sys::adj_scalar { device: tensor.data, dtype: tensor.dtype, ..Default::default() }),
            _ => Err(Error::new(
                Status::BUFFER_TOO_SMALL,
                format!("{}: {name} in memory has {} bytes, no element of the type {}", self.operator, tensor.bytes, tensor.dtype),
            )),
        }
    }
    fn list(&mut self, name: &str, tensors: &[sys::adj_tensor]) -> Result<sys::adj_tensor_list> {
        let dtype = tensors.first().map_or(Dtype::NONE, |t| t.dtype);
        for (i, tensor) in tensors.iter().enumerate() {
            let fault = |code, text| Err(Error::new(code, format!("{}: {name}[{i}] {text}", self.operator)));
            if tensor.dtype != dtype {
                return fault(Status::DTYPE_MISMATCH, format!("has the type {}, {name}[0] has {}", tensor.dtype, dtype));
            }
            if tensor.rank != 0 {
                return fault(Status::SHAPE_MISMATCH, "has a shape, which the entries of a list do not state".to_string());
            }
        }
        // The heap blocks of both vectors stay where they are while the outer vector grows.
        let (addresses, capacities): (Vec<_>, Vec<_>) = tensors.iter().map(|t| (t.data, t.bytes)).unzip();
        let list =
            sys::adj_tensor_list { count: tensors.len() as i64, dtype, data: addresses.as_ptr(), bytes: capacities.as_ptr(), ..Default::default() };
        self.lists.push((addresses, capacities));
        Ok(list)
    }
}

impl<O: Op> fmt::Debug for HostCall<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostCall({})", self.operator)
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
