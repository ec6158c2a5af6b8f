//! The detector of encodings and the decoding of text on any bytes.
#![no_main]

use std::io::Read;

use libfuzzer_sys::fuzz_target;
use recall_sources::Input;

fuzz_target!(|data: &[u8]| {
    let input = Input::from_bytes(data).expect("memory can be read");
    let _ = input.head_text();
    let mut text = String::new();
    let read = input.text().expect("memory can be read").read_to_string(&mut text);
    read.expect("what comes is valid UTF-8, whatever the bytes");
});
