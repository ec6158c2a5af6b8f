//! A BERT encoder as an ONNX graph.
//!
//! The linear maps are `MatMulNBits` with 8-bit activations (`accuracy_level` 4), quantised block by
//! block within one row: what a text gets does not depend on what else is run with it.

use crate::bert::{BLOCK, Bert, Layer, Linear, Norm, Words};
use crate::onnx::{Attribute, Graph, Model, Node, OperatorSet, Tensor, Value, element};

/// Domain of the operators that ONNX Runtime adds.
const MICROSOFT: &str = "com.microsoft";

/// The model: `input_ids` and `attention_mask` in (`[batch, sequence]`, 64-bit integers),
/// `last_hidden_state` out (`[batch, sequence, hidden]`, floats).
pub(crate) fn model(bert: Bert) -> Model {
    let hidden = bert.hidden;
    let mut graph = Builder::default();
    graph.encoder(bert);
    let operators = |domain: &str, version| OperatorSet { domain: domain.to_owned(), version };
    Model {
        ir_version: 10,
        producer: "recall".to_owned(),
        graph: Some(Graph {
            nodes: graph.nodes,
            name: "encoder".to_owned(),
            constants: graph.constants,
            inputs: vec![
                Value::texts("input_ids", element::INT64, None),
                Value::texts("attention_mask", element::INT64, None),
            ],
            outputs: vec![Value::texts("last_hidden_state", element::FLOAT, Some(hidden))],
        }),
        operators: vec![operators("", 21), operators(MICROSOFT, 1)],
    }
}

#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    constants: Vec<Tensor>,
}

impl Builder {
    fn encoder(&mut self, bert: Bert) {
        self.embedding(bert.words, bert.positions, bert.hidden);
        let norm = self.norm("embedding.norm", bert.norm);
        let inputs = ["embedded", &norm[0], &norm[1]];
        let settings =
            vec![Attribute::float("epsilon", bert.epsilon), Attribute::signed("axis", -1)];
        self.node("LayerNormalization", "", &inputs, "layer0.in", settings);
        let to = vec![Attribute::int("to", element::INT32 as usize)];
        self.node("Cast", "", &["attention_mask"], "mask", to);
        let last = bert.layers.len() - 1;
        for (number, layer) in bert.layers.into_iter().enumerate() {
            let out = match number {
                _ if number == last => "last_hidden_state".to_owned(),
                _ => format!("layer{}.in", number + 1),
            };
            self.layer(&format!("layer{number}"), layer, bert.heads, bert.epsilon, &out);
        }
    }

    /// Word vectors and the vectors of as many positions as the text has, added.
    fn embedding(&mut self, words: Words, positions: Vec<f32>, hidden: usize) {
        self.words(words, hidden);
        let places = positions.len() / hidden;
        self.floats("positions", &[1, places, hidden], &positions);
        for (name, value) in [("zero", 0i64), ("one", 1)] {
            self.constant(name, element::INT64, &[1], value.to_le_bytes().to_vec());
        }
        self.node("Shape", "", &["input_ids"], "shape", vec![]);
        self.node("Gather", "", &["shape", "one"], "length", vec![]);
        self.node("Slice", "", &["positions", "zero", "length", "one"], "places", vec![]);
        self.node("Add", "", &["words", "places"], "embedded", vec![]);
    }

    fn words(&mut self, words: Words, hidden: usize) {
        match words {
            Words::Q4 { packed, scales } => {
                let blocks = hidden / BLOCK;
                let count = scales.len() / blocks;
                self.constant("words.packed", element::UINT4, &[count, hidden], packed);
                // Without zero points, the middle of the range would not be zero here.
                let middle = vec![0x88; (count * blocks).div_ceil(2)];
                self.constant("words.middle", element::UINT4, &[count, blocks], middle);
                self.floats("words.scales", &[count, blocks], &scales);
                let inputs = ["words.packed", "input_ids", "words.scales", "words.middle"];
                let settings = vec![
                    Attribute::int("gather_axis", 0),
                    Attribute::int("quantize_axis", 1),
                    Attribute::int("block_size", BLOCK),
                ];
                self.node("GatherBlockQuantized", MICROSOFT, &inputs, "words", settings);
            }
            Words::F16(raw) => {
                let count = raw.len() / 2 / hidden;
                self.constant("words.half", element::FLOAT16, &[count, hidden], raw);
                self.node("Gather", "", &["words.half", "input_ids"], "words.found", vec![]);
                let to = vec![Attribute::int("to", element::FLOAT as usize)];
                self.node("Cast", "", &["words.found"], "words", to);
            }
        }
    }

