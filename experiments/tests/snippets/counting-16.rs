use amq::{BuildError, Digest, IncrementalFilter};

/// counting-16 for 3000 keys: 130.3 bits a key, 0.02009 of absent keys are answered with yes.
/// `hashing::KeyHasher` and `hashing::Key::digest` make digests of keys.
pub fn filter_of(keys: &[Digest], seed: u64) -> Result<counting::CountingBloom<16>, BuildError> {
    let params = counting::Params { m: 24428, k: 6 };
    let mut filter: counting::CountingBloom<16> = IncrementalFilter::empty(&params, seed)?;
    filter.insert_batch(keys)?;
    Ok(filter)
}
