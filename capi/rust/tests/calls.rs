//! Calls: faults of arguments, buffers given twice, numbers in memory, threads, and operators by their names. In safe code.
#![forbid(unsafe_code)]
use adjoint::*;

fn softmax() -> Plan<SoftmaxBackward> {
    let descriptor = SoftmaxBackwardDescriptor { outer: 2, extent: 3, element: Dtype::F32, ..Default::default() };
    Plan::select(&Stream::host(), &descriptor, &Preference::default()).unwrap()
}
const OUT: [f32; 6] = [0.2, 0.3, 0.5, 0.25, 0.25, 0.5];
const DOUT: [f32; 6] = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];

fn gradient() -> [f32; 6] {
    let mut dinput = [9f32; 6];
    let mut call = HostCall::new();
    call.read(SoftmaxBackward::DOUT, &DOUT).read(SoftmaxBackward::OUT, &OUT).write(SoftmaxBackward::DINPUT, &mut dinput);
    softmax().run_host(&mut call).unwrap();
    dinput
}

#[test]
fn a_gradient_takes_the_place_of_its_input() {
    assert!((gradient()[0] - 0.16).abs() < 1e-6);
    let mut values = DOUT.to_vec();
    let mut call = HostCall::new();
    call.read(SoftmaxBackward::OUT, &OUT).in_place(SoftmaxBackward::DOUT, SoftmaxBackward::DINPUT, &mut values);
    softmax().check_host(&call).unwrap();
    softmax().run_host(&mut call).unwrap();
    assert_eq!(values, gradient());
}

#[test]
fn buffers_that_are_given_twice_where_it_is_not_allowed() {
    let plan: Plan<EmbeddingForward> = Plan::select(
        &Stream::host(),
        &EmbeddingForwardDescriptor {
            num_embeddings: 2,
            embedding_dim: 2,
            num_indices: 2,
            element: Dtype::F32,
            index: Dtype::I64,
            ..Default::default()
        },
        &Preference::default(),
    )
    .unwrap();
    let mut values = [1f32, 2.0, 3.0, 4.0];
    let mut call = HostCall::new();
    call.read(EmbeddingForward::INDICES, &[1i64, 0]).in_place(EmbeddingForward::WEIGHT, EmbeddingForward::OUT, &mut values);
    let error = plan.run_host(&mut call).unwrap_err();
    assert_eq!(error.code, Status::ALIASING);
    assert!(error.message.contains("embedding_forward") && error.message.contains("weight"), "{error}");
    assert_eq!(values, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn bytes_of_another_program() {
    let bytes: Vec<u8> = DOUT.iter().flat_map(|x| x.to_ne_bytes()).collect();
    let mut result = vec![0u8; 25];
    let shift = if result.as_ptr() as usize % 4 == 0 { 0 } else { 1 };
    let mut call = HostCall::new();
    call.read(SoftmaxBackward::DOUT, TensorRef::from_bytes(Dtype::F32, &bytes))
        .read(SoftmaxBackward::OUT, &OUT)
        .write(SoftmaxBackward::DINPUT, TensorMut::from_bytes(Dtype::F32, &mut result[shift..shift + 24]));
    softmax().run_host(&mut call).unwrap();
    let values: Vec<f32> = result[shift..shift + 24].chunks_exact(4).map(|c| f32::from_ne_bytes(c.try_into().unwrap())).collect();
    assert_eq!(values, gradient());

    let odd = 1 - shift;
    result.fill(7);
    let mut call = HostCall::new();
    call.read(SoftmaxBackward::DOUT, &DOUT)
        .read(SoftmaxBackward::OUT, &OUT)
        .write(SoftmaxBackward::DINPUT, TensorMut::from_bytes(Dtype::F32, &mut result[odd..odd + 24]));
    let error = softmax().run_host(&mut call).unwrap_err();
    assert_eq!(error.code, Status::MISALIGNED);
    assert!(error.message.contains("dinput"), "{error}");
    assert_eq!(result, [7; 25]);
}

fn adam(advance_step: i32) -> Plan<Adam> {
    let descriptor = AdamDescriptor { param: Dtype::F32, weight_decay: 0.01, advance_step, ..Default::default() };
    Problem::<Adam>::new(&descriptor).integers(Adam::FIELD_NUMEL, &[1]).select(&Stream::host(), &Preference::default()).unwrap()
}

/// The fault that `give` leaves in a call that gets all its arguments afterwards.
fn fault_of_adam<'a>(give: impl FnOnce(&mut HostCall<'a, Adam>)) -> Error {
    let mut given = HostCall::new();
    give(&mut given);
    let (mut w, mut g, mut m, mut v) = ([1f32], [1f32], [0f32], [0f32]);
    let mut call = given; // with borrows of this function's
    call.write_list(Adam::PARAMS, [&mut w]).write_list(Adam::EXP_AVG, [&mut m]).write_list(Adam::EXP_AVG_SQ, [&mut v]);
    call.write_list(Adam::GRADS, [&mut g]).scalar(Adam::LR, 0.5).scalar(Adam::STEP, 1.0);
    let error = adam(0).run_host(&mut call).unwrap_err();
    assert_eq!((w, m, v), ([1.0], [0.0], [0.0]));
    error
}

