//! What timed rows of one group share: built filters and keys, so that a filter of 10^8 keys is not built again for each
//! round.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes held at most; what goes beyond is made anew for each row.
const MOST_BYTES: u64 = 10 << 30;

/// Things by name, for as long as rows of one group are measured.
#[derive(Debug)]
pub struct Keep {
    inner: Mutex<Inner>,
    most_bytes: u64,
}

#[derive(Debug, Default)]
struct Inner {
    group: String,
    bytes: u64,
    held: HashMap<String, Arc<dyn Any + Send + Sync>>,
}

impl Default for Keep {
    fn default() -> Self {
        Self::new()
    }
}

impl Keep {
    /// Nothing kept, up to 10 GiB to come.
    #[must_use]
    pub fn new() -> Self {
        Self::with_most(MOST_BYTES)
    }

    /// Nothing kept, up to `most_bytes` to come.
    #[must_use]
    pub fn with_most(most_bytes: u64) -> Self {
        Self { inner: Mutex::default(), most_bytes }
    }

    /// Rows of `group` come now: what others made is let go.
    pub fn enter(&self, group: &str) {
        let mut inner = self.lock();
        if inner.group != group {
            *inner = Inner { group: group.to_owned(), ..Inner::default() };
        }
    }

    /// What was made under `name`, or else what `make` makes, with its size in bytes; it is kept where there is room.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn get<T: Send + Sync + 'static, E>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<(T, u64), E>,
    ) -> Result<Arc<T>, E> {
        let known = self.lock().held.get(name).cloned();
        if let Some(Ok(known)) = known.map(Arc::downcast::<T>) {
            return Ok(known);
        }
        let (made, bytes) = make()?;
        let made = Arc::new(made);
        let mut inner = self.lock();
        if inner.bytes.saturating_add(bytes) <= self.most_bytes {
            inner.bytes += bytes;
            inner.held.insert(name.to_owned(), Arc::<T>::clone(&made));
        }
        Ok(made)
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn things_are_made_once_a_group_while_there_is_room() {
        let (keep, made) = (Keep::with_most(100), Cell::new(0u32));
        let get = |name: &str, bytes: u64| {
            let make = || {
                made.set(made.get() + 1);
                Ok::<_, ()>((made.get(), bytes))
            };
            *keep.get(name, make).unwrap()
        };
        keep.enter("a");
        assert_eq!((get("x", 60), get("x", 60)), (1, 1));
        // No room: made each time, and what is there stays.
        assert_eq!((get("y", 60), get("y", 60), get("x", 60)), (2, 3, 1));
        keep.enter("a");
        assert_eq!(get("x", 60), 1);
        keep.enter("b");
        assert_eq!((get("x", 60), get("x", 60)), (4, 4));
        assert_eq!(keep.get("z", || Err::<((), u64), _>("no")), Err("no"));
    }
}
