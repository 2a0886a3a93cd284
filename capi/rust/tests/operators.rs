//! Every operator by safe code: the cases that tests/reflection/main.cpp writes, by the types of the crate and by names alone, with equal bits.
//!
//! The file is the target tests/reflection_cases.txt of the build in ADJOINT_LIB_DIR; ADJOINT_CASES names another.
#![forbid(unsafe_code)]
use adjoint::*;
use std::collections::{BTreeMap, BTreeSet};

/// Operators whose cases need a communicator or a function; ranks.rs and problems.rs run them.
const ELSEWHERE: [&str; 11] = [
    "user_kernel",
    "callback",
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "send",
    "recv",
    "broadcast",
    "adasum_all_reduce",
    "megatron_f",
    "megatron_g",
];

// ---- values

macro_rules! buffers {
    ($($variant:ident($type:ty, $make:expr, $bits:expr),)*) => {
        #[derive(Clone, Debug)]
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)] // the names of Dtype
        enum Buffer { $($variant(Vec<$type>),)* }
        impl Buffer {
            fn new(dtype: Dtype, bytes: &[u8]) -> Buffer {
                match dtype {
                    $(Dtype::$variant => Buffer::$variant(bytes.chunks_exact(std::mem::size_of::<$type>()).map(|c| $make(c.try_into().unwrap())).collect()),)*
                    other => panic!("no buffer of the type {other:?}"),
                }
            }
            fn bytes(&self) -> Vec<u8> {
                match self { $(Buffer::$variant(values) => values.iter().flat_map(|x| $bits(*x)).collect(),)* }
            }
            fn read(&self) -> TensorRef<'_> {
                match self { $(Buffer::$variant(values) => values.into(),)* }
            }
            fn write(&mut self) -> TensorMut<'_> {
                match self { $(Buffer::$variant(values) => values.into(),)* }
            }
        }
    };
}
buffers! {
    F32(f32, f32::from_ne_bytes, f32::to_ne_bytes), F64(f64, f64::from_ne_bytes, f64::to_ne_bytes),
    F16(F16, |b| F16(u16::from_ne_bytes(b)), |x: F16| x.0.to_ne_bytes()), BF16(Bf16, |b| Bf16(u16::from_ne_bytes(b)), |x: Bf16| x.0.to_ne_bytes()),
    I8(i8, i8::from_ne_bytes, i8::to_ne_bytes), I16(i16, i16::from_ne_bytes, i16::to_ne_bytes), I32(i32, i32::from_ne_bytes, i32::to_ne_bytes),
    I64(i64, i64::from_ne_bytes, i64::to_ne_bytes), U8(u8, u8::from_ne_bytes, u8::to_ne_bytes), U16(u16, u16::from_ne_bytes, u16::to_ne_bytes),
    U32(u32, u32::from_ne_bytes, u32::to_ne_bytes), U64(u64, u64::from_ne_bytes, u64::to_ne_bytes),
    BOOL(Bool, |b: [u8; 1]| Bool(b[0]), |x: Bool| [x.0]),
    F8_E4M3(F8E4M3, |b: [u8; 1]| F8E4M3(b[0]), |x: F8E4M3| [x.0]), F8_E5M2(F8E5M2, |b: [u8; 1]| F8E5M2(b[0]), |x: F8E5M2| [x.0]),
}