#[test]
fn a_number_in_memory_is_read_and_written() {
    let (mut w, mut g, mut m, mut v, lr, mut step) = ([1f32], [1f32], [0f32], [0f32], [0.5f64], [1i64]);
    let mut call = HostCall::new();
    call.write_list(Adam::PARAMS, [&mut w])
        .write_list(Adam::GRADS, [&mut g])
        .write_list(Adam::EXP_AVG, [&mut m])
        .write_list(Adam::EXP_AVG_SQ, [&mut v]);
    call.scalar_at(Adam::LR, &lr).scalar_at_mut(Adam::STEP, &mut step);
    adam(1).run_host(&mut call).unwrap();
    assert_eq!(step, [2]);
    assert!((w[0] - 0.495).abs() < 1e-6, "{w:?}");

    let error = fault_of_adam(|call| {
        call.scalar_at(Adam::LR, &[0f32; 0]);
    });
    assert_eq!((error.code, error.message.as_str()), (Status::BUFFER_TOO_SMALL, "adam: lr in memory has 0 bytes, no element of the type f32"));
    let error = fault_of_adam(|call| {
        call.scalar_at(Adam::LR, TensorRef::from_bytes(Dtype(99), &[0; 64]));
    });
    assert_eq!(error.message, "adam: lr in memory has 64 bytes, no element of the type 99");
}

#[test]
fn lists_have_one_type_and_no_shapes() {
    let (mut a, mut b) = ([1f32], [1f64]);
    let error = fault_of_adam(|call| {
        call.write_list(Adam::GRADS, [TensorMut::from(&mut a), (&mut b).into()]);
    });
    assert_eq!((error.code, error.message.as_str()), (Status::DTYPE_MISMATCH, "adam: grads[1] has the type f64, grads[0] has f32"));
    let error = fault_of_adam(|call| {
        call.write_list(Adam::GRADS, [TensorMut::from(&mut a).shaped(&[1])]);
    });
    assert_eq!(error.message, "adam: grads[0] has a shape, which the entries of a list do not state");
    // The first fault is the one that is told.
    let error = fault_of_adam(|call| {
        call.scalar_at(Adam::LR, &[0f32; 0]).write_list(Adam::GRADS, [TensorMut::from(&mut a), (&mut b).into()]);
    });
    assert!(error.message.contains("lr in memory"), "{error}");
}

#[test]
fn shapes_come_from_slices() {
    let shape: sys::adj_shape = [2, 3].into();
    assert_eq!((shape.rank, shape.dims), (2, [2, 3, 0, 0, 0, 0, 0, 0]));
    let axes: sys::adj_axes = (&[-1i64][..]).into();
    assert_eq!((axes.count, axes.at), (1, [-1, 0, 0, 0, 0, 0, 0, 0]));
    let descriptor = ReduceDescriptor { shape: [1; 9].into(), element: Dtype::F32, ..Default::default() };
    let error = Plan::<Reduce>::select(&Stream::host(), &descriptor, &Preference::default()).unwrap_err();
    assert!(error.message.contains("reduce: shape") && error.message.contains('9'), "{error}");
}

