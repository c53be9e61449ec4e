//! Rust that builds a filter: the only place where a contender becomes text.

use amq::InvalidParams;

use crate::cli::output::rounded;
use crate::plan::Candidate;

/// A function that builds the candidate from digests of `keys` keys. It compiles in a crate that depends on `amq` and on
/// the variant's crate.
///
/// # Errors
/// [`InvalidParams`] for parameters that are not the candidate's.
pub fn rust(candidate: &Candidate, keys: u64) -> Result<String, InvalidParams> {
    let contender = &candidate.contender;
    // A path that came through a macro has spaces around its colons.
    let path = (contender.traits.path)().replace(" :: ", "::");
    let krate = path.split_once("::").map_or(String::new(), |(krate, _)| format!("{krate}::"));
    let literal = format!("{krate}{}", contender.literal(&candidate.params)?);
    let rate = rounded(candidate.prediction.rate, 4);
    let bits = rounded(candidate.bits_per_key, 4);
    let (rights, body) = if contender.traits.capabilities.incremental {
        let body = format!(
            "    let mut filter: {path} = IncrementalFilter::empty(&params, seed)?;\n    \
             filter.insert_batch(keys)?;\n    Ok(filter)\n"
        );
        ("IncrementalFilter", body)
    } else {
        ("StaticFilter", "    StaticFilter::build(&params, seed, keys)\n".to_owned())
    };
    Ok(format!(
        "use amq::{{BuildError, Digest, {rights}}};\n\n\
         /// {id} for {keys} keys: {bits} bits a key, {rate} of absent keys are answered with yes.\n\
         /// `hashing::KeyHasher` and `hashing::Key::digest` make digests of keys.\n\
         pub fn filter_of(keys: &[Digest], seed: u64) -> Result<{path}, BuildError> {{\n    \
         let params = {literal};\n{body}}}\n",
        id = contender.id,
    ))
}
