//! Keeps the models of an engine loaded, one copy per index record.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recall_embed::{Embedder, Home, Installed, ModelCatalogue};
use recall_index::ModelRecord;

use crate::degraded::Degraded;

/// Maximum number of models kept loaded.
const MODELS: usize = 2;

/// Loaded models, by the record that an index has of them; beyond two, the least recently used one
/// is dropped.
pub struct Models {
    home: Home,
    /// The most recently used one comes last.
    loaded: Mutex<Vec<(ModelRecord, Arc<Embedder>)>>,
}

impl Default for Models {
    fn default() -> Self {
        Self { home: Home::from_env(), loaded: Mutex::default() }
    }
}

impl Models {
    /// Returns the folder of models on this machine.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Returns the model of a record with one session for queries, loading it if necessary.
    ///
    /// # Errors
    /// [`Degraded::OtherModel`] or [`Degraded::Model`].
    pub fn load(&self, record: &ModelRecord) -> Result<Arc<Embedder>, Degraded> {
        // Held while the model is being loaded, so that it is not loaded twice.
        let mut models = lock(&self.loaded);
        let model = match models.iter().position(|(known, _)| known == record) {
            Some(at) => models.remove(at),
            None => (record.clone(), Arc::new(self.load_sessions(record, 1)?)),
        };
        let embedder = model.1.clone();
        models.push(model);
        let excess = models.len().saturating_sub(MODELS);
        models.drain(..excess);
        Ok(embedder)
    }

    /// Loads a separate copy of the model of a record, on `threads` sessions.
    ///
    /// # Errors
    /// Those of [`Models::load`].
    pub fn load_sessions(
        &self,
        record: &ModelRecord,
        threads: usize,
    ) -> Result<Embedder, Degraded> {
        let installed = self.installed(record)?;
        Embedder::load(&self.home, &installed, threads).map_err(|e| Degraded::Model(Arc::new(e)))
    }

    /// Returns the model of a record, if it is loaded already.
    pub fn loaded(&self, record: &ModelRecord) -> Option<Arc<Embedder>> {
        let models = self.loaded.try_lock().ok()?;
        models.iter().find(|(known, _)| known == record).map(|(_, embedder)| embedder.clone())
    }

    /// Returns the ids of the loaded models.
    pub fn loaded_ids(&self) -> Vec<String> {
        let models = self.loaded.try_lock();
        models.map_or_else(|_| Vec::new(), |m| m.iter().map(|(r, _)| r.id.clone()).collect())
    }

    /// Finds the installed files of the model of a record, which must be those that made the index.
    fn installed(&self, record: &ModelRecord) -> Result<Installed, Degraded> {
        let failed = |error| Degraded::Model(Arc::new(error));
        let catalogue = ModelCatalogue::of(&self.home).map_err(failed)?;
        let spec = catalogue.find(&record.id).map_err(failed)?;
        let installed = recall_embed::installed(&self.home, spec).map_err(failed)?;
        if installed.fingerprint() != record.checksum {
            return Err(Degraded::OtherModel(record.id.clone()));
        }
        Ok(installed)
    }
}

/// Locks a mutex even if another thread panicked while holding it: its value is only ever replaced
/// as a whole, so it stays usable.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
