use amq::{BuildError, Digest, IncrementalFilter};

/// counting-2 for 3000 keys: 16.3 bits a key, 0.02003 of absent keys are answered with yes.
/// `hashing::KeyHasher` and `hashing::Key::digest` make digests of keys.
pub fn filter_of(keys: &[Digest], seed: u64) -> Result<counting::CountingBloom<2>, BuildError> {
    let params = counting::Params { m: 24448, k: 6 };
    let mut filter: counting::CountingBloom<2> = IncrementalFilter::empty(&params, seed)?;
    filter.insert_batch(keys)?;
    Ok(filter)
}
