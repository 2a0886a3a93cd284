//! Collectives and events: every rank is a thread, in safe code.
#![forbid(unsafe_code)]
use adjoint::*;
use std::sync::atomic::{AtomicBool, Ordering};

const F32: Dtype = Dtype::F32;

/// What `f` returns on each of two ranks, which run at the same time.
fn on_two_ranks<T: Send>(f: impl Fn(usize, &mut HostCommunicator) -> T + Sync) -> [T; 2] {
    let ranks = HostCommunicator::create(2).unwrap();
    std::thread::scope(|scope| {
        let threads: Vec<_> = ranks
            .into_iter()
            .enumerate()
            .map(|(rank, mut communicator)| {
                let f = &f;
                // A rank stays until the other has returned as well, or that would get an error in place of a late result.
                scope.spawn(move || {
                    let result = f(rank, &mut communicator);
                    (result, communicator)
                })
            })
            .collect();
        let done: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
        let mut results = done.into_iter().map(|(result, _)| result);
        [results.next().unwrap(), results.next().unwrap()]
    })
}

fn plan<O: KnownOp>(descriptor: &O::Descriptor, sizes: Option<Integers<O>>) -> Plan<O> {
    let mut problem = Problem::<O>::new(descriptor);
    if let Some(field) = sizes {
        problem.integers(field, &[2]);
    }
    problem.select(&Stream::host(), &Preference::default()).unwrap()
}

#[test]
fn sums_over_ranks() {
    let descriptor = AllReduceDescriptor { element: F32, reduction: CollectiveReduction::MAX, ..Default::default() };
    let most = plan::<AllReduce>(&descriptor, Some(AllReduce::FIELD_NUMEL));
    let adasum =
        plan::<AdasumAllReduce>(&AdasumAllReduceDescriptor { ranks: 2, element: F32, ..Default::default() }, Some(AdasumAllReduce::FIELD_NUMEL));
    let results = on_two_ranks(|rank, communicator| {
        let own = if rank == 0 { [1f32, 0.0] } else { [0f32, 3.0] };
        let (mut maximum, mut together) = ([9f32; 2], [9f32; 2]);
        let mut call = HostCall::new();
        call.read_list(AllReduce::INPUTS, [&own]).write_list(AllReduce::OUTPUTS, [&mut maximum]).communicator(AllReduce::COMMUNICATOR, communicator);
        most.run_host(&mut call).unwrap();
        let mut call = HostCall::new();
        call.read_list(AdasumAllReduce::INPUTS, [&own])
            .write_list(AdasumAllReduce::OUTPUTS, [&mut together])
            .communicator(AdasumAllReduce::COMMUNICATOR, communicator);
        adasum.run_host(&mut call).unwrap();
        (maximum, together)
    });
    // Orthogonal vectors are added up.
    assert_eq!(results, [([1.0, 3.0], [1.0, 3.0]); 2]);
}

#[test]
fn parts_of_ranks() {
    let gather = plan::<AllGather>(&AllGatherDescriptor { ranks: 2, element: F32, ..Default::default() }, Some(AllGather::FIELD_NUMEL));
    let scatter = plan::<ReduceScatter>(&ReduceScatterDescriptor { ranks: 2, element: F32, ..Default::default() }, Some(ReduceScatter::FIELD_NUMEL));
    let results = on_two_ranks(|rank, communicator| {
        let own = [rank as f32, 10.0];
        let (mut all, mut part) = ([9f32; 4], [9f32; 2]);
        let mut call = HostCall::new();
        call.read_list(AllGather::INPUTS, [&own]).write_list(AllGather::OUTPUTS, [&mut all]).communicator(AllGather::COMMUNICATOR, communicator);
        gather.run_host(&mut call).unwrap();
        let mut call = HostCall::new();
        call.read_list(ReduceScatter::INPUTS, [&all])
            .write_list(ReduceScatter::OUTPUTS, [&mut part])
            .communicator(ReduceScatter::COMMUNICATOR, communicator);
        scatter.run_host(&mut call).unwrap();

        let mut in_place = [9f32; 4];
        in_place[2 * rank..2 * rank + 2].copy_from_slice(&own);
        let mut call = HostCall::new();
        call.in_place_parts(AllGather::OUTPUTS, AllGather::INPUTS, (rank as u64, 2), [&mut in_place])
            .communicator(AllGather::COMMUNICATOR, communicator);
        gather.run_host(&mut call).unwrap();
        assert_eq!(in_place, all);
        let mut call = HostCall::new();
        call.in_place_parts(ReduceScatter::INPUTS, ReduceScatter::OUTPUTS, (rank as u64, 2), [&mut in_place])
            .communicator(ReduceScatter::COMMUNICATOR, communicator);
        scatter.run_host(&mut call).unwrap();
        assert_eq!(in_place[2 * rank..2 * rank + 2], part);

        let mut call = HostCall::new();
        call.in_place_parts(AllGather::OUTPUTS, AllGather::INPUTS, (2, 2), [&mut in_place]).communicator(AllGather::COMMUNICATOR, communicator);
        assert_eq!(gather.run_host(&mut call).unwrap_err().message, "all_gather: inputs: there is no part 2 of 2");
        let mut call = HostCall::new();
        call.in_place_parts(AllGather::OUTPUTS, AllGather::INPUTS, (0, 3), [&mut in_place]).communicator(AllGather::COMMUNICATOR, communicator);
        assert_eq!(gather.run_host(&mut call).unwrap_err().message, "all_gather: outputs: 16 bytes have no 3 equal parts");
        (all, part)
    });
    let all = [0.0, 10.0, 1.0, 10.0];
    assert_eq!(results, [(all, [0.0, 20.0]), (all, [2.0, 20.0])]);
}

