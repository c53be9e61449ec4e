use amq::{BuildError, Digest, IncrementalFilter};

/// compressed for 3000 keys: 49.51 bits a key, 0.02 of absent keys are answered with yes.
/// `hashing::KeyHasher` and `hashing::Key::digest` make digests of keys.
pub fn filter_of(keys: &[Digest], seed: u64) -> Result<compressed::CompressedBloom, BuildError> {
    let params = compressed::Params { m: 148496, k: 1 };
    let mut filter: compressed::CompressedBloom = IncrementalFilter::empty(&params, seed)?;
    filter.insert_batch(keys)?;
    Ok(filter)
}
