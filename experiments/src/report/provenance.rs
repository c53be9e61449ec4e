//! Where the numbers come from: commit, host, compiler, flags, seed of every run.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::pipeline::Derived;

pub(super) fn section(all: &[Derived]) -> Markup {
    let mut hosts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for derived in all {
        let manifest = &derived.manifest;
        let features = match manifest.target_features.len() {
            0 => String::new(),
            _ => format!(" with {}", manifest.target_features.join(", ")),
        };
        let text = format!(
            "commit {}{}; {}; {}{features}; {} with {} processors; {}; {}",
            manifest.commit,
            if manifest.dirty { " with changes" } else { "" },
            manifest.rustc,
            manifest.build,
            manifest.cpu,
            manifest.cpus,
            manifest.caches.join(", "),
            manifest.system,
        );
        hosts.entry(text).or_default().push(&derived.definition.id);
    }
    let head = ["experiment", "run", "scale", "seed", "rows", "seconds", "load", "started (UTC)", "command"];
    let head = head.map(|title| (title.to_owned(), title.to_owned()));
    let rows = all.iter().map(|derived| {
        let manifest = &derived.manifest;
        html! { tr {
            td { (derived.definition.id) } td { (manifest.run) } td { (manifest.scale) } td { (manifest.seed) }
            td { (manifest.rows) } td { (format!("{:.1}", manifest.measured_seconds)) } td { (manifest.load) }
            td { (utc(manifest.started_utc_seconds)) } td.text { code { (manifest.command.join(" ")) } }
        } }
    });
    html! {
        section {
            h2 id="provenance" { "Provenance" }
            @for (text, ids) in &hosts { p { b { (text) "." } " " (ids.join(", ")) } }
            (super::table("provenance", &head, rows))
        }
    }
}

/// Seconds since 1970 as date and time.
pub(super) fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Civil date from days: eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year + era * 400) } else { (month - 9, year + era * 400 + 1) };
    format!("{year:04}-{month:02}-{date:02} {:02}:{:02}", rest / 3600, rest / 60 % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates_of_seconds() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00"),
            (951_782_400, "2000-02-29 00:00"),
            (1_709_251_199, "2024-02-29 23:59"),
            (1_767_225_600, "2026-01-01 00:00"),
        ] {
            assert_eq!(super::utc(seconds), date);
        }
    }
}