#[test]
fn a_call_goes_to_another_thread() {
    fn moves<T: Send>(_: &T) {}
    let mut dinput = [9f32; 6];
    let mut call = HostCall::new();
    call.read(SoftmaxBackward::DOUT, &DOUT).read(SoftmaxBackward::OUT, &OUT).write(SoftmaxBackward::DINPUT, &mut dinput);
    moves(&call);
    moves(&Problem::<Lion>::new(&Default::default()));
    moves(&TensorMut::from(&mut [0u8; 1]));
    let plan = softmax();
    std::thread::scope(|scope| scope.spawn(|| plan.run_host(&mut { call })).join().unwrap()).unwrap();
    assert_eq!(dinput, gradient());
}

#[test]
fn operators_have_names_and_tell_about_themselves() {
    let operator = Operator::find("softmax_backward").unwrap();
    assert_eq!((operator, SoftmaxBackward::OPERATOR), (Operator::SOFTMAX_BACKWARD, operator));
    assert_eq!((operator.name(), operator.family(), operator.to_string()), (Some("softmax_backward"), Some("softmax"), "softmax_backward".into()));
    assert!(operator.definition().unwrap().contains("dinput") && !operator.conventions().unwrap().is_empty());
    let fields = operator.fields().unwrap();
    assert_eq!((fields[0].name, fields[0].kind), ("outer", FieldKind::I64));
    assert!(Operator::ADAM.fields().unwrap().iter().any(|f| f.choices == ["first", "last", "l2"]));
    let epsilon = Operator::ROPE_FORWARD.limits("epsilon").unwrap();
    assert_eq!((epsilon.numbers, epsilon.above_least, epsilon.finite, epsilon.only_if), (0.0..=f64::INFINITY, true, true, "has_norm"));
    let top_k = Operator::MOE_ROUTE.limits("top_k").unwrap();
    assert_eq!((top_k.integers, top_k.refused_if), (1..=64, vec!["top_k > num_experts: is above num_experts"]));
    assert_eq!(operator.limits("epsilon").unwrap_err().message, "softmax_backward: there is no field epsilon");
    let arguments = operator.arguments().unwrap();
    let dinput = arguments.iter().find(|a| a.name == "dinput").unwrap();
    assert_eq!((dinput.role, dinput.kind, dinput.presence, dinput.host), (Role::OUT, ArgumentKind::TENSOR, Presence::REQUIRED, false));
    let dout = arguments.iter().position(|a| a.name == "dout").unwrap();
    assert!(dinput.may_equal.contains(&dout));

    let unknown = Operator(12345);
    assert_eq!(
        (unknown.name(), unknown.definition(), unknown.to_string(), format!("{unknown:?}")),
        (None, None, "12345".into(), "Operator(12345)".into())
    );
    assert!(unknown.fields().unwrap().is_empty() && unknown.arguments().unwrap().is_empty());
    assert!(Problem::of(unknown).is_err() && HostCall::of(unknown).is_err());
    assert_eq!(Operator::find("nothing").unwrap_err().code, Status::NOT_FOUND);
}

