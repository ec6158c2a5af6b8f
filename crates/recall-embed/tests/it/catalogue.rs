//! The catalogue this program is built with.

use recall_embed::{DEFAULT_MODEL, EmbedError, ModelCatalogue, Origin};

#[test]
fn the_rows_are_whole() {
    let catalogue = ModelCatalogue::builtin();
    assert_eq!(catalogue.models().next().unwrap().id, DEFAULT_MODEL);
    for model in catalogue.models() {
        assert!(model.dims > 0 && model.max_tokens > 0 && model.normalised, "{}", model.id);
        for source in &model.sources {
            if let Origin::Package { files, .. } = source {
                let hashed =
                    |hash: &str| hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
                assert!(
                    files.iter().all(|file| hashed(&file.sha256) && file.bytes > 0),
                    "{}",
                    model.id
                );
            }
        }
    }
}

#[test]
fn an_unknown_model_is_answered_with_the_known_ones() {
    let error = ModelCatalogue::builtin().find("e5").unwrap_err();
    assert!(matches!(error, EmbedError::UnknownModel { .. }));
    insta::assert_snapshot!(error, @"no model is called `e5`; known: multilingual-e5-small, all-minilm-l6-v2");
}

#[cfg(not(feature = "hub"))]
#[test]
fn a_repository_is_answered_with_the_hub_that_is_missing() {
    let catalogue = ModelCatalogue::builtin();
    assert_eq!(catalogue.hub_models().count(), 0);
    let error = catalogue.find("intfloat/multilingual-e5-base").unwrap_err();
    insta::assert_snapshot!(error, @"`intfloat/multilingual-e5-base` comes from a model hub, and this program was built without one");
}

#[cfg(feature = "hub")]
#[test]
fn models_of_the_hub_are_found_by_their_repository() {
    let catalogue = ModelCatalogue::builtin();
    let model = catalogue.find("intfloat/multilingual-e5-base").unwrap();
    assert_eq!((model.dims, model.query_prefix.as_str()), (768, "query: "));
    let model = catalogue.find("Xenova/bge-small-en-v1.5").unwrap();
    assert_eq!(model.dims, 384);
    assert!(model.query_prefix.starts_with("Represent this sentence"));
    assert!(catalogue.hub_models().count() > 20);
    for model in catalogue.models() {
        for source in &model.sources {
            if let Origin::Hub { repo } = source {
                assert_eq!(catalogue.find(repo).unwrap().dims, model.dims, "{repo}");
            }
        }
    }
}
