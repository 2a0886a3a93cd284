//! Descriptors with everything they point to.

use super::error::{c_string, check};
use super::plan::explain_raw;
use super::{
    sys, Any, Argument, Dtype, Error, Field, FieldKind, HostCall, KnownOp, Op, Operator, Plan, Preference, Rejection, Requirement, Result, Status,
    Stream,
};
use std::ffi::{CStr, CString};
use std::fmt;
use std::marker::PhantomData;

/// Fields of a descriptor that point to the caller's memory: a list of integers or of floating-point numbers, a text, bytes. The operators have
/// constants of these types, named `FIELD_...`.
pub struct Integers<O: Op>(pub(crate) fn(&mut O::Descriptor, &[i64]));
/// A list of floating-point numbers, see [`Integers`].
pub struct Reals<O: Op>(pub(crate) fn(&mut O::Descriptor, &[f64]));
/// A text, see [`Integers`].
pub struct Text<O: Op>(pub(crate) fn(&mut O::Descriptor, &CStr));
/// Bytes, see [`Integers`].
pub struct Bytes<O: Op>(pub(crate) fn(&mut O::Descriptor, &[u8]));

/// The value of a field that is set by its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// An integer, an element type, or a value of an enumeration.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text, or the name of an element type or of a value of an enumeration.
    Word(&'a str),
    /// A list of integers, a shape, or a list of axes.
    Integers(&'a [i64]),
    /// A list of floating-point numbers.
    Reals(&'a [f64]),
    /// Bytes.
    Bytes(&'a [u8]),
}
macro_rules! value_from {
    ($($type:ty => $variant:ident,)*) => {
        $(impl<'a> From<$type> for Value<'a> {
            fn from(value: $type) -> Self {
                Value::$variant(value.into())
            }
        })*
    };
}
value_from! { i32 => Integer, i64 => Integer, bool => Integer, f64 => Real, &'a str => Word, &'a [i64] => Integers, &'a [f64] => Reals, &'a [u8] => Bytes, }

/// A descriptor with everything it points to, on borrowed slices. It serves every operator, and selecting with it is safe.
///
/// ```no_run
/// use adjoint::{Dtype, Lion, LionDescriptor, Plan, Preference, Problem, Stream};
/// # fn main() -> Result<(), adjoint::Error> {
/// let numel = [1000, 30];
/// let descriptor = LionDescriptor { param: Dtype::F32, ..Default::default() };
/// let plan: Plan<Lion> = Problem::new(&descriptor).integers(Lion::FIELD_NUMEL, &numel).select(&Stream::host(), &Preference::default())?;
/// # Ok(())
/// # }
/// ```
///
/// A list must live until the selection:
///
/// ```compile_fail,E0716
/// # use adjoint::{Lion, Preference, Problem, Stream};
/// let mut problem = Problem::<Lion>::new(&Default::default());
/// problem.integers(Lion::FIELD_NUMEL, &vec![3; 4]);
/// problem.select(&Stream::host(), &Preference::default());
/// ```
///
/// and belongs to the operator's own fields:
///
/// ```compile_fail,E0308
/// # use adjoint::{Adam, Lion, Problem};
/// Problem::<Lion>::new(&Default::default()).integers(Adam::FIELD_NUMEL, &[3]);
/// ```
pub struct Problem<'a, O: Op = Any> {
    operator: Operator,
    descriptor: O::Descriptor,
    texts: Vec<CString>,  // a string's memory stays where it is while the vector grows
    found: Vec<Vec<i64>>, // lists of complete, likewise
    fault: Option<Error>,
    borrows: PhantomData<&'a ()>,
}

// SAFETY: the pointers of the descriptor are null or borrow plain numbers and bytes.
unsafe impl<O: Op> Send for Problem<'_, O> {}

impl<'a, O: KnownOp> Problem<'a, O> {
    /// The numbers of the descriptor. Its pointers, and the lengths of its lists, are left behind.
    pub fn new(descriptor: &O::Descriptor) -> Self {
        Problem::with(O::OPERATOR, O::without_pointers(descriptor))
    }
    /// Gives a list of integers, and its length.
    pub fn integers(&mut self, field: Integers<O>, values: &'a [i64]) -> &mut Self {
        (field.0)(&mut self.descriptor, values);
        self
    }
    /// Gives a list of floating-point numbers, and its length.
    pub fn reals(&mut self, field: Reals<O>, values: &'a [f64]) -> &mut Self {
        (field.0)(&mut self.descriptor, values);
        self
    }
    /// Gives a text. A text with a null byte is refused by the selection.
    pub fn text(&mut self, field: Text<O>, value: &str) -> &mut Self {
        match c_string("a text of the descriptor", value) {
            Ok(own) => {
                (field.0)(&mut self.descriptor, &own);
                self.texts.push(own);
            }
            Err(error) => self.fault = Some(error),
        }
        self
    }
    /// Gives bytes, and their number.
    pub fn bytes(&mut self, field: Bytes<O>, value: &'a [u8]) -> &mut Self {
        (field.0)(&mut self.descriptor, value);
        self
    }
}

impl Problem<'_, Any> {
    /// A problem of an operator of the library, with the defaults of its fields; [`Problem::set`] sets them.
    ///
    /// ```no_run
    /// use adjoint::{HostCall, Operator, Preference, Problem, Stream};
    /// # fn main() -> Result<(), adjoint::Error> {
    /// let operator = Operator::find("softmax_backward")?;
    /// let mut problem = Problem::of(operator)?;
    /// let plan = problem.set("outer", 2)?.set("extent", 3)?.set("element", "f32")?.select(&Stream::host(), &Preference::default())?;
    /// let (dout, out, mut dinput) = ([1f32; 6], [0.5f32; 6], [0f32; 6]);
    /// let mut call = HostCall::of(operator)?;
    /// call.read(operator.argument("dout")?, &dout).read(operator.argument("out")?, &out).write(operator.argument("dinput")?, &mut dinput);
    /// plan.run_host(&mut call)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn of(operator: Operator) -> Result<Self> {
        Ok(Problem::with(operator, operator.descriptor()?))
    }
}

