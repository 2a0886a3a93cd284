//! Training steps on the host: a table of scores learns which byte follows which. Exits with 0 when the loss falls as it has to.
use adjoint::*;

fn main() -> Result<()> {
    const BYTES: usize = 256;
    let text = b"the quick brown fox jumps over the lazy dog, and the lazy dog sleeps on";
    let codes: Vec<i64> = text.iter().map(|&byte| byte.into()).collect();
    let (previous, next) = (&codes[..codes.len() - 1], &codes[1..]);
    let (stream, preference) = (Stream::host(), Preference::default()); // on a GPU: Plan::run, which is unsafe
    let (bytes, tokens, numel) = (BYTES as i64, previous.len() as i64, [(BYTES * BYTES) as i64]);
    let (element, index) = (Dtype::F32, Dtype::I64);

    let lookup =
        EmbeddingForwardDescriptor { num_embeddings: bytes, embedding_dim: bytes, num_indices: tokens, element, index, ..Default::default() };
    let entropy = CrossEntropyWithGradientDescriptor { samples: tokens, num_classes: bytes, element, label: index, ..Default::default() };
    let sum = EmbeddingBackwardDescriptor { num_embeddings: bytes, embedding_dim: bytes, num_indices: tokens, element, index, ..Default::default() };
    let update = AdamDescriptor { param: element, ..Default::default() };
    let lookup = Plan::<EmbeddingForward>::select(&stream, &lookup, &preference)?;
    let entropy = Plan::<CrossEntropyWithGradient>::select(&stream, &entropy, &preference)?;
    let sum = Plan::<EmbeddingBackward>::select(&stream, &sum, &preference)?;
    let update = Problem::<Adam>::new(&update).integers(Adam::FIELD_NUMEL, &numel).select(&stream, &preference)?;

    let zeros = || vec![0f32; BYTES * BYTES];
    let (mut weight, mut gradient, mut exp_avg, mut exp_avg_sq) = (zeros(), zeros(), zeros(), zeros());
    let mut scores = vec![0f32; previous.len() * BYTES];
    let mut dscores = scores.clone();
    let mut loss = [0f32];
    for step in 1..=60 {
        lookup.run_host(
            HostCall::new()
                .read(EmbeddingForward::WEIGHT, &weight)
                .read(EmbeddingForward::INDICES, previous)
                .write(EmbeddingForward::OUT, &mut scores),
        )?;
        entropy.run_host(
            HostCall::new()
                .read(CrossEntropyWithGradient::SCORES, &scores)
                .read(CrossEntropyWithGradient::LABELS, next)
                .write(CrossEntropyWithGradient::LOSS, &mut loss)
                .write(CrossEntropyWithGradient::DSCORES, &mut dscores),
        )?;
        sum.run_host(
            HostCall::new()
                .read(EmbeddingBackward::DOUT, &dscores)
                .read(EmbeddingBackward::INDICES, previous)
                .write(EmbeddingBackward::DWEIGHT, &mut gradient),
        )?;
        update.run_host(
            HostCall::new()
                .write_list(Adam::PARAMS, [&mut weight])
                .write_list(Adam::GRADS, [&mut gradient])
                .write_list(Adam::EXP_AVG, [&mut exp_avg])
                .write_list(Adam::EXP_AVG_SQ, [&mut exp_avg_sq])
                .scalar(Adam::LR, 0.3)
                .scalar(Adam::STEP, step.into()),
        )?;
    }
    println!("{:.3} nats per byte", loss[0]);
    assert!(loss[0] < 1.0);
    Ok(())
}