fn bytes(word: &str) -> Vec<u8> {
    let digits = word.strip_prefix('.').expect("bytes begin with a dot");
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

/// The value of a field, with the memory that a list needs.
enum Stored {
    Integer(i64),
    Real(f64),
    Text(String),
    Integers(Vec<i64>),
    Reals(Vec<f64>),
    Bytes(Vec<u8>),
}
impl Stored {
    fn new(kind: FieldKind, words: &[&str]) -> Stored {
        let integers = || words.iter().map(|w| w.parse().unwrap()).collect::<Vec<i64>>();
        let chunks = || bytes(words[0]).chunks_exact(8).map(|c| c.try_into().unwrap()).collect::<Vec<[u8; 8]>>();
        match kind {
            FieldKind::I64 | FieldKind::I32 | FieldKind::DTYPE | FieldKind::POINTER => Stored::Integer(words[0].parse().unwrap()),
            FieldKind::F64 => Stored::Real(words[0].parse().unwrap()),
            FieldKind::SHAPE | FieldKind::AXES => Stored::Integers(integers()[1..].to_vec()),
            FieldKind::I64_LIST => Stored::Integers(chunks().into_iter().map(i64::from_ne_bytes).collect()),
            FieldKind::F64_LIST => Stored::Reals(chunks().into_iter().map(f64::from_ne_bytes).collect()),
            FieldKind::TEXT => Stored::Text(String::from_utf8(bytes(words[0])).unwrap()),
            FieldKind::BYTES => Stored::Bytes(bytes(words[0])),
            other => panic!("a field of the kind {other:?}"),
        }
    }
    fn value(&self) -> Value<'_> {
        match self {
            Stored::Integer(x) => (*x).into(),
            Stored::Real(x) => (*x).into(),
            Stored::Text(x) => x[..].into(),
            Stored::Integers(x) => x[..].into(),
            Stored::Reals(x) => x[..].into(),
            Stored::Bytes(x) => x[..].into(),
        }
    }
}

// ---- cases

#[derive(Clone)]
enum Give {
    Data(Vec<Vec<u8>>),
    Same(String),
    Value(f64),
    Memory(Dtype, Vec<u8>),
    Seed(u64, u64),
}
struct Case {
    operator: Operator,
    fields: Vec<(String, Stored)>,
    gives: BTreeMap<String, Give>,
    wants: BTreeMap<String, Vec<Vec<u8>>>,
    line: usize,
}

fn cases() -> (Vec<Case>, BTreeSet<String>) {
    let path = std::env::var("ADJOINT_CASES")
        .unwrap_or_else(|_| format!("{}/tests/reflection_cases.txt", std::env::var("ADJOINT_LIB_DIR").unwrap_or_default()));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}; 'ninja -C build tests/reflection_cases.txt' writes it"));
    let (mut cases, mut left, mut ended) = (Vec::<Case>::new(), BTreeSet::new(), false);
    let mut kinds = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[0] {
            "problem" => {
                let operator = Operator::find(words[1]).unwrap();
                kinds = operator.fields().unwrap().into_iter().map(|f| (f.name, f.kind)).collect();
                cases.push(Case { operator, fields: Vec::new(), gives: BTreeMap::new(), wants: BTreeMap::new(), line: number + 1 });
            }
            // A pointer is null in a case that needs no function.
            "set" if kinds[words[1]] == FieldKind::POINTER => assert_eq!(words[2], "0"),
            "set" => cases.last_mut().unwrap().fields.push((words[1].into(), Stored::new(kinds[words[1]], &words[2..]))),
            "give" => {
                let give = match words[2] {
                    "data" => Give::Data(words[3..].iter().map(|w| bytes(w)).collect()),
                    "same" => Give::Same(words[3].into()),
                    "value" => Give::Value(words[3].parse().unwrap()),
                    "memory" => Give::Memory(Dtype(words[3].parse().unwrap()), bytes(words[4])),
                    "seed" => Give::Seed(words[3].parse().unwrap(), words[4].parse().unwrap()),
                    // No communicator is given where the descriptor asks for none.
                    "handle" if words[3] == "0" => continue,
                    other => panic!("{path}:{}: {other}", number + 1),
                };
                cases.last_mut().unwrap().gives.insert(words[1].into(), give);
            }
            "want" => {
                let buffers = words[2..].iter().map(|w| bytes(w)).collect();
                cases.last_mut().unwrap().wants.insert(words[1].into(), buffers);
            }
            "left" => assert!(left.insert(words[1].to_string())),
            "end" => {
                ended = true;
                break;
            }
            other => assert_eq!(other, "run"),
        }
    }
    assert!(ended, "{path} has no end");
    (cases, left)
}

// ---- a call