impl<'a, O: Op> Problem<'a, O> {
    fn with(operator: Operator, descriptor: O::Descriptor) -> Self {
        Problem { operator, descriptor, texts: Vec::new(), found: Vec::new(), fault: None, borrows: PhantomData }
    }

    /// Sets a field by its name, of which [`Operator::fields`] has all.
    pub fn set(&mut self, name: &str, value: impl Into<Value<'a>>) -> Result<&mut Self> {
        let operator = self.operator;
        let fault = |code, text: String| Error::new(code, format!("{operator}: {text}"));
        let fields = operator.fields()?;
        let field = fields.iter().find(|f| f.name == name).ok_or_else(|| fault(Status::NOT_FOUND, format!("there is no field {name}")))?;
        let value = value.into();
        let words = self.words(field, value)?;
        let words = words.ok_or_else(|| fault(Status::INVALID_ARGUMENT, format!("{name} = {value:?}, expected {}", expected(field))))?;
        let memory = O::descriptor_memory(&mut self.descriptor);
        let narrow = matches!(field.kind, FieldKind::I32 | FieldKind::DTYPE);
        // A list and bytes have their length just before their pointer.
        let start = if words.length { field.offset.wrapping_sub(8) } else { field.offset };
        let bytes: Vec<u8> = words.values.iter().flat_map(|w| w.to_ne_bytes()).collect();
        let bytes = if narrow { (words.values[0] as u32).to_ne_bytes().to_vec() } else { bytes };
        if start.checked_add(bytes.len()).map_or(true, |end| end > std::mem::size_of_val(memory)) {
            return Err(fault(Status::STRUCT_SIZE, format!("{name} is a field of a newer library than this crate's")));
        }
        // SAFETY: inside the descriptor; the library's table says that it has such a field there.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), (memory.as_mut_ptr() as *mut u8).add(start), bytes.len()) };
        Ok(self)
    }

    /// Fills in the fields that were not given, from the arguments of a call that were: extents, counts, lists of element counts and element types from
    /// tensors that state their shapes ([`crate::TensorRef::shaped`]), flags from the presence of arguments. Outputs need not be given. Not given is a
    /// field with its default. Fails with a sentence that names the field that cannot be known, or what contradicts what; nothing is changed then.
    ///
    /// ```no_run
    /// use adjoint::{HostCall, Problem, SoftmaxBackward, TensorRef};
    /// # fn main() -> Result<(), adjoint::Error> {
    /// let (dout, out) = ([1f32; 24], [0.25f32; 24]);
    /// let mut call = HostCall::new();
    /// call.read(SoftmaxBackward::DOUT, TensorRef::from(&dout).shaped(&[2, 3, 4])).read(SoftmaxBackward::OUT, &out);
    /// let mut problem = Problem::<SoftmaxBackward>::new(&Default::default());
    /// problem.complete(&call)?; // outer = 2, extent = 3, inner = 4, element = f32
    /// # Ok(())
    /// # }
    /// ```
    pub fn complete(&mut self, call: &HostCall<'_, O>) -> Result<&mut Self> {
        self.checked()?;
        let args = O::checked_args(call.checked()?);
        let lists = self.operator.fields()?.iter().filter(|f| f.kind == FieldKind::I64_LIST).count();
        let mut room = vec![0; lists * call.entries()];
        let header = O::descriptor_memory(&mut self.descriptor).as_mut_ptr() as *mut sys::adj_header;
        // SAFETY: a descriptor whose pointers are null or borrowed, arguments that are borrowed, and room of the stated size, which stays where it is.
        check(unsafe { sys::adj_op_complete(header, O::args_header(&args), room.as_mut_ptr(), room.len() as i64) })?;
        self.found.push(room);
        Ok(self)
    }

