//! Notes the compiler and the build's options for the manifests of runs.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let note = |name: &str, value: String| println!("cargo::rustc-env=BLOOMERY_{name}={value}");
    note("RUSTC", version.unwrap_or_else(|_| "unknown".to_owned()));
    // PROFILE says debug for the dev profile whatever its options are.
    note("PROFILE", format!("opt-level {}", env::var("OPT_LEVEL").unwrap_or_default()));
    note("TARGET", env::var("TARGET").unwrap_or_default());
    note("FEATURES", env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
}
