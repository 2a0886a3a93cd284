//! One operator of every kind of argument, and the verbs that host.rs has no use for.
use adjoint::*;
use std::ffi::{c_void, CStr};
use std::os::raw::c_char;
use std::sync::atomic::{AtomicI64, Ordering};

fn select<O: TensorOp>(descriptor: O::Descriptor) -> Plan<O> {
    Plan::select(&Stream::host(), &descriptor, &Preference::default()).unwrap()
}

// ---- tensors

#[test]
fn tensors_have_the_shapes_of_their_program() {
    let plan = select::<GatherBackward>(GatherBackwardDescriptor {
        outer: 2,
        extent: 3,
        inner: 1,
        num_indices: 4,
        element: Dtype::F32,
        index: Dtype::I64,
        ..Default::default()
    });
    let (dout, indices, mut dinput) = ([1f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [2i64, 0, 2, 2], [9f32; 6]);
    let run = |shape: &[i64], dinput: &mut [f32]| {
        let mut call = HostCall::new();
        call.read(GatherBackward::DOUT, TensorRef::from(&dout).shaped(shape))
            .read(GatherBackward::INDICES, TensorRef::from(&indices).shaped(&[2, 2]))
            .write(GatherBackward::DINPUT, TensorMut::from(dinput).shaped(&[2, 3]));
        plan.run_host(&mut call)
    };
    for wrong in [&[4, 2][..], &[2, 2], &[2, 2, 2, 2], &[-2, -4]] {
        let error = run(wrong, &mut dinput).unwrap_err();
        assert_eq!(error.code, Status::SHAPE_MISMATCH);
        assert_eq!(error.message, format!("gather_backward: dout has shape {wrong:?}, the descriptor says [2, 4, 1]"));
    }
    assert_eq!(run(&[1; 9], &mut dinput).unwrap_err().message, "gather_backward: dout.rank = 9, expected 0 to 8");
    assert_eq!(dinput, [9.0; 6]);
    run(&[2, 2, 2], &mut dinput).unwrap();
    assert_eq!(dinput, [2.0, 0.0, 8.0, 6.0, 0.0, 20.0]);
}

#[test]
fn masks_are_bytes_and_random_numbers_have_a_seed() {
    let forward = select::<DropoutForward>(DropoutForwardDescriptor { numel: 1000, element: Dtype::F32, ..Default::default() });
    let input = [1f32; 1000];
    let draw = |seed, offset| {
        let (mut out, mut mask) = ([0f32; 1000], [Bool::default(); 1000]);
        let mut call = HostCall::new();
        call.read(DropoutForward::INPUT, &input)
            .write(DropoutForward::OUT, &mut out)
            .write(DropoutForward::MASK, &mut mask)
            .scalar(DropoutForward::RATIO, 0.5)
            .random(DropoutForward::RANDOM, seed, offset);
        forward.run_host(&mut call).unwrap();
        for (x, kept) in out.iter().zip(mask) {
            assert_eq!((*x, kept), if *x == 0.0 { (0.0, false.into()) } else { (2.0, true.into()) });
        }
        mask
    };
    let mask = draw(1, 0);
    assert_eq!(draw(1, 0), mask);
    assert!(draw(2, 0) != mask && draw(1, 4) != mask);
    let kept = mask.iter().filter(|b| **b == true.into()).count();
    assert!((400..600).contains(&kept), "{kept} of 1000 are kept");

    let backward = select::<DropoutBackward>(DropoutBackwardDescriptor { numel: 1000, element: Dtype::F32, ..Default::default() });
    let mut dinput = [9f32; 1000];
    let mut call = HostCall::new();
    call.read(DropoutBackward::DOUT, &input)
        .read(DropoutBackward::MASK, &mask)
        .write(DropoutBackward::DINPUT, &mut dinput)
        .scalar(DropoutBackward::RATIO, 0.5);
    backward.run_host(&mut call).unwrap();
    assert!(dinput.iter().zip(mask).all(|(x, kept)| *x == if kept == true.into() { 2.0 } else { 0.0 }));
}

// ---- lists

#[test]
fn lists_of_different_lengths() {
    let plan = Problem::<Split>::new(&SplitDescriptor { outer: 2, element: Dtype::I32, ..Default::default() })
        .integers(Split::FIELD_LENGTHS, &[1, 0, 2])
        .select(&Stream::host(), &Preference::default())
        .unwrap();
    let input = [1, 2, 3, 4, 5, 6];
    let (mut a, mut b, mut c) = ([0i32; 2], [0i32; 0], [0i32; 4]);
    let mut call = HostCall::new();
    call.read(Split::INPUT, &input).write_list(Split::OUTPUTS, [&mut a[..], &mut b, &mut c]);
    plan.run_host(&mut call).unwrap();
    assert_eq!((a, c), ([1, 4], [2, 3, 5, 6]));

    let plan = Problem::<Concat>::new(&ConcatDescriptor { outer: 2, element: Dtype::I32, ..Default::default() })
        .integers(Concat::FIELD_LENGTHS, &[1, 0, 2])
        .select(&Stream::host(), &Preference::default())
        .unwrap();
    let mut output = [0i32; 6];
    let mut call = HostCall::new();
    call.read_list(Concat::INPUTS, [&a[..], &b, &c]).write(Concat::OUTPUT, &mut output);
    plan.run_host(&mut call).unwrap();
    assert_eq!(output, input);

    let mut call = HostCall::new();
    call.read_list(Concat::INPUTS, [&a[..], &b, &c[..3]]).write(Concat::OUTPUT, &mut output);
    let error = plan.run_host(&mut call).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Status::BUFFER_TOO_SMALL, "concat: inputs[2] needs 16 bytes, got 12"));
    let mut call = HostCall::new();
    call.read_list(Concat::INPUTS, [&a[..], &b]).write(Concat::OUTPUT, &mut output);
    let error = plan.run_host(&mut call).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Status::SHAPE_MISMATCH, "concat: inputs.count = 2, the descriptor says 3"));
}

