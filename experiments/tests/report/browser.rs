//! The page in headless Chromium: no error, no request, and sorting, filtering, choosing, calculating and pointing work. Needs `chromium`.

use std::path::{Path, PathBuf};
use std::process::Command;

use experiments::plan::{Ranking, Wish};
use experiments::registry::Registry;
use serde_json::Value;

use super::program;
use crate::common::{folder, text};

/// Before everything else on the page: what goes wrong is written down.
const WATCH: &str = "<script>window.driverErrors=[];\
    addEventListener('error',e=>driverErrors.push('error: '+e.message));\
    addEventListener('unhandledrejection',e=>driverErrors.push('rejection: '+e.reason));\
    addEventListener('securitypolicyviolation',e=>driverErrors.push('request: '+e.blockedURI+' '+e.violatedDirective));\
    for(const name of ['error','warn']){const say=console[name];console[name]=(...all)=>{driverErrors.push(name+': '+all.join(' '));say(...all)}}\
    </script>";

/// Opens a page and gives what it is after its scripts have run, and what the browser said of its console.
fn open(page: &Path, width: u32) -> (String, Vec<String>) {
    let (home, frame) = (page.with_extension("profile"), page.with_extension("frame.html"));
    let name = page.file_name().unwrap().to_str().unwrap();
    // A window has its least width, a frame has none.
    let around = format!(
        "<iframe src=\"{name}\" style=\"border:0;width:{width}px;height:900px\"></iframe><pre id=\"driver-result\"></pre>\
         <script>addEventListener('message',e=>document.querySelector('pre').textContent=e.data)</script>"
    );
    std::fs::write(&frame, around).unwrap();
    let output = Command::new(program(&["chromium", "chromium-browser", "google-chrome"]))
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom"])
        .arg("--window-size=1400,1000")
        .arg(format!("--user-data-dir={}", home.display()))
        .arg(format!("file://{}", frame.display()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let console = said.lines().filter(|line| line.contains("CONSOLE")).map(ToOwned::to_owned).collect();
    (String::from_utf8(output.stdout).unwrap(), console)
}

/// The text of the element with this id, with its entities read.
fn content(page: &str, id: &str) -> String {
    let start = page.find(&format!("id=\"{id}\">")).unwrap_or_else(|| panic!("no #{id}")) + id.len() + 6;
    let text = &page[start..start + page[start..].find("</pre>").unwrap()];
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", "\u{a0}"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

/// A report of two experiments at smoke scale, with its watch and its driver.
fn driven(name: &str) -> (PathBuf, PathBuf) {
    let out = folder(name);
    let ran = crate::cli::run(&format!("run fpr-vs-k overhead --scale smoke --out {}", out.display()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    let driver = text("experiments/tests/report/driver.js");
    let page = page.replacen("<head>", &format!("<head>{WATCH}"), 1);
    let page = page.replacen("</body>", &format!("<script>{driver}</script></body>"), 1);
    let path = out.join("driven.html");
    std::fs::write(&path, page).unwrap();
    (out, path)
}

#[test]
#[cfg_attr(
    not(has_chromium),
    ignore = "chromium was not in PATH when this was compiled; with it: touch experiments/build.rs, and again"
)]
fn the_page_works_in_a_browser() {
    let (out, page) = driven("report-browser");
    for width in [1280, 360] {
        let (dom, console) = open(&page, width);
        let said: Value = serde_json::from_str(&content(&dom, "driver-result")).unwrap();
        assert_eq!(said["errors"], serde_json::json!([]), "at {width}");
        assert!(said["steps"].as_u64().unwrap() >= 27, "{said:#}");
        assert_eq!((said["requests"].as_array().unwrap().len(), console.len()), (0, 0), "{said:#} {console:?}");
        let [inner, scrolled] = [0, 1].map(|index| said["width"][index].as_u64().unwrap());
        assert!(scrolled <= inner, "at {width} the page is wider than the window: {scrolled}");
        let derived = std::fs::read_to_string(out.join("derived/fpr-vs-k.csv")).unwrap();
        assert_eq!(said["csv"], derived, "the CSV is not the derived table");
        let registry = Registry::workspace();
        for choice in said["choices"].as_array().unwrap() {
            let arrival = choice["arrival"].as_str().unwrap();
            let wish = Wish {
                keys: 1_000_000,
                fpr: Some(0.01),
                budget: None,
                delete: choice["remove"].as_bool().unwrap(),
                stream: arrival == "stream",
                fixed: arrival == "static",
                transmit: choice["transmit"].as_bool().unwrap(),
            };
            let ranked = Ranking::new(&registry, &wish).map(|ranking| ranking.candidates).unwrap_or_default();
            let ids: Vec<&str> = ranked.iter().map(|candidate| candidate.contender.id).collect();
            assert_eq!(choice["best"], serde_json::json!(ids), "{choice:#}");
            // The command that it names says the same.
            let command = choice["command"].as_str().unwrap().strip_prefix("cargo run -p experiments -- ").unwrap();
            let planned = crate::cli::run(&format!("{command} --format csv"));
            let rows = if planned.code == 0 { planned.rows() } else { Vec::new() };
            assert_eq!(rows.iter().map(|row| row["contender"].as_str()).collect::<Vec<_>>(), ids, "{command}");
        }
    }
}

/// The driver's watch sees what it is there for: a page that asks for a file and throws does not pass.
#[test]
#[cfg_attr(
    not(has_chromium),
    ignore = "chromium was not in PATH when this was compiled; with it: touch experiments/build.rs, and again"
)]
fn a_request_and_an_error_are_seen() {
    let (_, page) = driven("report-broken");
    let broken = page.with_file_name("broken.html");
    let bad = "<img src=\"https://example.invalid/x.png\"><script>throw new Error('deliberate')</script><pre>";
    let text = std::fs::read_to_string(&page).unwrap().replacen("<h1>", &format!("{bad}</pre><h1>"), 1);
    std::fs::write(&broken, text).unwrap();
    let (dom, console) = open(&broken, 1280);
    let said: Value = serde_json::from_str(&content(&dom, "driver-result")).unwrap();
    let errors = said["errors"].to_string();
    assert!(errors.contains("request: https://example.invalid") && errors.contains("deliberate"), "{said:#}");
    assert!(!console.is_empty());
}
