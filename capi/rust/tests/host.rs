//! The safe layer on the host stream.
use adjoint::*;

fn embedding(element: Dtype) -> EmbeddingBackwardDescriptor {
    EmbeddingBackwardDescriptor { num_embeddings: 4, embedding_dim: 2, num_indices: 3, element, index: Dtype::I64, ..Default::default() }
}

const INDICES: [i64; 3] = [2, 0, 2];

fn plan(element: Dtype) -> Plan<EmbeddingBackward> {
    Plan::select(&Stream::host(), &embedding(element), &Preference::default()).unwrap()
}

#[test]
fn embedding_backward_f32() {
    let dout = [1f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let mut dweight = [9f32; 8];
    let mut call = HostCall::new();
    call.read(EmbeddingBackward::DOUT, &dout).read(EmbeddingBackward::INDICES, &INDICES).write(EmbeddingBackward::DWEIGHT, &mut dweight);
    plan(Dtype::F32).run_host(&mut call).unwrap();
    assert_eq!(dweight, [3.0, 4.0, 0.0, 0.0, 6.0, 8.0, 0.0, 0.0]);
}

#[test]
fn an_equal_problem_gets_the_cached_plan() {
    let get = |descriptor| Plan::<EmbeddingBackward>::cached(&Stream::host(), &descriptor, &Preference::default()).unwrap();
    let first = get(embedding(Dtype::F64));
    assert!(get(embedding(Dtype::F64)) == first);
    assert!(get(embedding(Dtype::F16)) != first);
    let refused = EmbeddingBackwardDescriptor { num_indices: -1, ..embedding(Dtype::F64) };
    let error = Plan::<EmbeddingBackward>::cached(&Stream::host(), &refused, &Preference::default()).unwrap_err();
    assert_eq!(error.code, Status::INVALID_PROBLEM);
    let sizes = |numel: &[i64]| {
        let descriptor = AdamDescriptor { param: Dtype::F32, ..Default::default() };
        Problem::<Adam>::new(&descriptor).integers(Adam::FIELD_NUMEL, numel).cached(&Stream::host(), &Preference::default()).unwrap()
    };
    assert!(sizes(&[3, 4]) == sizes(&[3, 4]));
    assert!(sizes(&[3, 4]) != sizes(&[4, 3]));
}

#[test]
fn embedding_backward_bf16_accumulates_and_counts() {
    let dout: Vec<Bf16> = (1..=6).map(|x| Bf16::from_f32(x as f32)).collect();
    let mut dweight = [Bf16::from_f32(0.5); 8];
    let mut strays = [10i64];
    let descriptor = EmbeddingBackwardDescriptor { write_mode: WriteMode::ACCUMULATE, ..embedding(Dtype::BF16) };
    let plan = Plan::<EmbeddingBackward>::select(&Stream::host(), &descriptor, &Preference::default()).unwrap();
    let mut call = HostCall::new();
    call.read(EmbeddingBackward::DOUT, &dout)
        .read(EmbeddingBackward::INDICES, &[2i64, 4, -1])
        .write(EmbeddingBackward::DWEIGHT, &mut dweight)
        .write(EmbeddingBackward::ERROR_FLAG, &mut strays);
    plan.run_host(&mut call).unwrap();
    assert_eq!(dweight.map(Bf16::to_f32), [0.5, 0.5, 0.5, 0.5, 1.5, 2.5, 0.5, 0.5]);
    assert_eq!(strays, [12]);
}

#[test]
fn an_index_plan_serves_two_gradients() {
    let descriptor = IndexPlanDescriptor { num_embeddings: 4, num_indices: 3, index: Dtype::I64, ..Default::default() };
    let (mut rows, mut order) = ([0i32; 3], [0i32; 3]);
    let mut call = HostCall::new();
    call.read(IndexPlan::INDICES, &INDICES).write(IndexPlan::SORTED_ROWS, &mut rows).write(IndexPlan::ORDER, &mut order);
    Plan::<IndexPlan>::select(&Stream::host(), &descriptor, &Preference::default()).unwrap().run_host(&mut call).unwrap();
    assert_eq!((rows, order), ([0, 2, 2], [1, 0, 2]));
    for embedding_dim in [1, 2] {
        let descriptor = EmbeddingBackwardDescriptor { embedding_dim, use_index_plan: 1, ..embedding(Dtype::F32) };
        let dout: Vec<f32> = (1..=3 * embedding_dim).map(|x| x as f32).collect();
        let mut dweight = vec![9f32; 4 * embedding_dim as usize];
        let mut call = HostCall::new();
        call.read(EmbeddingBackward::DOUT, &dout)
            .read(EmbeddingBackward::SORTED_ROWS, &rows)
            .read(EmbeddingBackward::ORDER, &order)
            .write(EmbeddingBackward::DWEIGHT, &mut dweight);
        let plan = Plan::<EmbeddingBackward>::select(&Stream::host(), &descriptor, &Preference::default()).unwrap();
        plan.run_host(&mut call).unwrap();
        let expected: &[f32] = if embedding_dim == 1 { &[2.0, 0.0, 4.0, 0.0] } else { &[3.0, 4.0, 0.0, 0.0, 6.0, 8.0, 0.0, 0.0] };
        assert_eq!(dweight, expected);
    }
}

#[test]
fn bound_calls_run_again() {
    let plan = plan(Dtype::F32);
    let mut dout = [1f32; 6];
    let mut indices = INDICES;
    let mut dweight = [9f32; 8];
    #[repr(align(256))]
    struct Scratch([u8; 256]);
    let mut scratch = Scratch([0; 256]);
    assert!(plan.workspace_size() <= 256);
    let args = EmbeddingBackwardArgs {
        dout: tensor::<f32>(dout.as_mut_ptr().cast(), 6),
        indices: tensor::<i64>(indices.as_mut_ptr().cast(), 3),
        dweight: tensor::<f32>(dweight.as_mut_ptr().cast(), 8),
        ..Default::default()
    };
    let workspace = Workspace { data: scratch.0.as_mut_ptr().cast(), bytes: 256 };
    let stream = Stream::host();
    // SAFETY: ordinary memory that outlives the calls and is not touched otherwise.
    unsafe {
        plan.can_implement(&args).unwrap();
        let bound = plan.bind(&stream, &workspace, &args).unwrap();
        drop(plan); // the bound call keeps it alive
        bound.run(&stream).unwrap();
        bound.run(&stream).unwrap();
    }
    assert_eq!(dweight, [1.0, 1.0, 0.0, 0.0, 2.0, 2.0, 0.0, 0.0]);
}

#[test]
fn adam_step() {
    let descriptor = AdamDescriptor { param: Dtype::F32, weight_decay: 0.01, ..Default::default() };
    let mut problem = Problem::<Adam>::new(&descriptor);
    let plan = problem.integers(Adam::FIELD_NUMEL, &[2, 0, 1]).select(&Stream::host(), &Preference::default()).unwrap();
    let (mut a, mut b, mut c) = ([1f32, 2.0], [0f32; 0], [3f32]);
    let (mut ma, mut mb, mut mc) = ([0f32; 2], [0f32; 0], [0f32]);
    let (mut va, mut vb, mut vc) = ([0f32; 2], [0f32; 0], [0f32]);
    let (mut ga, mut gb, mut gc) = ([0.5f32, -0.25], [0f32; 0], [0f32]);
    let mut call = HostCall::new();
    call.write_list(Adam::PARAMS, [&mut a[..], &mut b, &mut c])
        .write_list(Adam::GRADS, [&mut ga[..], &mut gb, &mut gc])
        .write_list(Adam::EXP_AVG, [&mut ma[..], &mut mb, &mut mc])
        .write_list(Adam::EXP_AVG_SQ, [&mut va[..], &mut vb, &mut vc])
        .scalar(Adam::LR, 0.1)
        .scalar(Adam::STEP, 1.0);
    plan.run_host(&mut call).unwrap();
    // At the first step the bias-corrected update is the sign of the gradient; the decay is lr * 0.01.
    let near = |x: f32, y: f64| assert!((f64::from(x) - y).abs() < 1e-6 * y.abs().max(1e-3), "{} {}", x, y);
    near(a[0], 0.999 - 0.1);
    near(a[1], 1.998 + 0.1);
    near(c[0], 2.997);
    near(ma[0], 0.05);
    near(ma[1], -0.025);
    near(va[0], 0.00025);
    near(va[1], 0.0000625);
    assert_eq!((mc[0], vc[0]), (0.0, 0.0));
}

#[test]
fn selection_errors_have_reasons() {
    let preference = Preference { sku: Some("nothing/*".to_string()), ..Default::default() };
    let error = Plan::<EmbeddingBackward>::select(&Stream::host(), &embedding(Dtype::F32), &preference).unwrap_err();
    assert_eq!(error.code, Status::UNSUPPORTED);
    assert!(error.message.contains("embedding_backward") && error.message.contains("nothing/*"), "{}", error);
    assert!(!error.rejections.is_empty());
    assert!(error.rejections.iter().all(|r| r.code != Status::OK && r.reason.contains("nothing/*")));
    let boxed: Box<dyn std::error::Error> = Box::new(error);
    assert!(boxed.to_string().starts_with("unsupported: "));

    let error = Plan::<EmbeddingBackward>::select(&Stream::host(), &embedding(Dtype::I8), &Preference::default()).unwrap_err();
    assert!(error.message.contains("i8.i64"), "{}", error);
    let wrong = EmbeddingBackwardDescriptor { embedding_dim: -3, ..embedding(Dtype::F32) };
    let error = Plan::<EmbeddingBackward>::select(&Stream::host(), &wrong, &Preference::default()).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Status::INVALID_PROBLEM, "embedding_backward: embedding_dim = -3 is negative"));
    let preference = Preference { sku: Some("a\0b".to_string()), ..Default::default() };
    let error = Plan::<EmbeddingBackward>::select(&Stream::host(), &embedding(Dtype::F32), &preference).unwrap_err();
    assert_eq!(error.code, Status::INVALID_ARGUMENT);
    assert_eq!(Stream::offline("sm_1").unwrap_err().code, Status::INVALID_ARGUMENT);
}

