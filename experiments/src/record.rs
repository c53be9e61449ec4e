//! Raw rows: one struct writes and reads `rows.csv`.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::HarnessError;
use crate::files;

/// The version of the columns. A file of another version is refused, never read as if it were this one.
pub const SCHEMA: u32 = 2;

/// One row of raw data: counts with units in their names. An empty cell was not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The measure within the definition.
    pub measure: String,
    /// The point's identity.
    pub point: String,
    /// The row's number within the point.
    pub row: u64,
    /// The contender's id.
    pub contender: String,
    /// Its parameters as JSON.
    pub params: String,
    /// Keys inserted into each filter.
    pub keys: u64,
    /// The workload.
    pub workload: String,
    /// The hash family.
    pub family: String,
    /// All factors as the definition gave them, as JSON.
    pub factors: String,
    /// `ok`, or what failed.
    pub outcome: String,
    /// Independent filters of this row.
    pub filters: Option<u64>,
    /// Absent keys asked, over these filters.
    pub probes: Option<u64>,
    /// Absent keys answered with yes.
    pub false_positives: Option<u64>,
    /// The sum over filters of the square of their false positives.
    pub false_positives_squared: Option<u64>,
    /// Members answered with no.
    pub false_negatives: Option<u64>,
    /// False positives expected from the filters' contents.
    pub expected_by_contents: Option<f64>,
    /// Payload bits of one filter, as allocated.
    pub payload_bits: Option<u64>,
    /// Bits of one filter beyond the payload, as allocated.
    pub overhead_bits: Option<u64>,
    /// How many keys had how many hits: `hits:keys` pairs with spaces between them.
    pub histogram: Option<String>,
    /// Buckets of a uniformity test.
    pub buckets: Option<u64>,
    /// The sum over buckets of the square of their counts.
    pub bucket_counts_squared: Option<u64>,
    /// Least time over all rounds, in picoseconds per operation.
    pub min_ps: Option<u64>,
    /// Median time over all rounds, in picoseconds per operation.
    pub median_ps: Option<u64>,
    /// What a timed round answered: hits, or the low word of a sum.
    pub check: Option<u64>,
    /// What a study saw: `sum/trials` of each quantity, positions parted by `;`.
    pub observed: Option<String>,
}

impl Record {
    /// Writes rows so that a reader sees all or nothing of them.
    ///
    /// # Errors
    /// [`HarnessError::Io`] for a folder that cannot be written.
    pub fn write_all(path: &Path, rows: &[Record]) -> Result<(), HarnessError> {
        let mut content = Self::header()?;
        for row in rows {
            content.extend(row.line()?);
        }
        files::write(path, &content)
    }

