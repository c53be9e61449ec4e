//! Notes the compiler and the build's options for the manifests of runs, and which programs tests may use.

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
    // Tests of the report's script and of its page need them; without them those tests say that they are ignored.
    for (flag, names) in
        [("has_node", &["node"][..]), ("has_chromium", &["chromium", "chromium-browser", "google-chrome"])]
    {
        println!("cargo::rustc-check-cfg=cfg({flag})");
        let path = env::var_os("PATH").unwrap_or_default();
        let mut files = env::split_paths(&path).flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        if files.any(|file| file.is_file()) {
            println!("cargo::rustc-cfg={flag}");
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
}