/// Gives the buffers of one argument, which may be those of `sharer` as well.
fn give<'a, O: Op>(call: &mut HostCall<'a, O>, argument: Argument<O>, sharer: Option<Argument<O>>, buffers: &'a mut [Buffer], shape: Option<&[i64]>) {
    let read = |b: &'a mut Buffer| shape.map_or(b.read(), |s| b.read().shaped(s));
    let write = |b: &'a mut Buffer| match shape {
        Some(s) => b.write().shaped(s),
        None => b.write(),
    };
    let mut one = buffers.iter_mut();
    match (argument, sharer) {
        (Argument::In(argument), None) => call.read(argument, read(one.next().unwrap())),
        (Argument::Out(argument), None) => call.write(argument, write(one.next().unwrap())),
        (Argument::In(argument), Some(Argument::Out(output))) => call.in_place(argument, output, write(one.next().unwrap())),
        (Argument::Out(argument), Some(Argument::Out(output))) => call.in_place(argument, output, write(one.next().unwrap())),
        (Argument::Out(output), Some(Argument::In(argument))) => call.in_place(argument, output, write(one.next().unwrap())),
        (Argument::ListIn(argument), None) => call.read_list(argument, one.map(|b| b.read())),
        (Argument::ListOut(argument), None) => call.write_list(argument, one.map(Buffer::write)),
        (Argument::ListIn(argument), Some(Argument::ListOut(output))) => call.in_place_list(argument, output, one.map(Buffer::write)),
        (Argument::ListOut(argument), Some(Argument::ListOut(output))) => call.in_place_list(argument, output, one.map(Buffer::write)),
        (argument, sharer) => panic!("{argument:?} shared with {sharer:?}"),
    };
}

/// Runs a case and returns what its buffers hold then.
fn run<'c, O: Op>(
    case: &'c Case,
    mut problem: Problem<'c, O>,
    call: HostCall<'_, O>,
    argument_of: impl Fn(&str) -> Argument<O>,
    shaped: bool,
) -> (BTreeMap<String, Vec<Vec<u8>>>, Vec<Requirement>) {
    for (name, value) in &case.fields {
        problem.set(name, value.value()).unwrap();
    }
    let plan = problem.select(&Stream::host(), &Preference::default()).unwrap();
    let mut requirements = Vec::new();
    let mut memory = BTreeMap::new();
    let mut states: BTreeMap<&str, (Argument<O>, [u64; 2])> = BTreeMap::new();
    let mut call = call; // with borrows of this function's
    for (name, given) in &case.gives {
        let argument = argument_of(name);
        assert_eq!(argument.name(), name);
        let need = problem.requirement(argument).unwrap();
        let of_plan = plan.requirement(argument).unwrap();
        assert_eq!(Requirement { alignment: 0, ..of_plan }, need);
        requirements.push(need.clone());
        match given {
            Give::Data(data) => {
                let sharer = case
                    .gives
                    .iter()
                    .filter(|(_, g)| matches!(g, Give::Same(other) if other == name))
                    .map(|(n, _)| argument_of(n))
                    .collect::<Vec<_>>();
                assert!(sharer.len() <= 1, "line {}: {name} is shared by {sharer:?}", case.line);
                let buffers: Vec<_> = data.iter().map(|b| Buffer::new(need.dtype, b)).collect();
                if matches!(argument, Argument::ListIn(_) | Argument::ListOut(_)) {
                    let numel = problem.requirement_of_entries(argument).unwrap();
                    assert_eq!(numel, plan.requirement_of_entries(argument).unwrap());
                    let size = need.dtype.size().unwrap() as i64;
                    assert_eq!(numel.iter().map(|n| n * size).collect::<Vec<_>>(), data.iter().map(|b| b.len() as i64).collect::<Vec<_>>());
                } else {
                    assert_eq!(need.bytes, data[0].len() as u64);
                }
                memory.insert(name, (argument, sharer.first().copied(), need, buffers));
            }
            Give::Memory(_, bytes) if matches!(argument, Argument::Random(_) | Argument::RandomOut(_)) => {
                let word = |i: usize| u64::from_ne_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap());
                states.insert(name, (argument, [word(0), word(1)]));
            }
            Give::Memory(dtype, bytes) => {
                memory.insert(name, (argument, None, need, vec![Buffer::new(*dtype, bytes)]));
            }
            Give::Value(x) => match argument {
                Argument::Scalar(argument) => {
                    call.scalar(argument, *x);
                }
                Argument::ScalarOut(argument) => {
                    call.scalar(argument, *x);
                }
                other => panic!("a value for {other:?}"),
            },
            Give::Seed(seed, offset) => match argument {
                Argument::Random(argument) => {
                    call.random(argument, *seed, *offset);
                }
                Argument::RandomOut(argument) => {
                    call.random(argument, *seed, *offset);
                }
                other => panic!("a seed for {other:?}"),
            },
            Give::Same(_) => {}
        }
    }
    for (argument, sharer, need, buffers) in memory.values_mut() {
        match *argument {
            Argument::Scalar(argument) => {
                call.scalar_at(argument, buffers[0].read());
            }
            Argument::ScalarOut(argument) => {
                call.scalar_at_mut(argument, buffers[0].write());
            }
            _ => give(&mut call, *argument, *sharer, buffers, shaped.then_some(&need.shape)),
        }
    }
    for (argument, state) in states.values_mut() {
        match *argument {
            Argument::Random(argument) => {
                call.random_at(argument, state);
            }
            Argument::RandomOut(argument) => {
                call.random_at_mut(argument, state);
            }
            _ => unreachable!(),
        }
    }
    plan.check_host(&call).unwrap();
    plan.run_host(&mut call).unwrap_or_else(|e| panic!("line {}: {e}", case.line));
    let held = memory.iter().map(|(name, (_, _, _, buffers))| (name.to_string(), buffers.iter().map(Buffer::bytes).collect())).collect();
    (held, requirements)
}

