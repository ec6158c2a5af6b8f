//! The real models, fetched once for all tests.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex};

use recall_embed::{Embedder, Home, Installed, ModelCatalogue, pull};

pub(crate) const E5: &str = "multilingual-e5-small";
pub(crate) const MINILM: &str = "all-minilm-l6-v2";

/// A model that is on this machine, fetched now if it was not.
pub(crate) fn model(id: &str) -> Installed {
    let home = Home::from_env();
    let catalogue = ModelCatalogue::builtin();
    let row = catalogue.find(id).unwrap();
    recall_embed::installed(&home, row)
        .or_else(|_| pull(&home, row, false, &|_| {}))
        .unwrap_or_else(|e| panic!("{id}: {e}"))
}

/// A loaded model, shared by the tests of this process.
pub(crate) fn embedder(id: &str) -> Arc<Embedder> {
    static LOADED: LazyLock<Mutex<BTreeMap<String, Arc<Embedder>>>> = LazyLock::new(Mutex::default);
    let mut loaded = LOADED.lock().unwrap();
    let load = || {
        // The library may be missing where the model is not.
        let home = Home::from_env();
        let installed = pull(&home, &model(id).model, false, &|_| {}).unwrap();
        Arc::new(Embedder::load(&home, &installed, 2).unwrap())
    };
    Arc::clone(loaded.entry(id.to_owned()).or_insert_with(load))
}
