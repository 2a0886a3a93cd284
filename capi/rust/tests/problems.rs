//! Operators whose descriptors have lists, texts or functions, without a line of unsafe code.
#![forbid(unsafe_code)]
use adjoint::*;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

fn host() -> Stream {
    Stream::host()
}
fn any() -> Preference {
    Preference::default()
}

#[test]
fn lion_takes_two_lists() {
    let (numel, keys) = ([2i64, 1], [7i64, 8]);
    let descriptor = LionDescriptor { param: Dtype::BF16, stochastic_rounding: 1, ..Default::default() };
    let mut problem = Problem::<Lion>::new(&descriptor);
    problem.integers(Lion::FIELD_NUMEL, &numel);
    let error = problem.select(&host(), &any()).unwrap_err();
    assert!(error.message.contains("tensor_key"), "{error}");
    let plan = problem.integers(Lion::FIELD_TENSOR_KEYS, &keys).select(&host(), &any()).unwrap();
    assert_eq!(plan, plan.clone());

    let plain = Problem::<Lion>::new(&LionDescriptor { param: Dtype::F32, beta1: 0.5, ..Default::default() })
        .integers(Lion::FIELD_NUMEL, &numel)
        .select(&host(), &any())
        .unwrap();
    let (mut w0, mut w1, mut g0, mut g1, mut m0, mut m1) = ([1f32, 2.0], [3f32], [1f32, -1.0], [1f32], [0f32; 2], [0f32; 1]);
    let mut call = HostCall::new();
    call.write_list(Lion::PARAMS, [&mut w0[..], &mut w1[..]])
        .write_list(Lion::GRADS, [&mut g0[..], &mut g1[..]])
        .write_list(Lion::EXP_AVG, [&mut m0[..], &mut m1[..]])
        .scalar(Lion::LR, 0.5)
        .scalar(Lion::GRAD_SCALE, 1.0)
        .scalar(Lion::UPDATE_SIGNAL, 1.0);
    plain.run_host(&mut call).unwrap();
    assert_eq!((w0, w1), ([0.5, 2.5], [2.5]));
}

#[test]
fn a_list_for_each_tensor_of_lamb() {
    let (numel, decay) = ([4i64, 5], [0.0, 0.01]);
    let descriptor = LambDescriptor { param: Dtype::F32, ..Default::default() };
    let mut problem = Problem::<Lamb>::new(&descriptor);
    problem.integers(Lamb::FIELD_NUMEL, &numel).reals(Lamb::FIELD_WEIGHT_DECAY_OF, &decay);
    assert_eq!(problem.cached(&host(), &any()).unwrap(), problem.cached(&host(), &any()).unwrap());
    let error = problem.reals(Lamb::FIELD_BETA1_OF, &decay[..1]).select(&host(), &any()).unwrap_err();
    assert!(error.message.contains("beta1"), "{error}");
}