#[test]
fn run_errors_name_the_argument() {
    let plan = plan(Dtype::F32);
    let dout = [1f32; 6];
    let mut short = [9f32; 7];
    let mut call = HostCall::new();
    call.read(EmbeddingBackward::DOUT, &dout).read(EmbeddingBackward::INDICES, &INDICES).write(EmbeddingBackward::DWEIGHT, &mut short);
    let error = plan.run_host(&mut call).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Status::BUFFER_TOO_SMALL, "embedding_backward: dweight needs 32 bytes, got 28"));
    assert_eq!(short, [9.0; 7]);

    let mut dweight = [9f32; 8];
    let mut call = HostCall::new();
    call.read(EmbeddingBackward::DOUT, &dout).read(EmbeddingBackward::INDICES, &[1i32, 2, 3]).write(EmbeddingBackward::DWEIGHT, &mut dweight);
    assert_eq!(plan.run_host(&mut call).unwrap_err().code, Status::DTYPE_MISMATCH);
    assert_eq!(plan.run_host(&mut HostCall::new()).unwrap_err().code, Status::NULL_BUFFER);

    let offline = Stream::offline("sm_90a").unwrap();
    assert!(!offline.is_host() && offline.device().is_none());
    // SAFETY: refused before anything is accessed.
    let error = unsafe { plan.run(&offline, &Workspace::default(), &Default::default()) }.unwrap_err();
    assert_eq!(error.code, Status::STREAM_MISMATCH);
}