#[test]
fn lists_are_explained() {
    let descriptor = ScaleDescriptor { element: Dtype::F32, output: Dtype::F32, ..Default::default() };
    let mut problem = Problem::<Scale>::new(&descriptor);
    let found = problem.integers(Scale::FIELD_NUMEL, &[5, 7]).explain(&Stream::offline("sm_90a").unwrap(), &Preference::default()).unwrap();
    assert!(found.iter().any(|c| c.code == Status::OK), "{found:?}");
    assert!(found.iter().any(|c| c.code != Status::OK && !c.reason.is_empty()), "{found:?}");
    let error = problem.integers(Scale::FIELD_NUMEL, &[5, -7]).explain(&Stream::host(), &Preference::default()).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Status::INVALID_PROBLEM, "scale: numel[1] = -7 is negative"));
}

// ---- functions and kernels of the caller

/// What the functions below are called with.
struct Doubler {
    calls: AtomicI64,
    destroyed: AtomicI64,
    code: i32,
}

fn slice_of<'a>(list: &sys::adj_tensor_list, i: usize) -> &'a mut [f32] {
    // SAFETY: an entry of a call of these tests, of f32 numbers that nobody else uses meanwhile.
    unsafe { std::slice::from_raw_parts_mut(*list.data.add(i) as *mut f32, *list.bytes.add(i) as usize / 4) }
}

unsafe extern "C" fn double(call: *const sys::adj_callback_call) -> i32 {
    let call = &*call;
    let own = &*(call.user as *const Doubler);
    own.calls.fetch_add(1, Ordering::SeqCst);
    assert_eq!(((*call.stream).kind, (*call.inputs).count, (*call.outputs).count), (sys::ADJ_STREAM_HOST, 1, 1));
    for (y, x) in slice_of(&*call.outputs, 0).iter_mut().zip(slice_of(&*call.inputs, 0)) {
        *y = 2.0 * *x;
    }
    if let Some(context) = call.context.as_mut() {
        *context += 7;
    }
    own.code
}

