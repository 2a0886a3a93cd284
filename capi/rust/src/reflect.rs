//! What the library says of its operators, which may be more than the crate knows.

use super::error::check;
use super::{
    sys, Any, Argument, ArgumentKind, Dtype, Error, FieldKind, Handle, In, ListIn, ListOut, Operator, Out, Presence, Random, RandomOut, Result, Role,
};
use super::{Scalar, ScalarOut, Status};
use std::ffi::CStr;
use std::fmt;
use std::ops::RangeInclusive;
use std::os::raw::{c_char, c_void};

/// A structure of the C interface, a descriptor or arguments, of an operator that was found when the program ran.
#[derive(Clone)]
pub struct Block(Vec<u64>);
impl Block {
    pub(crate) fn header(&self) -> *const sys::adj_header {
        self.0.as_ptr().cast()
    }
    pub(crate) fn words(&mut self) -> &mut [u64] {
        &mut self.0
    }
    fn made(size: u64, init: unsafe extern "C" fn(Operator, *mut c_void, u64) -> Status, operator: Operator) -> Result<Block> {
        let mut words = vec![0u64; (size as usize + 7) / 8];
        // SAFETY: memory of the stated size.
        check(unsafe { init(operator, words.as_mut_ptr().cast(), size) })?;
        Ok(Block(words))
    }
}
/// A header without a tag, which every call refuses.
impl Default for Block {
    fn default() -> Block {
        Block(vec![std::mem::size_of::<sys::adj_header>() as u64, 0, 0])
    }
}
impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({} bytes)", 8 * self.0.len())
    }
}

/// A text of the library, which lives as long as the program.
fn lasting(s: *const c_char) -> Option<&'static str> {
    // SAFETY: null or null-terminated; the library is linked, so it stays.
    (!s.is_null()).then(|| unsafe { CStr::from_ptr(s) }).and_then(|s| s.to_str().ok())
}

/// A field of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, "outer".
    pub name: &'static str,
    /// Of an enumeration: the names of its values from 0 on. Empty otherwise.
    pub choices: Vec<&'static str>,
    /// Range, meaning, what 0 stands for; may be empty.
    pub about: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    pub(crate) offset: usize,
}

/// What the header states of the values of a field. Other values are refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Of an integer, and of the entries of a list of integers.
    pub integers: RangeInclusive<i64>,
    /// Of a number. It includes infinities where they are not refused.
    pub numbers: RangeInclusive<f64>,
    /// The least number itself is refused.
    pub above_least: bool,
    /// The greatest number itself is refused.
    pub below_most: bool,
    /// An infinite number is refused.
    pub finite: bool,
    /// A NaN is refused.
    pub number: bool,
    /// Of an element type: those that it may be, "f32, f64". Empty where the SKUs say it.
    pub types: &'static str,
    /// A condition on other fields, without which the field has its default; may be empty.
    pub only_if: &'static str,
    /// Each is "condition: why".
    pub refused_if: Vec<&'static str>,
}

/// An argument of an operator.
#[derive(Clone, Debug)]
pub struct ArgumentInfo {
    /// Its name, "dinput".
    pub name: &'static str,
    /// Type, shape and meaning, in the names of fields.
    pub about: &'static str,
    /// What is given: a tensor, a list, a number, ...
    pub kind: ArgumentKind,
    /// Whether it is read, written or both; it is both when that depends on the descriptor.
    pub role: Role,
    /// Whether it must be given.
    pub presence: Presence,
    /// Ordinary memory, whatever the stream.
    pub host: bool,
    /// Places of the arguments whose very buffer this output may be.
    pub may_equal: Vec<usize>,
    /// With which a call gets it; `None` for a kind that this crate does not know.
    pub argument: Option<Argument<Any>>,
}