struct Runner<'a> {
    cases: &'a [Case],
    run: usize,
    operators: BTreeSet<String>,
}
impl Visitor for Runner<'_> {
    fn visit<O: KnownOp>(&mut self) {
        for case in self.cases.iter().filter(|c| c.operator == O::OPERATOR) {
            let typed_argument = |name: &str| *O::ARGUMENTS.iter().find(|s| s.name() == name).unwrap();
            let (held, asked) = run(case, Problem::<O>::new(&Default::default()), HostCall::<O>::new(), typed_argument, true);
            for (name, wanted) in &case.wants {
                assert_eq!(&held[name], wanted, "{name} of {}, line {}", O::OPERATOR, case.line);
            }
            let any = Problem::of(case.operator).unwrap();
            let by_name = run(case, any, HostCall::of(case.operator).unwrap(), |name| case.operator.argument::<Argument<Any>>(name).unwrap(), false);
            assert!(by_name == (held, asked), "{} by names, line {}", O::OPERATOR, case.line);
            self.run += 1;
            self.operators.insert(O::OPERATOR.to_string());
        }
    }
}

#[test]
fn every_operator_runs_with_equal_bits() {
    let (cases, left) = cases();
    let mut runner = Runner { cases: &cases, run: 0, operators: BTreeSet::new() };
    for_each_operator(&mut runner);
    assert_eq!(runner.run, cases.len());
    assert_eq!(left, ELSEWHERE.iter().map(|s| s.to_string()).collect());
    let all: BTreeSet<String> = Operator::all().iter().map(|o| o.to_string()).collect();
    assert_eq!(&runner.operators | &left, all);
    assert!(runner.run > 1000, "{}", runner.run);
}

/// The constants of the crate are the library's arguments: place, name and kind.
#[test]
fn arguments_are_those_of_the_library() {
    struct Compare(usize);
    impl Visitor for Compare {
        fn visit<O: KnownOp>(&mut self) {
            let arguments = O::OPERATOR.arguments().unwrap();
            assert_eq!(arguments.len(), O::ARGUMENTS.len());
            for (i, (info, argument)) in arguments.iter().zip(O::ARGUMENTS).enumerate() {
                let found = info.argument.unwrap();
                assert_eq!((argument.index(), argument.name(), format!("{argument:?}")), (i, info.name, format!("{found:?}")), "{}", O::OPERATOR);
                assert_eq!(found.index(), i);
            }
            self.0 += 1;
        }
    }
    let mut compare = Compare(0);
    for_each_operator(&mut compare);
    assert_eq!(compare.0, Operator::all().len());
}
