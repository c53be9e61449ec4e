//! How far a run is, on stderr: a bar for a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two plain lines.
const EVERY: Duration = Duration::from_secs(10);

/// The progress of one experiment after the other.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    plain: Mutex<Plain>,
}

#[derive(Debug)]
struct Plain {
    name: String,
    total: f64,
    done: f64,
    rows: u64,
    began: Instant,
    told: Instant,
}

impl Progress {
    /// A bar when stderr is a terminal, plain lines otherwise.
    #[must_use]
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            let template = "{msg:26} [{bar:30}] {percent:>3} %  {elapsed} elapsed, {eta} left";
            bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        let plain = Plain { name: String::new(), total: 0.0, done: 0.0, rows: 0, began: now, told: now };
        Self { bar, plain: Mutex::new(plain) }
    }

    fn plain(&self) -> std::sync::MutexGuard<'_, Plain> {
        self.plain.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Begins an experiment of `cost` nanoseconds of one core.
    pub fn begin(&self, name: &str, cost: f64) {
        let now = Instant::now();
        *self.plain() = Plain { name: name.to_owned(), total: cost, done: 0.0, rows: 0, began: now, told: now };
        if let Some(bar) = &self.bar {
            bar.reset();
            bar.set_length((cost / 1e6) as u64 + 1);
            bar.set_message(name.to_owned());
        }
    }

    /// A row of `cost` nanoseconds is done.
    pub fn advance(&self, cost: f64) {
        if let Some(bar) = &self.bar {
            bar.inc((cost / 1e6) as u64);
        }
        let mut plain = self.plain();
        plain.done += cost;
        plain.rows += 1;
        if self.bar.is_none() && plain.told.elapsed() >= EVERY {
            plain.told = Instant::now();
            let elapsed = plain.began.elapsed().as_secs_f64();
            let left = elapsed * (plain.total - plain.done).max(0.0) / plain.done.max(1.0);
            crate::note!(
                "{}: {} rows, {:.0} %, {:.1} rows/s, about {left:.0} s left",
                plain.name,
                plain.rows,
                100.0 * plain.done / plain.total.max(1.0),
                plain.rows as f64 / elapsed.max(1e-9),
            );
        }
    }

    /// The experiment is over.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let plain = self.plain();
        crate::note!("{}: {} rows in {:.1} s", plain.name, plain.rows, plain.began.elapsed().as_secs_f64());
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}
