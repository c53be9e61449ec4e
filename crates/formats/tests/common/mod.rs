//! What the tests share: published filters, and the items they were made of.
#![allow(dead_code, reason = "each test file uses a part")]

use formats::bip158::{Key, block_key};
use formats::{Bip37Bloom, GolombSet, GuavaBloom, ParquetBloom, Strategy, Wire};

/// Bytes of a text of hexadecimal digits.
pub fn hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "{text}");
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(digit).collect()
}

/// A block of testnet: its hash as it is printed, the scripts of its basic filter, the filter.
pub struct Block {
    pub hash: &'static str,
    pub scripts: &'static [&'static str],
    pub filter: &'static str,
}

impl Block {
    pub fn key(&self) -> Key {
        let mut hash: [u8; 32] = hex(self.hash).try_into().expect("32 bytes");
        hash.reverse();
        block_key(&hash)
    }

    pub fn items(&self) -> Vec<Vec<u8>> {
        self.scripts.iter().map(|script| hex(script)).collect()
    }
}

/// All blocks of `bip-0158/testnet-19.json`, the test vectors of BIP 158. The scripts are what the BIP puts into the basic
/// filter, taken out of the blocks there: outputs and spent outputs, without empty ones and those that begin with OP_RETURN.
pub const BLOCKS: [Block; 10] = [
    Block {
        hash: "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
        scripts: &[
            "4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac",
        ],
        filter: "019dfca8",
    },
    Block {
        hash: "000000006c02c8ea6e4ff69651f7fcde348fb9d557a06e6957b65552002a7820",
        scripts: &["21038a7f6ef1c8ca0c588aa53fa860128077c9e6c11e6830f4d7ee4e763a56b7718fac"],
        filter: "0174a170",
    },
    Block {
        hash: "000000008b896e272758da5297bcd98fdc6d97c9b765ecec401e286dc1fdbe10",
        scripts: &["2103f6d9ff4c12959445ca5549c811683bf9c88e637b222dd2e0311154c4c85cf423ac"],
        filter: "016cf7a0",
    },
    Block {
        hash: "0000000038c44c703bae0f98cdd6bf30922326340a5996cc692aaae8bacf47ad",
        scripts: &["2103f268e9ae07e0f8cb2f6e901d87c510d650b97230c0365b021df8f467363cafb1ac"],
        filter: "013c3710",
    },
    Block {
        hash: "0000000018b07dca1b28b4b5a119f6d6e71698ce1ed96f143f54179ce177a19c",
        scripts: &[
            "2102971dd6034ed0cf52450b608d196c07d6345184fcb14deb277a6b82d526a6163dac",
            "76a91445db0b779c0b9fa207f12a8218c94fc77aff504588ac",
            "5221033423007d8f263819a2e42becaaf5b06f34cb09919e06304349d950668209eaed21021d69e2b68c3960903b702af7829fadcd80bd89b158150c85c4a75b2c8cb9c39452ae",
            "52210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179821021d69e2b68c3960903b702af7829fadcd80bd89b158150c85c4a75b2c8cb9c39452ae",
            "522102a7ae1e0971fc1689bd66d2a7296da3a1662fd21a53c9e38979e0f090a375c12d21022adb62335f41eb4e27056ac37d462cda5ad783fa8e0e526ed79c752475db285d52ae",
            "52210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179821022adb62335f41eb4e27056ac37d462cda5ad783fa8e0e526ed79c752475db285d52ae",
            "512103b9d1d0e2b4355ec3cdef7c11a5c0beff9e8b8d8372ab4b4e0aaf30e80173001951ae",
            "76a9149144761ebaccd5b4bbdc2a35453585b5637b2f8588ac",
            "522103f1848b40621c5d48471d9784c8174ca060555891ace6d2b03c58eece946b1a9121020ee5d32b54d429c152fdc7b1db84f2074b0564d35400d89d11870f9273ec140c52ae",
            "76a914f4fa1cc7de742d135ea82c17adf0bb9cf5f4fb8388ac",
        ],
        filter: "0afbc2920af1b027f31f87b592276eb4c32094bb4d3697021b4c6380",
    },
    Block {
        hash: "00000000fd3ceb2404ff07a785c7fdcc76619edc8ed61bd25134eaa22084366a",
        scripts: &[
            "2102e769e60137a4df6b0df8ebd387cca44c4c57ae74cc0114a8e8317c8f3bfd85e9ac",
            "2103bb52138972c48a132fc1f637858c5189607dd0f7fe40c4f20f6ad65f2d389ba4ac",
            "76a9147779b7fba1c1e06b717069b80ca170e8b04458a488ac",
            "76a9142a0307cd925dbb66b534c4db33003dd18c57015788ac",
            "76a914ae19d27efe12f5a886dc79af37ad6805db6f922d88ac",
            "76a9143b8d051d37a07ea1042067e93efe63dbf73920b988ac",
            "76a914797fb8777d7991d8284d88bfd421ce520f0f843188ac",
            "76a9146d10f3f592699265d10b106eda37c3ce793f7a8588ac",
            "76a9142903b138c24be9e070b3e73ec495d77a204615e788ac",
            "76a91433a1941fd9a37b9821d376f5a51bd4b52fa50e2888ac",
            "76a914e4374e8155d0865742ca12b8d4d14d41b57d682f88ac",
            "76a914001fa7459a6cfc64bdc178ba7e7a21603bb2568f88ac",
            "76a914f6039952bc2b307aeec5371bfb96b66078ec17f688ac",
        ],
        filter: "0db414c859a07e8205876354a210a75042d0463404913d61a8e068e58a3ae2aa080026",
    },
    Block {
        hash: "000000000000015d6077a411a8f5cc95caf775ccf11c54e27df75ce58d187313",
        // Some stand there more than once.
        scripts: &[
            "76a914876fbb82ec05caa6af7a3b5e5a983aae6c6cc6d688ac",
            "52534b424c4f434b3acd16772ad61a3c5f00287480b720f6035d5e54c9efc71be94bb5e3727f109090",
            "76a9143ebc40e411ed3c76f86711507ab952300890397288ac",
            "76a91450333046115eaa0ac9e0216565f945070e44573988ac",
            "76a914c01a7ca16b47be50cbdbc60724f701d52d75156688ac",
            "a914b7e6f7ff8658b2d1fb107e3d7be7af4742e6b1b387",
            "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac",
            "a9148fc37ad460fdfbd2b44fe446f6e3071a4f64faa687",
            "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac",
            "a914feb8a29635c56d9cd913122f90678756bf23887687",
            "76a914c01a7ca16b47be50cbdbc60724f701d52d75156688ac",
            "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac",
        ],
        filter: "09027acea61b6cc3fb33f5d52f7d088a6b2f75d234e89ca800",
    },
    Block {
        hash: "0000000000000c00901f2049055e2a437c819d79a3d54fd63e6af796cd7b8a79",
        scripts: &["76a914c486de584a735ec2f22da7cd9681614681f92173d83d0aa68688ac"],
        filter: "010c0b40",
    },
    Block {
        hash: "000000006f27ddfe1dd680044a34548f41bed47eba9e6f0b310da21423bc5f33",
        scripts: &[
            "76a914f2c25ac3d59f3d674b1d1d0a25c27339aaac0ba688ac",
            "001446c29eabe8208a33aa1023c741fa79aa92e881ff",
            "002027a5000c7917f785d8fc6e5a55adfca8717ecb973ebb7743849ff956d896a7ed",
        ],
        filter: "0385acb4f0fe889ef0",
    },
    Block { hash: "0000000000000027b2b3b3381f114f674f481544ff2be37ae3788d7e078383b1", scripts: &[], filter: "00" },
];