unsafe extern "C" fn destroyed(user: *mut c_void) {
    (*(user as *const Doubler)).destroyed.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn a_callback_is_called_by_run_and_destroyed_with_its_plan() {
    let numel = [3i64];
    let plan_of = |own: &Doubler| {
        let descriptor = CallbackDescriptor {
            function: Some(double),
            destroy: Some(destroyed),
            user: own as *const Doubler as *mut c_void,
            input_count: 1,
            input_numel: numel.as_ptr(),
            output_count: 1,
            output_numel: numel.as_ptr(),
            element: Dtype::F32,
            ..Default::default()
        };
        // SAFETY: `own` outlives the plan, and the function takes what `run` gives it below.
        unsafe { Plan::<Callback>::select_raw(&Stream::host(), &descriptor, &Preference::default()) }.unwrap()
    };
    let run = |plan: &Plan<Callback>, out: &mut [f32; 3], context: Option<&mut [i64; 1]>| {
        let mut call = HostCall::new();
        call.read_list(Callback::INPUTS, [&[1f32, 2.0, 3.0][..]]).write_list(Callback::OUTPUTS, [&mut out[..]]);
        if let Some(context) = context {
            call.write(Callback::CONTEXT, context);
        }
        plan.run_host(&mut call)
    };
    let own = Doubler { calls: 0.into(), destroyed: 0.into(), code: 0 };
    let (mut out, mut context) = ([0f32; 3], [1i64]);
    let plan = plan_of(&own);
    run(&plan, &mut out, None).unwrap();
    run(&plan, &mut out, Some(&mut context)).unwrap();
    assert_eq!((out, context), ([2.0, 4.0, 6.0], [8]));
    let copy = plan.clone();
    drop(plan);
    assert_eq!(own.destroyed.load(Ordering::SeqCst), 0);
    drop(copy);
    assert_eq!((own.calls.load(Ordering::SeqCst), own.destroyed.load(Ordering::SeqCst)), (2, 1));

    let failing = Doubler { calls: 0.into(), destroyed: 0.into(), code: 42 };
    let plan = plan_of(&failing);
    let error = run(&plan, &mut out, None).unwrap_err();
    assert_eq!(error.code, Status::INVALID_VALUE);
    assert!(error.message.contains("callback") && error.message.contains("42"), "{error}");

    // SAFETY: refused.
    let error = unsafe {
        Plan::<Callback>::select_raw(&Stream::host(), &CallbackDescriptor { element: Dtype::F32, ..Default::default() }, &Preference::default())
    };
    assert_eq!(error.unwrap_err().message, "callback: function was not given");
}

#[test]
fn a_kernel_of_the_caller_has_a_function_for_the_host() {
    let own = Doubler { calls: 0.into(), destroyed: 0.into(), code: 0 };
    let numel = [2i64];
    let mut descriptor = UserKernelDescriptor {
        code: b"extern \"C\" __global__ void k(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }\0".as_ptr().cast(),
        entry: b"k\0".as_ptr().cast(),
        input_count: 1,
        input_numel: numel.as_ptr(),
        output_count: 1,
        output_numel: numel.as_ptr(),
        grid: [1].into(),
        block: [2].into(),
        element: Dtype::F32,
        host: Some(double),
        user: &own as *const Doubler as *mut c_void,
        ..Default::default()
    };
    // SAFETY: what the descriptor points to lives as long as the plans.
    let select = |descriptor: &_| unsafe { Plan::<UserKernel>::select_raw(&Stream::host(), descriptor, &Preference::default()) };
    let plan = select(&descriptor).unwrap();
    let mut out = [0f32; 2];
    let mut call = HostCall::new();
    call.read_list(UserKernel::INPUTS, [&[4f32, 5.0][..]]).write_list(UserKernel::OUTPUTS, [&mut out[..]]);
    plan.run_host(&mut call).unwrap();
    assert_eq!(out, [8.0, 10.0]);
    descriptor.host = None;
    let error = select(&descriptor).unwrap_err();
    assert!(error.message.contains("user_kernel"), "{error}");
}

// ---- what the library tells

#[test]
fn the_registry_and_the_fields_can_be_read() {
    let text = |s: *const c_char| unsafe { CStr::from_ptr(s) }.to_str().unwrap();
    // SAFETY, here and below: places for the results, and numbers that the library has just given.
    let (mut row, mut sku) = (sys::adj_registry_row::default(), std::ptr::null());
    assert!(unsafe { sys::adj_registry_count() } > 200);
    assert_eq!(unsafe { sys::adj_registry_get(0, &mut row) }, sys::ADJ_OK);
    assert!(!text(row.op).is_empty());
    assert_eq!(unsafe { sys::adj_registry_sku(0, 0, &mut sku) }, sys::ADJ_OK);
    assert!(Sku::all().unwrap().iter().any(|s| s.id == text(sku)));
    let mut field = sys::adj_field::default();
    assert_eq!(unsafe { sys::adj_op_field(Operator::SOFTMAX_BACKWARD, 0, &mut field) }, sys::ADJ_OK);
    assert_eq!(text(field.name), "outer");
    let mut cache = sys::adj_cache_info::default();
    assert_eq!(unsafe { sys::adj_cache_stat(&mut cache) }, sys::ADJ_OK);
}

/// What the test below runs in a process of its own: the variables are read once in a process.
#[test]
fn child_of_the_trace() {
    if std::env::var_os("ADJOINT_LOG").is_none() {
        return;
    }
    let plan = select::<SoftmaxForward>(SoftmaxForwardDescriptor { outer: 2, extent: 3, element: Dtype::F32, ..Default::default() });
    let (input, mut out) = ([1f32; 6], [0f32; 6]);
    let mut call = HostCall::new();
    call.read(SoftmaxForward::INPUT, &input).write(SoftmaxForward::OUT, &mut out);
    plan.run_host(&mut call).unwrap();
}

#[test]
fn a_trace_has_a_line_for_each_event() {
    let run = |log: &str| {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_of_the_trace", "--nocapture"])
            .env("ADJOINT_LOG", log)
            .output()
            .unwrap();
        assert!(child.status.success());
        String::from_utf8(child.stderr).unwrap()
    };
    let both = run("select,run");
    let lines: Vec<_> = both.lines().filter(|l| l.contains("softmax_forward/reference/f32/host")).collect();
    assert_eq!(lines.len(), 2, "{both}");
    for (line, event) in lines.iter().zip(["select", "run"]) {
        assert!(line.contains(event) && line.contains("outer=2 extent=3"), "{line}");
    }
    assert_eq!(run("compile"), "");
}