    /// What is stored for a value; `None` where the field takes no such value.
    fn words(&mut self, field: &Field, value: Value<'a>) -> Result<Option<Words>> {
        let numbers = |values| Some(Words { values, length: false });
        Ok(match (field.kind, value) {
            (FieldKind::I64, Value::Integer(x)) => numbers(vec![x as u64]),
            (FieldKind::I32 | FieldKind::DTYPE, Value::Integer(x)) => i32::try_from(x).ok().and_then(|x| numbers(vec![x as u64])),
            (FieldKind::I32, Value::Word(word)) => field.choices.iter().position(|c| *c == word).and_then(|x| numbers(vec![x as u64])),
            (FieldKind::DTYPE, Value::Word(word)) => {
                let word = c_string(field.name, word)?;
                // SAFETY: valid for the call.
                let found = unsafe { sys::adj_dtype_find(word.as_ptr()) };
                (found != Dtype::NONE).then(|| numbers(vec![found.0 as u64])).flatten()
            }
            (FieldKind::F64, Value::Real(x)) => numbers(vec![x.to_bits()]),
            (FieldKind::F64, Value::Integer(x)) => numbers(vec![(x as f64).to_bits()]),
            (FieldKind::SHAPE | FieldKind::AXES, Value::Integers(list)) => {
                let shape = sys::adj_shape::from(list);
                numbers(std::iter::once(shape.rank).chain(shape.dims).map(|x| x as u64).collect())
            }
            (FieldKind::I64_LIST, Value::Integers(list)) => Some(Words { values: vec![list.len() as u64, list.as_ptr() as u64], length: true }),
            (FieldKind::F64_LIST, Value::Reals(list)) => Some(Words { values: vec![list.len() as u64, list.as_ptr() as u64], length: true }),
            (FieldKind::BYTES, Value::Bytes(list)) => Some(Words { values: vec![list.len() as u64, list.as_ptr() as u64], length: true }),
            (FieldKind::TEXT, Value::Word(text)) => {
                let own = c_string(field.name, text)?;
                let address = own.as_ptr() as u64;
                self.texts.push(own);
                numbers(vec![address])
            }
            _ => None,
        })
    }

    pub(crate) fn checked(&self) -> Result<&O::Descriptor> {
        self.fault.clone().map_or(Ok(&self.descriptor), Err)
    }
    /// As [`Plan::select`].
    pub fn select(&self, stream: &Stream, preference: &Preference) -> Result<Plan<O>> {
        // SAFETY: every pointer is null or borrowed, and read during the call only.
        unsafe { Plan::select_raw(stream, self.checked()?, preference) }
    }
    /// As [`Plan::cached`].
    pub fn cached(&self, stream: &Stream, preference: &Preference) -> Result<Plan<O>> {
        // SAFETY: as above.
        unsafe { Plan::cached_raw(stream, self.checked()?, preference) }
    }
    /// As [`Plan::explain`].
    pub fn explain(&self, stream: &Stream, preference: &Preference) -> Result<Vec<Rejection>> {
        explain_raw::<O>(stream, self.checked()?, preference)
    }
    /// What the problem asks of an argument. Needs no device; fails as a selection does when the descriptor is not valid or has element types that
    /// the operator does not serve.
    pub fn requirement(&self, argument: impl Into<Argument<O>>) -> Result<Requirement> {
        let (header, index) = (O::descriptor_header(self.checked()?), argument.into().index());
        // SAFETY: a descriptor whose pointers are null or borrowed, and a place for the result.
        Requirement::asked(|out| unsafe { sys::adj_op_infer(header, index as i64, out) })
    }
    /// Elements of each entry of a list; none when it is absent.
    pub fn requirement_of_entries(&self, argument: impl Into<Argument<O>>) -> Result<Vec<i64>> {
        let argument = argument.into();
        let (header, index) = (O::descriptor_header(self.checked()?), argument.index());
        // SAFETY: as above, with room for as many numbers as are stated.
        self.requirement(argument)?.list(|out, room| unsafe { sys::adj_op_infer_list(header, index as i64, out, room) })
    }
}

/// What a field is made of. length: the first is the length that stands just before the field.
struct Words {
    values: Vec<u64>,
    length: bool,
}

fn expected(field: &Field) -> String {
    if !field.choices.is_empty() {
        return format!("a number or one of {}", field.choices.join(", "));
    }
    match field.kind {
        FieldKind::I64 | FieldKind::I32 => "an integer",
        FieldKind::DTYPE => "an element type",
        FieldKind::F64 => "a number",
        FieldKind::SHAPE | FieldKind::AXES | FieldKind::I64_LIST => "a list of integers",
        FieldKind::F64_LIST => "a list of floating-point numbers",
        FieldKind::TEXT => "a text",
        FieldKind::BYTES => "bytes",
        FieldKind::POINTER => "a function or its data, which the methods of Problem<Callback> and Problem<UserKernel> give",
        _ => "what this crate does not know",
    }
    .to_string()
}

impl<O: Op> fmt::Debug for Problem<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Problem({})", self.operator)
    }
}