    /// The row as a line of CSV, without the header.
    ///
    /// # Errors
    /// [`HarnessError::Failed`] for a value that CSV cannot hold (there is none in this struct).
    pub fn line(&self) -> Result<Vec<u8>, HarnessError> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        writer.serialize(self).map_err(|error| HarnessError::Failed(error.to_string()))?;
        writer.into_inner().map_err(|error| HarnessError::Failed(error.to_string()))
    }

    /// The header as a line of CSV.
    ///
    /// # Errors
    /// As [`line`](Self::line).
    pub fn header() -> Result<Vec<u8>, HarnessError> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(Record::default()).map_err(|error| HarnessError::Failed(error.to_string()))?;
        let both = writer.into_inner().map_err(|error| HarnessError::Failed(error.to_string()))?;
        let end = both.iter().position(|byte| *byte == b'\n').map_or(both.len(), |end| end + 1);
        Ok(both[..end].to_vec())
    }

    /// The columns in which another row differs, each with both cells. What is no count (the rate expected by contents) may
    /// differ in its last digits: logarithms are not the same on every machine.
    ///
    /// # Errors
    /// As [`line`](Self::line).
    pub fn differences(&self, other: &Self) -> Result<Vec<(String, String, String)>, HarnessError> {
        let close = match (self.expected_by_contents, other.expected_by_contents) {
            (Some(here), Some(there)) => (here - there).abs() <= 1e-9 * here.abs().max(there.abs()),
            _ => false,
        };
        let other = Self {
            expected_by_contents: if close { self.expected_by_contents } else { other.expected_by_contents },
            ..other.clone()
        };
        let cells = |line: Vec<u8>| -> Result<Vec<String>, HarnessError> {
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&line[..]);
            let record =
                reader.records().next().transpose().map_err(|error| HarnessError::Failed(error.to_string()))?;
            Ok(record.map_or_else(Vec::new, |record| record.iter().map(ToOwned::to_owned).collect()))
        };
        let (columns, here, there) = (cells(Self::header()?)?, cells(self.line()?)?, cells(other.line()?)?);
        let all = columns.into_iter().zip(here.into_iter().zip(there));
        Ok(all
            .filter(|(_, (here, there))| here != there)
            .map(|(column, (here, there))| (column, here, there))
            .collect())
    }

    /// Reads rows. A last line without its line end is a row that was being written when the run was killed,
    /// and is left out; anything else that is not a row of this schema, or one that is there twice, is an error that
    /// names the line.
    ///
    /// # Errors
    /// [`HarnessError::Io`], or [`HarnessError::Record`] for another schema or a damaged row.
    pub fn read_all(path: &Path) -> Result<Vec<Record>, HarnessError> {
        let content = std::fs::read(path).map_err(HarnessError::io(path, "cannot read"))?;
        let whole = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 {
            return Ok(Vec::new());
        }
        let bad = |why: String| HarnessError::Record { path: path.to_owned(), why };
        if !content.starts_with(&Self::header()?) {
            return Err(bad(format!(
                "the columns are not those of schema {SCHEMA}: move the folder away, or measure anew with --again"
            )));
        }
        let mut reader = csv::Reader::from_reader(&content[..whole]);
        let damaged =
            |error| bad(format!("damaged row: {error}; mend it, move the folder away, or measure anew with --again"));
        let rows: Vec<Record> = reader.deserialize().collect::<Result<_, _>>().map_err(damaged)?;
        let mut seen = HashSet::new();
        if let Some(twice) = rows.iter().position(|row| !seen.insert((row.point.as_str(), row.row))) {
            let Record { point, row, .. } = &rows[twice];
            let line = twice + 2;
            return Err(bad(format!("line {line} is row {row} of point {point} a second time: remove one of them")));
        }
        Ok(rows)
    }
}

/// What rows are appended to: a file, or what a test puts in its place.
pub trait Sink: Write {
    /// Takes away what is beyond `len` bytes.
    ///
    /// # Errors
    /// Why that cannot be.
    fn cut(&mut self, len: u64) -> std::io::Result<()>;
}

impl Sink for File {
    fn cut(&mut self, len: u64) -> std::io::Result<()> {
        self.set_len(len)
    }
}

/// A file that rows are appended to as they are measured, one whole line at a time.
#[derive(Debug)]
pub struct Appender<S = File> {
    sink: S,
    path: PathBuf,
    /// Bytes of whole rows.
    whole: u64,
    /// Something that is no whole row stands at the end and cannot be taken away.
    torn: bool,
}

impl Appender {
    /// Opens `path` holding exactly `rows` (what was read back), ready for more.
    ///
    /// # Errors
    /// [`HarnessError::Io`] for a folder that cannot be written.
    pub fn create(path: &Path, rows: &[Record]) -> Result<Self, HarnessError> {
        Record::write_all(path, rows)?;
        let file = File::options().append(true).open(path).map_err(HarnessError::io(path, "cannot append"))?;
        let whole = file.metadata().map_err(HarnessError::io(path, "cannot read"))?.len();
        Ok(Self { sink: file, path: path.to_owned(), whole, torn: false })
    }
}