#[test]
fn the_other_operators_with_lists() {
    let (numel, keys) = ([300i64], [1i64]);
    let descriptor = Adamw8bitDescriptor { param: Dtype::F32, ..Default::default() };
    Problem::<Adamw8bit>::new(&descriptor)
        .integers(Adamw8bit::FIELD_NUMEL, &numel)
        .integers(Adamw8bit::FIELD_TENSOR_KEYS, &keys)
        .select(&host(), &any())
        .unwrap();

    let descriptor = ResizeForwardDescriptor { input: [1, 1, 2].into(), out: [1, 1, 4].into(), element: Dtype::F32, ..Default::default() };
    let scales = [2.0];
    let forward = Problem::<ResizeForward>::new(&descriptor).reals(ResizeForward::FIELD_SCALES, &scales).select(&host(), &any()).unwrap();
    let (input, mut out) = ([1f32, 3.0], [0f32; 4]);
    let mut call = HostCall::new();
    call.read(ResizeForward::INPUT, &input).write(ResizeForward::OUT, &mut out);
    forward.run_host(&mut call).unwrap();
    assert_eq!(out, [1.0, 1.5, 2.5, 3.0]);
    let descriptor = ResizeBackwardDescriptor { input: [1, 1, 2].into(), out: [1, 1, 4].into(), element: Dtype::F32, ..Default::default() };
    let candidates = Problem::<ResizeBackward>::new(&descriptor).reals(ResizeBackward::FIELD_SCALES, &scales).explain(&host(), &any()).unwrap();
    assert!(candidates.iter().any(|c| c.code == Status::OK));

    let (numel, fixed) = ([4i64, 7, 2], [1i64]);
    let descriptor = YieldDescriptor { element: Dtype::F32, ..Default::default() };
    let plan = Problem::<Yield>::new(&descriptor)
        .integers(Yield::FIELD_NUMEL, &numel)
        .integers(Yield::FIELD_NON_DIFFERENTIABLE, &fixed)
        .select(&host(), &any())
        .unwrap();
    let (a, b, c) = ([0f32; 4], [0f32; 7], [0f32; 2]);
    let mut call = HostCall::new();
    call.read_list(Yield::OUTPUTS, [&a[..], &b[..], &c[..]]).read_list(Yield::GRADIENTS, [&a[..], &c[..]]);
    plan.run_host(&mut call).unwrap();
}

#[test]
fn pointers_of_the_descriptor_are_left_behind() {
    let stray = std::ptr::NonNull::<i64>::dangling().as_ptr();
    let numel = [3i64];
    let descriptor =
        LionDescriptor { count: 1 << 20, numel: stray, tensor_key_count: 1 << 20, tensor_keys: stray, param: Dtype::F32, ..Default::default() };
    assert!(Problem::<Lion>::new(&descriptor).select(&host(), &any()).is_ok()); // no tensors
    Problem::<Lion>::new(&descriptor).integers(Lion::FIELD_NUMEL, &numel).select(&host(), &any()).unwrap();
    let descriptor = CallbackDescriptor { user: stray.cast(), input_count: 5, input_numel: stray, element: Dtype::F32, ..Default::default() };
    let error = Problem::<Callback>::new(&descriptor).select(&host(), &any()).unwrap_err();
    assert_eq!(error.message, "callback: function was not given");
}

struct Counted(Arc<AtomicI64>);
impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_closure_is_called_by_run_and_dropped_with_its_plan() {
    let (numel, calls, drops) = ([3i64, 0], Arc::new(AtomicI64::new(0)), Arc::new(AtomicI64::new(0)));
    let descriptor = CallbackDescriptor { element: Dtype::F32, ..Default::default() };
    let mut problem = Problem::<Callback>::new(&descriptor);
    problem.integers(Callback::FIELD_INPUT_NUMEL, &numel).integers(Callback::FIELD_OUTPUT_NUMEL, &numel);
    let select = |fails: i32| {
        let (calls, counted) = (calls.clone(), Counted(drops.clone()));
        problem.select_function(&host(), &any(), move |call| {
            let _ = &counted;
            calls.fetch_add(1, Ordering::SeqCst);
            assert!(call.stream().is_host() && call.input::<f64>(0).is_none() && call.input::<f32>(2).is_none());
            assert_eq!(call.input::<f32>(1), Some(&[][..]));
            let doubled: Vec<f32> = call.input::<f32>(0).unwrap().iter().map(|x| 2.0 * x).collect();
            call.output::<f32>(0).unwrap().copy_from_slice(&doubled);
            if let Some(context) = call.context() {
                *context += 1;
            }
            if fails == CallbackCall::PANICKED {
                panic!("as this test wants it");
            }
            fails
        })
    };
    let input = [1f32, 2.0, 3.0];
    let run = |plan: &Plan<Callback>| {
        let (mut out, mut context) = ([0f32; 3], [41i64]);
        let mut call = HostCall::new();
        call.read_list(Callback::INPUTS, [&input[..], &[]])
            .write_list(Callback::OUTPUTS, [&mut out[..], &mut []])
            .write(Callback::CONTEXT, &mut context);
        let done = plan.run_host(&mut call);
        done.map(|()| (out, context))
    };
    let plan = select(0).unwrap();
    assert_eq!(run(&plan).unwrap(), ([2.0, 4.0, 6.0], [42]));
    let copy = plan.clone();
    drop(plan);
    assert_eq!(drops.load(Ordering::SeqCst), 0);
    run(&copy).unwrap();
    drop(copy);
    assert_eq!((calls.load(Ordering::SeqCst), drops.load(Ordering::SeqCst)), (2, 1));

    let error = run(&select(42).unwrap()).unwrap_err();
    assert_eq!((error.code, error.native), (Status::INVALID_VALUE, 42), "{error}");
    let error = run(&select(CallbackCall::PANICKED).unwrap()).unwrap_err();
    assert_eq!((error.code, error.native), (Status::INVALID_VALUE, i64::from(CallbackCall::PANICKED)), "{error}");
    assert_eq!(drops.load(Ordering::SeqCst), 3);

    // A refused selection drops the function at once.
    let counted = Counted(drops.clone());
    let none = Problem::<Callback>::new(&Default::default()).select_function(&host(), &any(), move |_| {
        let _ = &counted;
        0
    });
    assert!(none.is_err());
    assert_eq!(drops.load(Ordering::SeqCst), 4);
}