#[test]
fn messages_between_ranks() {
    let send = plan::<SendOp>(&SendOpDescriptor { peer: 1, element: F32, ..Default::default() }, Some(SendOp::FIELD_NUMEL));
    let recv = plan::<Recv>(&RecvDescriptor { peer: 0, element: F32, ..Default::default() }, Some(Recv::FIELD_NUMEL));
    let broadcast = plan::<Broadcast>(&BroadcastDescriptor { root: 1, element: F32, ..Default::default() }, Some(Broadcast::FIELD_NUMEL));
    let results = on_two_ranks(|rank, communicator| {
        let mut values = [rank as f32, 7.0];
        if rank == 0 {
            let mut call = HostCall::new();
            call.read_list(SendOp::TENSORS, [&values]).communicator(SendOp::COMMUNICATOR, communicator);
            send.run_host(&mut call).unwrap();
        } else {
            let mut call = HostCall::new();
            call.write_list(Recv::TENSORS, [&mut values]).communicator(Recv::COMMUNICATOR, communicator);
            recv.run_host(&mut call).unwrap();
            assert_eq!(values, [0.0, 7.0]);
            values = [3.0, 4.0];
        }
        let mut call = HostCall::new();
        call.write_list(Broadcast::TENSORS, [&mut values]).communicator(Broadcast::COMMUNICATOR, communicator);
        broadcast.run_host(&mut call).unwrap();
        values
    });
    assert_eq!(results, [[3.0, 4.0]; 2]);
}

#[test]
fn both_ends_of_a_parallel_block() {
    let begin = plan::<MegatronF>(&MegatronFDescriptor { numel: 2, element: F32, backward: 1, ..Default::default() }, None);
    let end = plan::<MegatronG>(&MegatronGDescriptor { numel: 2, element: F32, ..Default::default() }, None);
    let results = on_two_ranks(|rank, communicator| {
        let (input, mut sum, mut in_place) = ([1.0 + rank as f32, 0.5], [9f32; 2], [rank as f32, 0.25]);
        let mut call = HostCall::new();
        call.read(MegatronF::INPUT, &input).write(MegatronF::OUTPUT, &mut sum).communicator(MegatronF::COMMUNICATOR, communicator);
        begin.run_host(&mut call).unwrap();
        let mut call = HostCall::new();
        call.in_place(MegatronG::INPUT, MegatronG::OUTPUT, &mut in_place).communicator(MegatronG::COMMUNICATOR, communicator);
        end.run_host(&mut call).unwrap();
        (sum, in_place)
    });
    assert_eq!(results, [([3.0, 1.0], [1.0, 0.5]); 2]);
}

#[test]
fn a_rank_that_is_gone_and_a_handle_of_another_kind_are_errors() {
    assert!(HostCommunicator::create(0).unwrap_err().message.contains("ranks = 0"));
    assert!(HostCommunicator::create(u16::MAX).unwrap_err().message.contains("ranks = 65535"));
    let sum = plan::<AllReduce>(&AllReduceDescriptor { element: F32, ..Default::default() }, Some(AllReduce::FIELD_NUMEL));
    let own = [1f32; 2];
    let run =
        |give: &dyn for<'a> Fn(&mut HostCall<'a, AllReduce>, &'a mut HostCommunicator, &'a HostEvent), communicator: &mut HostCommunicator, event| {
            let mut out = [9f32; 2];
            let mut call = HostCall::new();
            call.read_list(AllReduce::INPUTS, [&own]).write_list(AllReduce::OUTPUTS, [&mut out]);
            give(&mut call, communicator, event);
            let error = sum.run_host(&mut call).unwrap_err();
            assert_eq!(out, [9.0; 2]);
            error
        };
    let event = HostEvent::new().unwrap();
    let mut ranks = HostCommunicator::create(2).unwrap();
    drop(ranks.pop());
    let communicator = &mut ranks[0];
    let gone = run(
        &|call, c, _| {
            call.communicator(AllReduce::COMMUNICATOR, c);
        },
        communicator,
        &event,
    );
    assert!(gone.message.contains("rank 1 has been destroyed"), "{gone}");
    let other = run(
        &|call, _, e| {
            call.event(AllReduce::COMMUNICATOR, e);
        },
        communicator,
        &event,
    );
    assert!(other.message.contains("is not a handle of adj_host_comm_create"), "{other}");
    let none = run(&|_, _, _| {}, communicator, &event);
    assert_eq!(none.message, "all_reduce: communicator is required and null");
}

#[test]
fn a_thread_waits_for_an_event() {
    let (event, recorded) = (HostEvent::new().unwrap(), AtomicBool::new(false));
    for _ in 0..2 {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let plan = plan::<WaitEvent>(&WaitEventDescriptor { element: F32, ..Default::default() }, Some(WaitEvent::FIELD_NUMEL));
                let (input, mut out) = ([2.5f32; 2], [0f32; 2]);
                let mut call = HostCall::new();
                call.read_list(WaitEvent::INPUTS, [&input]).write_list(WaitEvent::OUTPUTS, [&mut out]).event(WaitEvent::EVENT, &event);
                plan.run_host(&mut call).unwrap();
                assert!(recorded.load(Ordering::SeqCst));
                assert_eq!(out, input);
            });
            let plan = plan::<RecordEvent>(&RecordEventDescriptor { element: F32, ..Default::default() }, None);
            let mut call = HostCall::new();
            call.event(RecordEvent::EVENT, &event);
            recorded.store(true, Ordering::SeqCst);
            plan.run_host(&mut call).unwrap();
        });
        event.reset().unwrap();
        recorded.store(false, Ordering::SeqCst);
    }
}