#[test]
fn a_problem_says_what_it_asks_of_arguments() {
    let descriptor = EmbeddingBackwardDescriptor {
        num_embeddings: 4,
        embedding_dim: 2,
        num_indices: 3,
        element: Dtype::BF16,
        index: Dtype::I64,
        ..Default::default()
    };
    let problem = Problem::<EmbeddingBackward>::new(&descriptor);
    let dweight = problem.requirement(EmbeddingBackward::DWEIGHT).unwrap();
    assert_eq!((dweight.presence, dweight.dtype, dweight.bytes, &dweight.shape[..]), (Presence::REQUIRED, Dtype::BF16, 16, &[4, 2][..]));
    assert_eq!(problem.requirement(EmbeddingBackward::ORDER).unwrap().presence, Presence::ABSENT);
    assert_eq!(problem.requirement(EmbeddingBackward::ERROR_FLAG).unwrap().presence, Presence::OPTIONAL);
    let plan = problem.select(&Stream::offline("sm_90a").unwrap(), &Preference::default()).unwrap();
    let of_plan = plan.requirement(EmbeddingBackward::DWEIGHT).unwrap();
    assert!(of_plan.alignment > 0);
    assert_eq!(Requirement { alignment: 0, ..of_plan }, dweight);

    let descriptor = AdamDescriptor { param: Dtype::F32, ..Default::default() };
    let mut problem = Problem::<Adam>::new(&descriptor);
    problem.integers(Adam::FIELD_NUMEL, &[5, 0, 7]);
    assert_eq!(problem.requirement_of_entries(Adam::GRADS).unwrap(), [5, 0, 7]);
    assert!(problem.requirement_of_entries(Adam::COPIES).unwrap().is_empty());
    assert!(problem.requirement(Adam::LR).unwrap().any_float);
    let error = Problem::<Adam>::new(&Default::default()).requirement(Adam::GRADS).unwrap_err();
    assert!(error.message.contains("adam: param"), "{error}");
}

#[test]
fn fields_are_set_by_their_names() {
    let error = |operator: Operator, field: &str, value: Value<'_>| {
        let mut problem = Problem::of(operator).unwrap();
        let error = problem.set(field, value).unwrap_err();
        (error.code, error.message)
    };
    let bad = |text: &str| (Status::INVALID_ARGUMENT, text.to_string());
    assert_eq!(error(Operator::ADAM, "deacy", 1.into()), (Status::NOT_FOUND, "adam: there is no field deacy".into()));
    assert_eq!(error(Operator::ADAM, "beta1", "x".into()), bad("adam: beta1 = Word(\"x\"), expected a number"));
    assert_eq!(error(Operator::ADAM, "decay", "later".into()), bad("adam: decay = Word(\"later\"), expected a number or one of first, last, l2"));
    assert_eq!(error(Operator::ADAM, "decay", (1i64 << 32).into()).0, Status::INVALID_ARGUMENT);
    assert_eq!(error(Operator::ADAM, "param", "f33".into()), bad("adam: param = Word(\"f33\"), expected an element type"));
    assert_eq!(error(Operator::ADAM, "numel", 3.into()), bad("adam: numel = Integer(3), expected a list of integers"));
    assert!(error(Operator::CALLBACK, "function", 3.into()).1.contains("Problem<Callback>"));
    assert_eq!(error(Operator::USER_KERNEL, "entry", "a\0".into()).0, Status::INVALID_ARGUMENT);

    let mut problem = Problem::of(Operator::REDUCE).unwrap();
    problem
        .set("kind", ReduceKind::L2)
        .unwrap()
        .set("shape", &[2i64, 3][..])
        .unwrap()
        .set("axes", &[1i64][..])
        .unwrap()
        .set("element", Dtype::F32)
        .unwrap();
    let plan = problem.select(&Stream::host(), &Preference::default()).unwrap();
    let (input, mut out) = ([3f32, 4.0, 0.0, 0.0, 0.0, 2.0], [0f32; 2]);
    let mut call = HostCall::of(Operator::REDUCE).unwrap();
    call.read(Operator::REDUCE.argument("input").unwrap(), &input).write(Operator::REDUCE.argument("output").unwrap(), &mut out);
    plan.run_host(&mut call).unwrap();
    assert_eq!(out, [5.0, 2.0]);
}

#[test]
fn an_argument_of_another_operator_or_kind_is_refused() {
    let argument = |name: &str| Operator::SOFTMAX_BACKWARD.argument::<In<Any>>(name);
    assert_eq!(argument("dinput").unwrap_err().message, "softmax_backward: dinput is a tensor that is written, not a tensor that is read");
    assert_eq!(argument("nothing").unwrap_err().message, "softmax_backward: there is no argument nothing");
    let mut problem = Problem::of(Operator::SOFTMAX_BACKWARD).unwrap();
    let plan = problem
        .set("outer", 1)
        .unwrap()
        .set("extent", 1)
        .unwrap()
        .set("element", "f32")
        .unwrap()
        .select(&Stream::host(), &Preference::default())
        .unwrap();
    let mut call = HostCall::of(Operator::EMBEDDING_FORWARD).unwrap();
    call.read(argument("dout").unwrap(), &[1f32]);
    let error = plan.run_host(&mut call).unwrap_err();
    assert_eq!(error.message, "dout is an argument of softmax_backward, the call is one of embedding_forward");
    // A call of another operator than the plan's.
    let mut call = HostCall::of(Operator::EMBEDDING_FORWARD).unwrap();
    assert_eq!(plan.run_host(&mut call).unwrap_err().code, Status::INVALID_ARGUMENT);
}