#[test]
fn a_false_header_is_replaced() {
    let mut descriptor = embedding(Dtype::F32);
    descriptor.header.struct_size = 1 << 40;
    descriptor.header.next = 8 as *const _;
    let plan = Plan::<EmbeddingBackward>::select(&Stream::host(), &descriptor, &Preference::default()).unwrap();
    assert_eq!(plan.sku().unwrap().op, "embedding_backward");
}

#[test]
fn plans_tell_what_they_are() {
    let plan = plan(Dtype::BF16);
    let sku = plan.sku().unwrap();
    assert_eq!(sku.id, "embedding_backward/reference/bf16.i64/host");
    assert_eq!((sku.backend, sku.signature.as_str()), (Backend::HOST, "bf16.i64"));
    assert!(plan.guarantee().unwrap().determinism >= Determinism::RUN_TO_RUN);
    assert_eq!(plan.info().unwrap().workspace_size, plan.workspace_size());
    assert!(format!("{:?}", plan).contains(&sku.id));
    assert!(Sku::all().unwrap().contains(&sku));
    let candidates = Plan::<EmbeddingBackward>::explain(&Stream::host(), &embedding(Dtype::BF16), &Preference::default()).unwrap();
    assert!(candidates.iter().any(|c| c.code == Status::OK && c.sku == sku.id));
}

