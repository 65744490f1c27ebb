//! A golden file with one line for each computed item, so that a failure names the one that
//! differs.

use core::fmt;
use core::str::FromStr;

/// Digest of one item: its name, the number of hashed results, and their BLAKE3 hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Name of the item.
    pub name: String,
    /// Number of hashed results.
    pub count: u64,
    /// First 16 bytes of the hash, in hex.
    pub digest: String,
}

impl Line {
    /// Creates a line from the hasher of the results.
    pub fn new(name: &str, count: u64, hasher: &blake3::Hasher) -> Self {
        let digest = hasher.finalize().to_hex()[..32].to_owned();
        Self { name: name.to_owned(), count, digest }
    }
}

/// A list of lines, computed or committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Golden {
    /// Lines in order.
    pub lines: Vec<Line>,
}

/// A line that differs between two goldens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Committed line, if there is one.
    pub expected: Option<Line>,
    /// Computed line, if there is one.
    pub computed: Option<Line>,
}

impl Golden {
    /// Returns every line that differs between this (expected) golden and the computed one.
    pub fn differences(&self, computed: &Self) -> Vec<Difference> {
        (0..self.lines.len().max(computed.lines.len()))
            .map(|i| Difference {
                expected: self.lines.get(i).cloned(),
                computed: computed.lines.get(i).cloned(),
            })
            .filter(|d| d.expected != d.computed)
            .collect()
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<24} {:>9}  {}", self.name, self.count, self.digest)
    }
}

impl fmt::Display for Golden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |line: &Option<Line>| {
            line.as_ref().map_or_else(|| "(no such line)".to_owned(), Line::to_string)
        };
        writeln!(f, "  expected {}", show(&self.expected))?;
        write!(f, "  computed {}", show(&self.computed))
    }
}

/// A line of a golden file that can't be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseGoldenError {
    /// Line number, from 1.
    pub line: usize,
}

impl fmt::Display for ParseGoldenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the golden file is not `name count digest`; mint it anew", self.line)
    }
}

impl core::error::Error for ParseGoldenError {}

impl FromStr for Golden {
    type Err = ParseGoldenError;

    fn from_str(text: &str) -> Result<Self, ParseGoldenError> {
        let parse = |(number, line): (usize, &str)| {
            let fields: Vec<_> = line.split_whitespace().collect();
            if let [name, count, digest] = fields[..]
                && let Ok(count) = count.parse()
            {
                Ok(Line { name: name.to_owned(), count, digest: digest.to_owned() })
            } else {
                Err(ParseGoldenError { line: number + 1 })
            }
        };
        text.lines().enumerate().map(parse).collect::<Result<_, _>>().map(|lines| Self { lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden(text: &str) -> Golden {
        text.parse().expect("a golden")
    }

    #[test]
    fn a_golden_survives_its_own_text() {
        let golden = golden("mul 10 00ff\nsqrt 20 1234\n");
        assert_eq!(golden.to_string().parse(), Ok(golden));
    }

    #[test]
    fn a_changed_digest_a_missing_line_and_an_extra_one_are_differences() {
        let expected = golden("mul 10 00ff\nsqrt 20 1234\n");
        assert_eq!(expected.differences(&expected), []);
        for other in
            ["mul 10 00fe\nsqrt 20 1234", "mul 10 00ff", "mul 10 00ff\nsqrt 20 1234\na 1 b"]
        {
            assert_eq!(expected.differences(&golden(other)).len(), 1);
        }
    }

    #[test]
    fn a_broken_file_names_its_line() {
        assert_eq!("mul 10 00ff\nsqrt x 12".parse::<Golden>(), Err(ParseGoldenError { line: 2 }));
    }
}
