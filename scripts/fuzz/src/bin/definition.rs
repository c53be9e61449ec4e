//! The parser of definitions: any text. What it refuses is one message that names the file, whatever is in it. The file is
//! named after the id that the text gives, or everything would end at that check.
#![no_main]

use experiments::spec::Definition;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let id = text.split("id = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("none");
    let name = format!("{id}.toml");
    match Definition::parse(&name, text) {
        Ok(definition) => assert!(definition.text == text && definition.id == id),
        Err(error) => {
            assert_eq!(error.exit_code(), 2, "{error}");
            assert!(error.to_string().contains(":"), "{error}");
        }
    }
});