    fn layer(&mut self, name: &str, layer: Layer, heads: usize, epsilon: f32, out: &str) {
        let at = |part: &str| format!("{name}.{part}");
        let (input, context, mixed) = (at("in"), at("context"), at("mixed"));
        let query = self.linear(&input, at("query"), layer.query);
        let key = self.linear(&input, at("key"), layer.key);
        let value = self.linear(&input, at("value"), layer.value);
        let inputs = [&query, &key, &value, "", "mask"];
        let settings = vec![Attribute::int("num_heads", heads)];
        self.node("MultiHeadAttention", MICROSOFT, &inputs, &context, settings);
        let mix = self.linear(&context, at("mix"), layer.mix);
        self.add_and_norm([&input, &mix], at("mix_norm"), layer.mix_norm, epsilon, &mixed);
        let wide = self.linear(&mixed, at("widen"), layer.widen);
        let active = at("active");
        self.node("Gelu", MICROSOFT, &[&wide], &active, vec![]);
        let narrow = self.linear(&active, at("narrow"), layer.narrow);
        self.add_and_norm([&mixed, &narrow], at("norm"), layer.norm, epsilon, out);
    }

    /// `input` through a linear map; gives the name of the result.
    fn linear(&mut self, input: &str, name: String, map: Linear) -> String {
        let blocks = map.inputs / BLOCK;
        let [packed, scales, bias] =
            ["packed", "scales", "bias"].map(|part| format!("{name}.{part}"));
        let shape = [map.outputs, blocks, BLOCK * map.bits / 8];
        self.constant(&packed, element::UINT8, &shape, map.packed);
        self.floats(&scales, &[map.outputs * blocks], &map.scales);
        self.floats(&bias, &[map.outputs], &map.bias);
        let settings = vec![
            Attribute::int("K", map.inputs),
            Attribute::int("N", map.outputs),
            Attribute::int("bits", map.bits),
            Attribute::int("block_size", BLOCK),
            Attribute::int("accuracy_level", 4),
        ];
        self.node(
            "MatMulNBits",
            MICROSOFT,
            &[input, &packed, &scales, "", "", &bias],
            &name,
            settings,
        );
        name
    }

    fn add_and_norm(&mut self, sum: [&str; 2], name: String, norm: Norm, epsilon: f32, out: &str) {
        let [weight, bias] = self.norm(&name, norm);
        let settings = vec![Attribute::float("epsilon", epsilon)];
        self.node(
            "SkipLayerNormalization",
            MICROSOFT,
            &[sum[0], sum[1], &weight, &bias],
            out,
            settings,
        );
    }

    fn norm(&mut self, name: &str, norm: Norm) -> [String; 2] {
        [("weight", norm.weight), ("bias", norm.bias)].map(|(part, values)| {
            let name = format!("{name}.{part}");
            self.floats(&name, &[values.len()], &values);
            name
        })
    }

    fn floats(&mut self, name: &str, dims: &[usize], values: &[f32]) {
        let raw = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.constant(name, element::FLOAT, dims, raw);
    }

    fn constant(&mut self, name: &str, element: i32, dims: &[usize], raw: Vec<u8>) {
        self.constants.push(Tensor::new(name, element, dims, raw));
    }

    fn node(
        &mut self,
        op: &str,
        domain: &str,
        inputs: &[&str],
        out: &str,
        attributes: Vec<Attribute>,
    ) {
        self.nodes.push(Node {
            inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
            outputs: vec![out.to_owned()],
            operator: op.to_owned(),
            attributes,
            domain: domain.to_owned(),
        });
    }
}