/// What a problem asks of one argument. All that follows the presence is 0 when it is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Required, optional or absent, that is to be left out.
    pub presence: Presence,
    /// Element type, of a number in memory as well.
    pub dtype: Dtype,
    /// Numbers in memory: a second type that is accepted, or [`Dtype::NONE`].
    pub other_dtype: Dtype,
    /// Numbers in memory: every floating-point type is accepted.
    pub any_float: bool,
    /// Numbers and random states: a value is refused, it must be in memory.
    pub device_only: bool,
    /// Of a tensor.
    pub shape: Vec<i64>,
    /// Entries of a list.
    pub count: i64,
    /// Least capacity, of a list for all its entries together.
    pub bytes: u64,
    /// Of a tensor's address; 0 where no plan says it.
    pub alignment: u64,
}
impl Requirement {
    pub(crate) fn asked(ask: impl FnOnce(&mut sys::adj_requirement) -> Status) -> Result<Requirement> {
        let mut r = sys::adj_requirement::default();
        check(ask(&mut r))?;
        Ok(Requirement {
            presence: r.presence,
            dtype: r.dtype,
            other_dtype: r.other_dtype,
            any_float: r.any_float != 0,
            device_only: r.device_only != 0,
            shape: r.shape[..r.rank as usize].to_vec(),
            count: r.count,
            bytes: r.bytes,
            alignment: r.alignment,
        })
    }
    /// Elements of the entries of a list. `ask` writes them to memory with room for so many.
    pub(crate) fn list(&self, ask: impl FnOnce(*mut i64, i64) -> Status) -> Result<Vec<i64>> {
        let mut numel = vec![0; self.count as usize];
        check(ask(numel.as_mut_ptr(), self.count))?;
        Ok(numel)
    }
}

/// The library's name for it; the number of an operator that the library does not know.
impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{}", self.0),
        }
    }
}