/// Filters of `bloom_create_insert_serialize`, `..._with_tweak` and `bloom_create_insert_key` in Bitcoin Core's
/// `src/test/bloom_tests.cpp`.
pub const BIP37: [&str; 4] = [
    "03614e9b050000000000000001",
    "03ce4299050000000100008001",
    "0302c12b080000000000000001",
    "038fc16b080000000000000001",
];

/// A Parquet filter of the texts `a0` to `a9`, bitset only, made by the Java implementation; quoted from the tests of the Rust
/// crate `parquet` (arrow-rs, `parquet/src/bloom_filter/mod.rs`), and its header of 32 bytes, from the same place.
pub const PARQUET_BITSET: [u8; 32] = [
    200, 1, 80, 20, 64, 68, 8, 109, 6, 37, 4, 67, 144, 80, 96, 32, 8, 132, 43, 33, 0, 5, 99, 65, 2, 0, 224, 44, 64, 78,
    96, 4,
];
pub const PARQUET_HEADER: [u8; 15] = [21, 64, 28, 28, 0, 0, 28, 28, 0, 0, 28, 28, 0, 0, 0];

/// Filters written by Guava 31.1 itself, with the program `tests/programs/Guava.java`. Guava publishes no bytes.
pub const GUAVA: [(&str, &str); 7] = [
    ("none", "01070000000200000000000000000000000000000000"),
    ("bytes", "01070000000215044482aead1234c63c79512b014139"),
    ("ints", "01050000000112ee240060048185"),
    ("longs", "010a00000002b088ae80290802ca8818802a0aa08882"),
    ("chars", "0104000000012490280410040001"),
    ("utf8", "0104000000013000001810d11601"),
    ("mitz32", "0007000000024f112448d2a80a5134982a9be4da5f45"),
];

/// The bytes of all of these.
pub fn published() -> Vec<Vec<u8>> {
    let blocks = BLOCKS.iter().map(|block| hex(block.filter));
    let guava = GUAVA.iter().map(|(_, filter)| hex(filter));
    blocks.chain(BIP37.iter().map(|filter| hex(filter))).chain(guava).chain([parquet()]).collect()
}

/// The Parquet filter with its header.
pub fn parquet() -> Vec<u8> {
    [&PARQUET_HEADER[..], &PARQUET_BITSET].concat()
}

/// Items that are all different.
pub fn items(range: std::ops::Range<u64>) -> Vec<Vec<u8>> {
    range.map(|index| format!("item {index}").into_bytes()).collect()
}

/// One larger filter of each format, with the items in it.
pub fn larger(items: &[Vec<u8>]) -> [Vec<u8>; 5] {
    let count = items.len() as u64;
    let mut bip37 = Bip37Bloom::for_items(count, 0.01, 5, 2).expect("in range");
    let mut parquet = ParquetBloom::for_items(count, 0.01).expect("in range");
    let mut guava = GuavaBloom::for_items(count, 0.01).expect("in range");
    let mut mitz32 = GuavaBloom::new(Strategy::Mitz32, 10 * count, 7).expect("in range");
    for item in items {
        bip37.insert(item);
        parquet.insert(item);
        guava.insert(item);
        mitz32.insert(item);
    }
    let set = GolombSet::build(&BLOCKS[0].key(), items).expect("in range");
    [bip37.encode(), parquet.encode(), guava.encode(), mitz32.encode(), set.encode()]
}