#[test]
fn a_kernel_of_the_caller_is_a_text_and_its_host_function() {
    let numel = [2i64];
    let descriptor = UserKernelDescriptor { grid: [1].into(), block: [2].into(), element: Dtype::F32, ..Default::default() };
    let code = "extern \"C\" __global__ void k(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }";
    let mut problem = Problem::<UserKernel>::new(&descriptor);
    problem
        .bytes(UserKernel::FIELD_CODE, code.as_bytes())
        .text(UserKernel::FIELD_ENTRY, "k")
        .integers(UserKernel::FIELD_INPUT_NUMEL, &numel)
        .integers(UserKernel::FIELD_OUTPUT_NUMEL, &numel);
    assert!(problem.select(&host(), &any()).is_err()); // there is no function for the host
    let plan = problem
        .select_with_host(&host(), &any(), |call| {
            let doubled: Vec<f32> = call.input::<f32>(0).unwrap().iter().map(|x| 2.0 * x).collect();
            call.output::<f32>(0).unwrap().copy_from_slice(&doubled);
            0
        })
        .unwrap();
    let (input, mut out) = ([4f32, 5.0], [0f32; 2]);
    let mut call = HostCall::new();
    call.read_list(UserKernel::INPUTS, [&input[..]]).write_list(UserKernel::OUTPUTS, [&mut out[..]]);
    plan.run_host(&mut call).unwrap();
    assert_eq!(out, [8.0, 10.0]);
    let error = problem.text(UserKernel::FIELD_MACROS, "A\0B").select(&host(), &any()).unwrap_err();
    assert!(error.code == Status::INVALID_ARGUMENT && error.message.contains("null byte"), "{error}");
}

#[test]
fn an_output_has_a_guarantee() {
    let descriptor = SoftmaxBackwardDescriptor { outer: 2, extent: 3, element: Dtype::F32, ..Default::default() };
    let plan = Plan::<SoftmaxBackward>::select(&host(), &descriptor, &Preference { workspace_arch: 90, ..any() }).unwrap();
    assert!(plan.guarantee_of("dinput").unwrap().determinism >= plan.guarantee().unwrap().determinism);
    assert_eq!(plan.guarantee_of("dout").unwrap_err().message, "adj_plan_guarantee: dout of softmax_backward is an input");
    assert_eq!(plan.guarantee_of("nothing").unwrap_err().code, Status::NOT_FOUND);
}
