//! Comparison of two values: the fields that differ, with both values as text.

use super::leaf::{Group, Leaf, Part, WalkError, render};
use super::sink::Sink;
use super::walk::walk;
use core::fmt;
use serde::Serialize;
use std::collections::BTreeMap;

/// A field in which two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDifference {
    /// The path to it, like `players[3].inventory.0.count`.
    pub path: String,
    /// The text of the left value; `None` if it has no such element, entry or field.
    pub left: Option<String>,
    /// The text of the right value; `None` if it has no such element, entry or field.
    pub right: Option<String>,
}

impl fmt::Display for FieldDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |side: &Option<String>| side.clone().unwrap_or_else(|| "(nothing)".to_owned());
        write!(f, "{}: {} | {}", self.path, text(&self.left), text(&self.right))
    }
}

/// Lists the fields in which two values differ, in the order of the type, at most `limit` of them.
///
/// An element, entry or variant that only one side has is one difference, not one per field in it.
/// Values are shown as in human-readable formats (a [`Real`](crate::Real) as a decimal number). If
/// two different values have the same text, both are shown raw.
///
/// # Errors
/// If a value holds a float or a map without order; the error names the path.
///
/// ```
/// use isostep_core::{Real, real};
/// use isostep_core::internals::diff;
/// #[derive(serde::Serialize)]
/// struct Player { score: u32, speed: Real }
/// let ours = vec![Player { score: 3, speed: real!(0.5) }];
/// let theirs = vec![Player { score: 3, speed: real!(0.75) }, Player { score: 0, speed: real!(0) }];
/// let differences = diff(&ours, &theirs, 10)?;
/// assert_eq!(differences[0].to_string(), r#"[0].speed: "0.5" | "0.75""#);
/// assert_eq!(differences[1].to_string(), r#"[1]: (nothing) | {score: 0, speed: "0"}"#);
/// # Ok::<(), isostep_core::digest::WalkError>(())
/// ```
pub fn diff<T: Serialize + ?Sized>(
    left: &T,
    right: &T,
    limit: usize,
) -> Result<Vec<FieldDifference>, WalkError> {
    let mut differences = Vec::new();
    for readable in [true, false] {
        let left = walk(left, Builder::new(), readable)?.root();
        let right = walk(right, Builder::new(), readable)?.root();
        let mut found = Comparison { path: Vec::new(), limit, differences };
        found.nodes(&left, &right);
        differences = found.differences;
        if !differences.is_empty() {
            break;
        }
    }
    Ok(differences)
}

/// Lists every field without parts, with its path, in the order of the type.
///
/// # Errors
/// If the value holds a float or a map without order; the error names the path.
///
/// ```
/// use isostep_core::internals::leaves;
/// let found = leaves(&(7, vec![Some("sword"), None]))?;
/// let found: Vec<_> = found.iter().map(|(path, value)| format!("{path} = {value}")).collect();
/// assert_eq!(found, ["0 = 7", r#"1[0] = "sword""#, "1[1] = None"]);
/// # Ok::<(), isostep_core::digest::WalkError>(())
/// ```
pub fn leaves<T: Serialize + ?Sized>(value: &T) -> Result<Vec<(String, String)>, WalkError> {
    Ok(walk(value, Leaves::default(), true)?.0)
}

/// A value as a tree of texts.
#[derive(Debug)]
enum Node {
    /// Text, and the type if the text does not imply it.
    Leaf(String, String),
    Group(Group, Vec<(Part, Node)>),
}

/// Longest text of one side of a difference, in characters.
const SHOWN_CHARS: usize = 240;

impl Node {
    fn shown(&self) -> String {
        let whole = self.to_string();
        match whole.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", &whole[..end]),
            None => whole,
        }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (group, entries) = match self {
            Self::Leaf(text, _) => return f.write_str(text),
            Self::Group(group, entries) => (group, entries),
        };
        let (name, open, close) = match group {
            Group::Some => ("Some", "(", ")"),
            Group::Sequence => ("", "[", "]"),
            Group::Tuple => ("", "(", ")"),
            Group::Struct | Group::Map => ("", "{", "}"),
            Group::Variant(_, name) => (*name, "{", "}"),
        };
        write!(f, "{name}{open}")?;
        for (i, (part, node)) in entries.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match part {
                Part::Field(name) => write!(f, "{name}: {node}")?,
                Part::Key(key) if *group == Group::Map => write!(f, "{key}: {node}")?,
                _ => write!(f, "{node}")?,
            }
        }
        f.write_str(close)
    }
}

struct Comparison {
    path: Vec<Part>,
    limit: usize,
    differences: Vec<FieldDifference>,
}

impl Comparison {
    fn note(&mut self, left: Option<&Node>, right: Option<&Node>) {
        if self.differences.len() >= self.limit {
            return;
        }
        let (mut left_text, mut right_text) = (left.map(Node::shown), right.map(Node::shown));
        if left_text == right_text {
            left_text = left.map(|node| format!("{node:?}"));
            right_text = right.map(|node| format!("{node:?}"));
        }
        let path = render(&self.path);
        self.differences.push(FieldDifference { path, left: left_text, right: right_text });
    }