impl<S: Sink> Appender<S> {
    /// Appends a row, whole or not at all: what a full disk took of it is taken away again, or else nothing more is
    /// appended, because the next row would be joined to the half one.
    ///
    /// # Errors
    /// [`HarnessError::Io`], for example for a full disk.
    pub fn append(&mut self, row: &Record) -> Result<(), HarnessError> {
        let line = row.line()?;
        let written = if self.torn {
            Err(std::io::Error::other("half a row stands at the end"))
        } else {
            self.sink.write_all(&line)
        };
        match written {
            Ok(()) => self.whole += line.len() as u64,
            Err(error) => {
                self.torn = self.sink.cut(self.whole).is_err();
                return Err(HarnessError::io(&self.path, "cannot append")(error));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(index: u64) -> Record {
        Record {
            measure: "main".to_owned(),
            params: r#"{"k":7,"m":1000}"#.to_owned(),
            row: index,
            false_positives: Some(index * 3),
            expected_by_contents: Some(0.1 + index as f64),
            outcome: "ok".to_owned(),
            ..Record::default()
        }
    }

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("bloomery-record-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn rows_come_back_as_they_were_written() {
        let path = folder("round").join("rows.csv");
        let rows: Vec<Record> = (0..5).map(row).collect();
        Record::write_all(&path, &rows).unwrap();
        assert_eq!(Record::read_all(&path).unwrap(), rows);
        let mut appender = Appender::create(&path, &rows[..2]).unwrap();
        for row in &rows[2..] {
            appender.append(row).unwrap();
        }
        assert_eq!(Record::read_all(&path).unwrap(), rows);
    }

    #[test]
    fn a_row_cut_in_the_middle_is_left_out_at_every_length() {
        let path = folder("cut").join("rows.csv");
        Record::write_all(&path, &[row(0), row(1)]).unwrap();
        let content = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = (0..content.len()).filter(|index| content[*index] == b'\n').collect();
        for length in 0..content.len() {
            std::fs::write(&path, &content[..length]).unwrap();
            let whole = ends.iter().filter(|end| **end < length).count().saturating_sub(1);
            assert_eq!(Record::read_all(&path).unwrap().len(), whole, "{length}");
        }
    }

    /// HAND-40: never cells under the wrong header.
    #[test]
    fn hand_40_another_schema_is_refused() {
        let path = folder("schema").join("rows.csv");
        Record::write_all(&path, &[row(0)]).unwrap();
        let content = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, content.replacen("measure,", "measure,new_metric,", 1)).unwrap();
        let error = Record::read_all(&path).unwrap_err();
        assert!(error.to_string().contains("schema 2") && error.exit_code() == 1, "{error}");
    }

    #[test]
    fn a_damaged_row_is_named() {
        let path = folder("damage").join("rows.csv");
        Record::write_all(&path, &[row(0), row(1)]).unwrap();
        let content = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, content.replacen(",3,", ",three,", 1)).unwrap();
        let error = Record::read_all(&path).unwrap_err();
        assert!(error.to_string().contains("damaged row"), "{error}");
    }

    #[test]
    fn a_row_that_is_there_twice_is_named() {
        let path = folder("twice").join("rows.csv");
        Record::write_all(&path, &[row(0), row(1), row(0)]).unwrap();
        let error = Record::read_all(&path).unwrap_err();
        assert!(error.to_string().contains("line 4 is row 0") && error.exit_code() == 1, "{error}");
    }

    /// A disk with so much room, which may refuse to give back what it took.
    struct Disk {
        held: Vec<u8>,
        room: usize,
        stuck: bool,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let taken = bytes.len().min(self.room.saturating_sub(self.held.len()));
            if taken == 0 {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.held.extend(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Disk {
        fn cut(&mut self, len: u64) -> std::io::Result<()> {
            if self.stuck {
                return Err(std::io::ErrorKind::StorageFull.into());
            }
            self.held.truncate(len as usize);
            Ok(())
        }
    }

    /// A disk that is full in the middle of a row and has room again for the next one, at every length.
    #[test]
    fn no_row_is_joined_to_half_of_another() {
        let path = folder("full").join("rows.csv");
        let all = [row(0), row(1), row(2)];
        Record::write_all(&path, &all[..1]).unwrap();
        let first = std::fs::read(&path).unwrap();
        let line = all[1].line().unwrap().len();
        for stuck in [false, true] {
            for room in 0..line {
                let disk = Disk { held: first.clone(), room: first.len() + room, stuck };
                let mut appender = Appender { sink: disk, path: path.clone(), whole: first.len() as u64, torn: false };
                let error = appender.append(&all[1]).unwrap_err().to_string();
                assert!(error.contains("make room"), "{error}");
                appender.sink.room = usize::MAX;
                assert_eq!(appender.append(&all[2]).is_ok(), !stuck, "{room}");
                std::fs::write(&path, &appender.sink.held).unwrap();
                let expected = if stuck { vec![row(0)] } else { vec![row(0), row(2)] };
                assert_eq!(Record::read_all(&path).unwrap(), expected, "{room}");
            }
        }
    }
}