#[test]
fn plans_are_shared_between_threads() {
    let plan = plan(Dtype::F32);
    let threads: Vec<_> = (0..4)
        .map(|i| {
            let plan = plan.clone();
            std::thread::spawn(move || {
                for _ in 0..100 {
                    let dout = [i as f32; 6];
                    let mut dweight = [9f32; 8];
                    let mut call = HostCall::new();
                    call.read(EmbeddingBackward::DOUT, &dout)
                        .read(EmbeddingBackward::INDICES, &INDICES)
                        .write(EmbeddingBackward::DWEIGHT, &mut dweight);
                    plan.run_host(&mut call).unwrap();
                    assert_eq!(dweight[4], 2.0 * i as f32);
                }
            })
        })
        .collect();
    drop(plan);
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn names() {
    check_version().unwrap();
    // 0.9.0-dev0 here is 0.9.0.dev0 there, with a commit behind it.
    assert!(version().starts_with(&env!("CARGO_PKG_VERSION").replace('-', ".")), "{}", version());
    assert_eq!(Dtype::BF16.to_string(), "bf16");
    assert_eq!(Dtype(77).to_string(), "77");
    assert_eq!(format!("{:?} {:?}", Dtype::I64, Dtype(77)), "Dtype::I64 Dtype(77)");
    assert_eq!(Status::MISALIGNED.to_string(), "misaligned");
    assert_eq!([1.0f32, 1.0 + 1.0 / 256.0, 1.0 + 3.0 / 256.0].map(|x| Bf16::from_f32(x).0), [0x3f80, 0x3f80, 0x3f82]);
}

#[test]
fn a_kernel_of_the_caller_is_checked_before_it_is_loaded() {
    let numel = [4i64];
    let ptx = |kind: &str| format!(".version 8.0\n.target sm_80\n.visible .entry k(.param .u64 x, .param .u64 y, .param .{kind} n) {{ ret; }}");
    let select = |code: &str| {
        let descriptor = UserKernelDescriptor {
            code_bytes: code.len() as i64,
            code: code.as_ptr().cast(),
            code_kind: sys::ADJ_CODE_PTX,
            entry: b"k\0".as_ptr().cast(),
            input_count: 1,
            input_numel: numel.as_ptr(),
            output_count: 1,
            output_numel: numel.as_ptr(),
            integer_count: 1,
            integers: numel.as_ptr(),
            grid: [1].into(),
            block: [32].into(),
            element: Dtype::F32,
            ..Default::default()
        };
        // SAFETY: what the descriptor points to lives until select returns.
        unsafe { Plan::<UserKernel>::select_raw(&Stream::offline("sm_90a").unwrap(), &descriptor, &Preference::default()) }
    };
    assert_eq!(select(&ptx("u64")).unwrap().sku().unwrap().id, "user_kernel/code/f32/sm80");
    let error = select(&ptx("u32")).unwrap_err();
    assert!(error.message.contains("parameter 2 of k has 4 bytes in the code, integers[0]"), "{error}");
}