impl Operator {
    /// Every operator of the library, in the order of the numbers.
    pub fn all() -> Vec<Operator> {
        // SAFETY: no pointers, here and below.
        (0..unsafe { sys::adj_op_count() }).map(|i| unsafe { sys::adj_op_at(i) }).collect()
    }
    /// The operator of this name, "softmax_backward".
    pub fn find(name: &str) -> Result<Operator> {
        let name = super::error::c_string("the name of an operator", name)?;
        let mut operator = Operator::NONE;
        // SAFETY: both pointers are valid for the call.
        check(unsafe { sys::adj_op_find(name.as_ptr(), &mut operator) })?;
        Ok(operator)
    }
    /// Its name; `None` for an operator that the library does not know, here and below.
    pub fn name(self) -> Option<&'static str> {
        lasting(unsafe { sys::adj_op_name(self) })
    }
    /// The family that it is documented with, "loss".
    pub fn family(self) -> Option<&'static str> {
        lasting(unsafe { sys::adj_op_family(self) })
    }
    /// What it computes: formula, edge cases, terms of the guarantee.
    pub fn definition(self) -> Option<&'static str> {
        lasting(unsafe { sys::adj_op_definition(self) })
    }
    /// What holds for all operators of its family.
    pub fn conventions(self) -> Option<&'static str> {
        lasting(unsafe { sys::adj_op_conventions(self) })
    }
    /// Fields of its descriptor; none for an operator that the library does not know.
    pub fn fields(self) -> Result<Vec<Field>> {
        (0..unsafe { sys::adj_op_field_count(self) })
            .map(|i| {
                let mut field = sys::adj_field::default();
                // SAFETY: `field` is valid for the call.
                check(unsafe { sys::adj_op_field(self, i, &mut field) })?;
                Ok(Field {
                    name: lasting(field.name).unwrap_or(""),
                    choices: lasting(field.choices).map_or(Vec::new(), |names| names.split(',').collect()),
                    about: lasting(field.about).unwrap_or(""),
                    kind: field.kind,
                    offset: field.offset as usize,
                })
            })
            .collect()
    }
    /// What the header states of the values of the field of this name.
    pub fn limits(self, name: &str) -> Result<Limits> {
        let none = || Error::new(Status::NOT_FOUND, format!("{self}: there is no field {name}"));
        let i = self.fields()?.iter().position(|field| field.name == name).ok_or_else(none)?;
        let mut limits = sys::adj_field_limits::default();
        // SAFETY: `limits` is valid for the call.
        check(unsafe { sys::adj_op_field_limits(self, i as i64, &mut limits) })?;
        Ok(Limits {
            integers: limits.least..=limits.most,
            numbers: limits.least_real..=limits.most_real,
            above_least: limits.above_least != 0,
            below_most: limits.below_most != 0,
            finite: limits.finite != 0,
            number: limits.number != 0,
            types: lasting(limits.types).unwrap_or(""),
            only_if: lasting(limits.only_if).unwrap_or(""),
            refused_if: lasting(limits.refused_if).map_or(Vec::new(), |lines| lines.lines().collect()),
        })
    }
    /// Its arguments; none for an operator that the library does not know.
    pub fn arguments(self) -> Result<Vec<ArgumentInfo>> {
        (0..unsafe { sys::adj_op_argument_count(self) })
            .map(|i| {
                let mut a = sys::adj_argument::default();
                // SAFETY: `a` is valid for the call.
                check(unsafe { sys::adj_op_argument(self, i, &mut a) })?;
                Ok(self.argument_info(i as usize, &a))
            })
            .collect()
    }
    fn argument_info(self, index: usize, a: &sys::adj_argument) -> ArgumentInfo {
        let (name, offset) = (lasting(a.name).unwrap_or(""), a.offset as usize);
        let read = a.role == Role::IN;
        let argument = match (a.kind, read) {
            (ArgumentKind::TENSOR, true) => Some(In::found(self, index, name, offset).into()),
            (ArgumentKind::TENSOR, false) => Some(Out::found(self, index, name, offset).into()),
            (ArgumentKind::LIST, true) => Some(ListIn::found(self, index, name, offset).into()),
            (ArgumentKind::LIST, false) => Some(ListOut::found(self, index, name, offset).into()),
            (ArgumentKind::SCALAR, true) => Some(Scalar::found(self, index, name, offset).into()),
            (ArgumentKind::SCALAR, false) => Some(ScalarOut::found(self, index, name, offset).into()),
            (ArgumentKind::RANDOM, true) => Some(Random::found(self, index, name, offset).into()),
            (ArgumentKind::RANDOM, false) => Some(RandomOut::found(self, index, name, offset).into()),
            (ArgumentKind::HANDLE, _) => Some(Handle::found(self, index, name, offset).into()),
            _ => None,
        };
        ArgumentInfo {
            name,
            about: lasting(a.about).unwrap_or(""),
            kind: a.kind,
            role: a.role,
            presence: a.presence,
            host: a.host != 0,
            may_equal: (0..32).filter(|i| a.may_equal >> i & 1 != 0).collect(),
            argument,
        }
    }
    /// The argument of this name, as the kind that the caller takes it for:
    ///
    /// ```no_run
    /// # use adjoint::{Any, In, Operator};
    /// let dout: In<Any> = Operator::SOFTMAX_BACKWARD.argument("dout")?;
    /// # Ok::<(), adjoint::Error>(())
    /// ```
    pub fn argument<S: TryFrom<Argument<Any>>>(self, name: &str) -> Result<S>
    where
        S::Error: Into<Error>,
    {
        let found = self.arguments()?.into_iter().find(|a| a.name == name).and_then(|a| a.argument);
        let none = || Error::new(Status::NOT_FOUND, format!("{self}: there is no argument {name}"));
        S::try_from(found.ok_or_else(none)?).map_err(|error| {
            let error = error.into();
            Error::new(error.code, format!("{self}: {}", error.message))
        })
    }

    pub(crate) fn descriptor(self) -> Result<Block> {
        Block::made(unsafe { sys::adj_op_descriptor_size(self) }, sys::adj_op_descriptor_init, self)
    }
    pub(crate) fn args(self) -> Result<Block> {
        Block::made(unsafe { sys::adj_op_args_size(self) }, sys::adj_op_args_init, self)
    }
}
