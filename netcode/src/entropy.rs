//! Chance as an argument: where keys, cookies and connection ids come from.

/// A source of unpredictable bytes. Whoever can guess them can read the traffic: outside of tests use [`OsEntropy`].
pub trait Entropy {
    /// Fills the bytes.
    fn fill(&mut self, out: &mut [u8]);

    /// Some bytes.
    fn array<const N: usize>(&mut self) -> [u8; N]
    where
        Self: Sized,
    {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}

/// The operating system's randomness.
#[cfg(feature = "udp")]
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

#[cfg(feature = "udp")]
impl Entropy for OsEntropy {
    fn fill(&mut self, out: &mut [u8]) {
        getrandom::fill(out).expect("a machine without randomness can't keep secrets");
    }
}

/// The same bytes for the same seed: for tests and simulations, never for a match among strangers.
#[derive(Clone, Debug)]
pub struct SeededEntropy(blake3::OutputReader);

impl SeededEntropy {
    /// The bytes of a seed.
    pub fn new(seed: u64) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("isostep 2026 seeded entropy, for tests");
        hasher.update(&seed.to_le_bytes());
        Self(hasher.finalize_xof())
    }
}

impl Entropy for SeededEntropy {
    fn fill(&mut self, out: &mut [u8]) {
        self.0.fill(out);
    }
}
