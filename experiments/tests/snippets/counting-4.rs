use amq::{BuildError, Digest, IncrementalFilter};

/// counting-4 for 3000 keys: 32.58 bits a key, 0.02008 of absent keys are answered with yes.
/// `hashing::KeyHasher` and `hashing::Key::digest` make digests of keys.
pub fn filter_of(keys: &[Digest], seed: u64) -> Result<counting::CountingBloom<4>, BuildError> {
    let params = counting::Params { m: 24432, k: 6 };
    let mut filter: counting::CountingBloom<4> = IncrementalFilter::empty(&params, seed)?;
    filter.insert_batch(keys)?;
    Ok(filter)
}