    fn nodes(&mut self, left: &Node, right: &Node) {
        match (left, right) {
            (Node::Leaf(a, a_type), Node::Leaf(b, b_type)) if (a, a_type) == (b, b_type) => {}
            (Node::Group(a, lefts), Node::Group(b, rights)) if a == b => {
                let depth = self.path.len();
                if let Group::Variant(_, name) = a {
                    self.path.push(Part::Variant(name));
                }
                self.entries(*a, lefts, rights);
                self.path.truncate(depth);
            }
            _ => self.note(Some(left), Some(right)),
        }
    }

    fn entries(&mut self, group: Group, lefts: &[(Part, Node)], rights: &[(Part, Node)]) {
        let depth = self.path.len();
        let mut unmatched: BTreeMap<&Part, &Node> =
            rights.iter().map(|(part, node)| (part, node)).collect();
        for (part, left) in lefts {
            // The content of an option or of a variant with one value has the path of its wrapper.
            if group != Group::Some && !matches!(part, Part::Variant(_)) {
                self.path.push(part.clone());
            }
            match unmatched.remove(part) {
                Some(right) => self.nodes(left, right),
                None => self.note(Some(left), None),
            }
            self.path.truncate(depth);
        }
        for (part, right) in rights {
            if unmatched.contains_key(part) {
                self.path.push(part.clone());
                self.note(None, Some(right));
                self.path.truncate(depth);
            }
        }
    }
}

/// Builds the tree of a value.
struct Builder {
    /// Open groups, each with its part in the parent; the first entry is the root.
    stack: Vec<(Part, Vec<(Part, Node)>)>,
}

/// The part of the root value, which has no path.
const ROOT: Part = Part::Place(0);

impl Builder {
    fn new() -> Self {
        Self { stack: vec![(ROOT, Vec::new())] }
    }

    fn add(&mut self, part: Part, node: Node) {
        self.stack.last_mut().expect("the root is never popped").1.push((part, node));
    }

    fn root(mut self) -> Node {
        let (_, mut entries) = self.stack.pop().expect("the root is never popped");
        entries.pop().map_or_else(|| Node::Leaf(String::new(), String::new()), |(_, node)| node)
    }
}

fn last(path: &[Part]) -> Part {
    path.last().cloned().unwrap_or(ROOT)
}

impl Sink for Builder {
    const NAMES: bool = true;
    const KEYS: bool = false;

    fn leaf(&mut self, path: &[Part], leaf: Leaf<'_>) {
        self.add(last(path), Node::Leaf(leaf.to_string(), leaf.width()));
    }

    fn open(&mut self, path: &[Part], _: Group) {
        self.stack.push((last(path), Vec::new()));
    }

    fn close(&mut self, group: Group) {
        let (part, entries) = self.stack.pop().expect("a group that closes was opened");
        self.add(part, Node::Group(group, entries));
    }

    fn fork(&self) -> Self {
        Self::new()
    }

    fn join(&mut self, fork: Self) {
        for (part, node) in fork.stack.into_iter().flat_map(|(_, entries)| entries) {
            self.add(part, node);
        }
    }
}

/// A sink that lists leaves with their paths.
#[derive(Default)]
struct Leaves(Vec<(String, String)>);

impl Sink for Leaves {
    const NAMES: bool = true;
    const KEYS: bool = false;

    fn leaf(&mut self, path: &[Part], leaf: Leaf<'_>) {
        self.0.push((render(path), leaf.to_string()));
    }

    fn open(&mut self, _: &[Part], _: Group) {}

    fn close(&mut self, _: Group) {}

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, fork: Self) {
        self.0.extend(fork.0);
    }
}

/// A sink that keeps nothing, for a walk that only needs the path of an error.
pub(super) struct Nothing;

impl Sink for Nothing {
    const NAMES: bool = true;
    const KEYS: bool = false;

    fn leaf(&mut self, _: &[Part], _: Leaf<'_>) {}

    fn open(&mut self, _: &[Part], _: Group) {}

    fn close(&mut self, _: Group) {}

    fn fork(&self) -> Self {
        Self
    }

    fn join(&mut self, _: Self) {}
}

/// The text of a map key.
#[derive(Default)]
pub(super) struct KeyText {
    pub(super) text: String,
    begun: bool,
}

impl KeyText {
    fn add(&mut self, text: &str) {
        if core::mem::replace(&mut self.begun, true) {
            self.text.push_str(", ");
        }
        self.text.push_str(text);
    }
}

impl Sink for KeyText {
    const NAMES: bool = false;
    const KEYS: bool = true;

    fn leaf(&mut self, _: &[Part], leaf: Leaf<'_>) {
        self.add(&leaf.to_string());
    }

    fn open(&mut self, _: &[Part], group: Group) {
        self.add(if let Group::Variant(_, name) = group { name } else { "" });
        self.text.push('(');
        self.begun = false;
    }

    fn close(&mut self, _: Group) {
        self.text.push(')');
        self.begun = true;
    }

    fn fork(&self) -> Self {
        Self::default()
    }

    fn join(&mut self, fork: Self) {
        self.add(&fork.text);
    }
}
