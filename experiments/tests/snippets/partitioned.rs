use amq::{BuildError, Digest, IncrementalFilter};

/// partitioned for 3000 keys: 8.149 bits a key, 0.02009 of absent keys are answered with yes.
/// `hashing::KeyHasher` and `hashing::Key::digest` make digests of keys.
pub fn filter_of(keys: &[Digest], seed: u64) -> Result<partitioned::PartitionedBloom, BuildError> {
    let params = partitioned::Params { slice_bits: 4072, k: 6 };
    let mut filter: partitioned::PartitionedBloom = IncrementalFilter::empty(&params, seed)?;
    filter.insert_batch(keys)?;
    Ok(filter)
}
