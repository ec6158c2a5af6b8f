//! As much of the ONNX file format as a model of ours needs: protobuf messages, written by hand.

use prost::Message;

/// Type numbers of ONNX tensors.
pub(crate) mod element {
    pub(crate) const FLOAT: i32 = 1;
    pub(crate) const UINT8: i32 = 2;
    pub(crate) const INT32: i32 = 6;
    pub(crate) const INT64: i32 = 7;
    pub(crate) const FLOAT16: i32 = 10;
    pub(crate) const UINT4: i32 = 21;
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Model {
    #[prost(int64, tag = "1")]
    pub(crate) ir_version: i64,
    #[prost(string, tag = "2")]
    pub(crate) producer: String,
    #[prost(message, optional, tag = "7")]
    pub(crate) graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub(crate) operators: Vec<OperatorSet>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct OperatorSet {
    #[prost(string, tag = "1")]
    pub(crate) domain: String,
    #[prost(int64, tag = "2")]
    pub(crate) version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(crate) nodes: Vec<Node>,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) constants: Vec<Tensor>,
    #[prost(message, repeated, tag = "11")]
    pub(crate) inputs: Vec<Value>,
    #[prost(message, repeated, tag = "12")]
    pub(crate) outputs: Vec<Value>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(crate) inputs: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(crate) outputs: Vec<String>,
    #[prost(string, tag = "4")]
    pub(crate) operator: String,
    #[prost(message, repeated, tag = "5")]
    pub(crate) attributes: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub(crate) domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(float, optional, tag = "2")]
    pub(crate) f: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub(crate) i: Option<i64>,
    #[prost(int32, tag = "20")]
    pub(crate) kind: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Tensor {
    #[prost(int64, repeated, tag = "1")]
    pub(crate) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(crate) element: i32,
    #[prost(string, tag = "8")]
    pub(crate) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(crate) raw: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Value {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(message, optional, tag = "2")]
    pub(crate) kind: Option<ValueKind>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValueKind {
    #[prost(message, optional, tag = "1")]
    pub(crate) tensor: Option<TensorKind>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TensorKind {
    #[prost(int32, tag = "1")]
    pub(crate) element: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub(crate) dims: Vec<Dim>,
}

/// One dimension: a number, or a name for one that changes.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Dim {
    #[prost(int64, optional, tag = "1")]
    pub(crate) size: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(crate) name: Option<String>,
}

impl Attribute {
    pub(crate) fn int(name: &str, value: usize) -> Attribute {
        Attribute { name: name.to_owned(), f: None, i: Some(value as i64), kind: 2 }
    }

    pub(crate) fn signed(name: &str, value: i64) -> Attribute {
        Attribute { name: name.to_owned(), f: None, i: Some(value), kind: 2 }
    }

    pub(crate) fn float(name: &str, value: f32) -> Attribute {
        Attribute { name: name.to_owned(), f: Some(value), i: None, kind: 1 }
    }
}

impl Value {
    /// A value of shape `[batch, sequence]`, or `[batch, sequence, last]`.
    pub(crate) fn texts(name: &str, element: i32, last: Option<usize>) -> Value {
        let named = |name: &str| Dim { size: None, name: Some(name.to_owned()) };
        let mut dims = vec![named("batch"), named("sequence")];
        dims.extend(last.map(|size| Dim { size: Some(size as i64), name: None }));
        let tensor = Some(TensorKind { element, shape: Some(Shape { dims }) });
        Value { name: name.to_owned(), kind: Some(ValueKind { tensor }) }
    }
}

impl Tensor {
    pub(crate) fn new(name: &str, element: i32, dims: &[usize], raw: Vec<u8>) -> Tensor {
        let dims = dims.iter().map(|&size| size as i64).collect();
        Tensor { dims, element, name: name.to_owned(), raw }
    }
}
