//! Packs that are small, cut and flipped.

use proptest::prelude::*;

use crate::bert::{BLOCK, Words};
use crate::error::ConvertError;
use crate::pack::Pack;

/// A pack of one layer of width 32 and five pieces.
fn pack() -> Vec<u8> {
    let mut pack = b"E5S1".to_vec();
    let ints = |pack: &mut Vec<u8>, values: &[i32]| {
        values.iter().for_each(|value| pack.extend(value.to_le_bytes()));
    };
    ints(&mut pack, &[1, 32, 1, 4, 32, 6, 3, 2]);
    pack.extend(1e-12f32.to_le_bytes());
    ints(&mut pack, &[32]);
    let pieces = ["<s>", "<pad>", "</s>", "<unk>", "\u{2581}é"];
    ints(&mut pack, &[pieces.len() as i32, 0, 2, 1, 3]);
    let text = pieces.concat();
    pack.extend((text.len() as u64).to_le_bytes());
    let mut end = 0;
    ints(&mut pack, &[0]);
    for piece in pieces {
        end += piece.len() as i32;
        ints(&mut pack, &[end]);
    }
    pieces.iter().for_each(|_| pack.extend((-1.5f32).to_le_bytes()));
    pack.extend(text.as_bytes());
    ints(&mut pack, &[1, 9]);
    pack.extend([9, 0, 0, 0, 1, 32, 0, 0, 0]);
    tensors(&mut pack);
    pack
}

fn tensors(pack: &mut Vec<u8>) {
    let mut rows = vec![("emb.word".to_owned(), true, 6 * 32)];
    let mut floats = |name: &str, count| rows.push((name.to_owned(), false, count));
    floats("emb.pos", 3 * 32);
    floats("emb.type", 2 * 32);
    for norm in ["emb.ln", "l0.aln", "l0.oln"] {
        floats(&format!("{norm}.w"), 32);
        floats(&format!("{norm}.b"), 32);
    }
    for map in ["q", "k", "v", "ao", "fi", "fo"] {
        rows.push((format!("l0.{map}.w"), true, 32 * 32));
        rows.push((format!("l0.{map}.b"), false, 32));
    }
    let directory: usize = rows.iter().map(|(name, ..)| 2 + name.len() + 1 + 4 + 8 + 8).sum();
    let mut offset = pack.len() + 4 + directory;
    pack.extend((rows.len() as i32).to_le_bytes());
    let size =
        |quantised: bool, count: usize| if quantised { count / BLOCK * 18 } else { count * 4 };
    for (name, quantised, count) in &rows {
        pack.extend((name.len() as u16).to_le_bytes());
        pack.extend(name.as_bytes());
        pack.push(u8::from(*quantised));
        pack.extend((*count as u32).to_le_bytes());
        pack.extend((offset as u64).to_le_bytes());
        pack.extend((size(*quantised, *count) as u64).to_le_bytes());
        offset += size(*quantised, *count);
    }
    for (_, quantised, count) in rows {
        for _ in 0..size(quantised, count) / if quantised { 18 } else { 4 } {
            match quantised {
                // A scale of 1.0, then weights 0..32: byte j holds weight j and weight j + 16.
                true => {
                    pack.extend([0x00, 0x3c].into_iter().chain((0..16).map(|j| j | (15 - j) << 4)))
                }
                false => pack.extend(0.5f32.to_le_bytes()),
            }
        }
    }
}

fn read(bytes: &[u8]) -> Result<(), ConvertError> {
    let pack = Pack::parse(bytes)?;
    pack.bert()?;
    pack.vocabulary.tokenizer();
    Ok(())
}

#[test]
fn weights_come_out_in_order() {
    let bytes = pack();
    let bert = Pack::parse(&bytes).unwrap().bert().unwrap();
    let Words::Q4 { packed, scales } = bert.words else { panic!("not 4 bits") };
    assert_eq!(scales, [1.0; 6]);
    let nibbles: Vec<u8> = packed[..16].iter().flat_map(|byte| [byte & 15, byte >> 4]).collect();
    let expected: Vec<u8> = (0..16).chain((0..16).rev()).collect();
    assert_eq!(nibbles, expected);
    assert_eq!(bert.positions, [1.0; 96]);
    assert_eq!(bert.layers.len(), 1);
}

#[test]
fn bad_headers_are_named() {
    let check = |at: usize, value: i32, expected: ConvertError| {
        let mut bytes = pack();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        assert_eq!(read(&bytes), Err(expected));
    };
    let header = |what, value: i32| ConvertError::Header { what, value: value.into() };
    check(0, 0, ConvertError::Magic);
    check(8, 33, header("the hidden width", 33));
    check(8, -1, header("the hidden width", -1));
    check(12, 0, header("the number of layers", 0));
    check(12, 2, ConvertError::NoTensor { name: "l1.q.w".to_owned() });
    check(16, 5, header("the hidden width", 32));
    check(24, i32::MAX, header("the size of the vocabulary", i32::MAX));
    check(24, 7, ConvertError::Tensor { name: "emb.word".to_owned() });
    check(36, f32::NAN.to_bits() as i32, ConvertError::NotFinite { name: "epsilon".to_owned() });
    check(40, 64, header("the block size", 64));
    check(44, 7, header("the number of pieces", 7));
    check(48, 5, header("the begin token", 5));
    check(72, 99, ConvertError::Piece { index: 0 });
    check(
        96,
        f32::INFINITY.to_bits() as i32,
        ConvertError::NotFinite { name: "scores".to_owned() },
    );
}

#[test]
fn a_pack_cut_anywhere_is_refused() {
    let bytes = pack();
    assert_eq!(read(&bytes), Ok(()));
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "cut at {end}");
    }
}

proptest! {
    #[test]
    fn a_flipped_pack_never_panics(at in 0..pack().len(), bit in 0..8u8, to in any::<u8>()) {
        let mut bytes = pack();
        bytes[at] ^= 1 << bit;
        let _ = read(&bytes);
        bytes[at] = to;
        let _ = read(&bytes);
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut pack = b"E5S1".to_vec();
        pack.extend(bytes);
        let _ = read(&pack);
    }
}
