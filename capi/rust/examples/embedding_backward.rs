//! Gradient of an embedding table: on the host stream, and on device 0 when there is one. Exits with 0 when every result
//! is the expected one.
#[path = "support/cuda_min.rs"]
mod cuda_min;

use adjoint::{
    tensor, Bf16, Dtype, EmbeddingBackward, EmbeddingBackwardArgs, EmbeddingBackwardDescriptor, HostCall, Plan, Preference, Status, Stream, Workspace,
};
use cuda_min::Cuda;
use std::error::Error;

/// A table of 4 rows of 2; token 1 looked up row 0, tokens 0 and 2 looked up row 2.
const INDICES: [i64; 3] = [2, 0, 2];
const DOUT: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
const EXPECTED: [f32; 8] = [3.0, 4.0, 0.0, 0.0, 6.0, 8.0, 0.0, 0.0];

fn descriptor() -> EmbeddingBackwardDescriptor {
    EmbeddingBackwardDescriptor { num_embeddings: 4, embedding_dim: 2, num_indices: 3, element: Dtype::BF16, index: Dtype::I64, ..Default::default() }
}

fn select(stream: &Stream) -> Result<Plan<EmbeddingBackward>, adjoint::Error> {
    let plan = Plan::select(stream, &descriptor(), &Preference::default())?;
    let sku = plan.sku()?;
    println!("{}: {}; error within {} ulp", sku.id, sku.summary, sku.guarantee.bound_ulp);
    Ok(plan)
}

fn check(place: &str, dweight: &[Bf16]) -> Result<(), Box<dyn Error>> {
    let values: Vec<f32> = dweight.iter().map(|x| x.to_f32()).collect();
    println!("  {}: {:?}", place, values);
    if values != EXPECTED {
        return Err(format!("on the {}: expected {:?}", place, EXPECTED).into());
    }
    Ok(())
}

fn on_host() -> Result<(), Box<dyn Error>> {
    let dout = DOUT.map(Bf16::from_f32);
    let mut dweight = [Bf16::from_f32(9.0); 8];
    let plan = select(&Stream::host())?;
    let mut call = HostCall::new();
    call.read(EmbeddingBackward::DOUT, &dout).read(EmbeddingBackward::INDICES, &INDICES).write(EmbeddingBackward::DWEIGHT, &mut dweight);
    plan.run_host(&mut call)?;
    check("host", &dweight)
}

fn on_device(cuda: &Cuda) -> Result<(), Box<dyn Error>> {
    let mut dweight = [Bf16::from_f32(9.0); 8];
    // SAFETY: a live stream; device memory of the stated sizes, freed after the copy back, which waits for the stream.
    unsafe {
        let stream = Stream::wrap(cuda.stream)?;
        let plan = select(&stream)?;
        let args = EmbeddingBackwardArgs {
            dout: tensor::<Bf16>(cuda.upload(&DOUT.map(Bf16::from_f32))?, 6),
            indices: tensor::<i64>(cuda.upload(&INDICES)?, 3),
            dweight: tensor::<Bf16>(cuda.upload(&dweight)?, 8),
            ..Default::default()
        };
        let workspace = Workspace { data: cuda.allocate(plan.workspace_size() as usize)?, bytes: plan.workspace_size() };
        plan.run(&stream, &workspace, &args)?;
        cuda.download(args.dweight.data, &mut dweight)?;
        for address in [args.dout.data, args.indices.data, args.dweight.data, workspace.data] {
            cuda.free(address)?;
        }
    }
    check("device", &dweight)
}

/// A wrong call changes nothing and says what is wrong.
fn on_error() -> Result<(), Box<dyn Error>> {
    let dout = DOUT.map(Bf16::from_f32);
    let mut short = [Bf16::default(); 7];
    let mut call = HostCall::new();
    call.read(EmbeddingBackward::DOUT, &dout).read(EmbeddingBackward::INDICES, &INDICES).write(EmbeddingBackward::DWEIGHT, &mut short);
    match select(&Stream::host())?.run_host(&mut call) {
        Err(error) if error.code == Status::BUFFER_TOO_SMALL => {
            println!("expected error: {}", error);
            Ok(())
        }
        other => Err(format!("a too small buffer gave {:?}", other).into()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("libadjoint {}", adjoint::version());
    on_host()?;
    on_error()?;
    println!("candidates on sm_90a:");
    for candidate in Plan::<EmbeddingBackward>::explain(&Stream::offline("sm_90a")?, &descriptor(), &Preference::default())? {
        println!("  {}: {}", candidate.sku, candidate.reason);
    }
    match if adjoint::device_count() > 0 { Cuda::open() } else { None } {
        None => println!("no CUDA device: ran on the host only"),
        Some(cuda) => {
            let cuda = cuda?;
            on_device(&cuda)?;
            cuda.close()?;
        }
    }
    println!("ok");
    Ok(())
}