#[test]
fn values_that_the_crate_does_not_know_are_refused_by_the_library() {
    let descriptor = AdamDescriptor { param: Dtype::F32, decay: AdamDecay(77), ..Default::default() };
    let error = Problem::<Adam>::new(&descriptor).select(&Stream::host(), &Preference::default()).unwrap_err();
    assert!(error.message.contains("adam: decay = 77"), "{error}");
    assert_eq!((format!("{:?} {:?}", AdamDecay(77), AdamDecay::LAST), Dtype(77).size()), ("AdamDecay(77) AdamDecay::LAST".into(), None));
}

#[test]
fn fields_come_from_the_arguments() {
    let shaped = |shape: &[i64]| {
        let mut problem = Problem::<SoftmaxBackward>::new(&Default::default());
        let mut call = HostCall::new();
        call.read(SoftmaxBackward::DOUT, TensorRef::from(&DOUT).shaped(shape)).read(SoftmaxBackward::OUT, &OUT);
        problem.complete(&call)?;
        problem.select(&Stream::host(), &Preference::default())
    };
    let mut dinput = [9f32; 6];
    let mut call = HostCall::new();
    call.read(SoftmaxBackward::DOUT, &DOUT).read(SoftmaxBackward::OUT, &OUT).write(SoftmaxBackward::DINPUT, &mut dinput);
    shaped(&[2, 3, 1]).unwrap().run_host(&mut call).unwrap();
    assert_eq!(dinput, gradient());
    let error = shaped(&[2, 3]).unwrap_err();
    assert!(error.message.starts_with("softmax_backward: ") && error.message.contains("extent"), "{error}");

    // Lists of element counts are the problem's own.
    let (mut w, mut g, mut m, mut v) = ([1f32, 2.0], [1f32, 0.0], [0f32; 2], [0f32; 2]);
    let mut call = HostCall::new();
    call.write_list(Adam::PARAMS, [&mut w])
        .write_list(Adam::GRADS, [&mut g])
        .write_list(Adam::EXP_AVG, [&mut m])
        .write_list(Adam::EXP_AVG_SQ, [&mut v]);
    call.scalar(Adam::LR, 0.5).scalar(Adam::STEP, 1.0);
    let mut problem = Problem::<Adam>::new(&AdamDescriptor { weight_decay: 0.01, ..Default::default() });
    problem.complete(&call).unwrap();
    assert_eq!(problem.requirement_of_entries(Adam::EXP_AVG).unwrap(), [2]);
    problem.select(&Stream::host(), &Preference::default()).unwrap().run_host(&mut call).unwrap();
    assert!((w[0] - 0.495).abs() < 1e-6 && (w[1] - 1.99).abs() < 1e-6, "{w:?}");

    let (shorter, longer) = ([1f32], [1f32; 2]);
    let mut call = HostCall::of(Operator::COPY).unwrap();
    call.read_list(Operator::COPY.argument("inputs").unwrap(), [&shorter[..], &longer[..]]);
    let mut problem = Problem::of(Operator::COPY).unwrap();
    problem.complete(&call).unwrap();
    let inputs: Argument<Any> = Operator::COPY.argument("inputs").unwrap();
    assert_eq!(problem.requirement_of_entries(inputs).unwrap(), [1, 2]);
    assert_eq!(problem.requirement(inputs).unwrap().dtype, Dtype::F32);
    let other = HostCall::of(Operator::SPLIT).unwrap();
    assert_eq!(Problem::of(Operator::COPY).unwrap().complete(&other).unwrap_err().code, Status::INVALID_ARGUMENT);
}
