//! Sources of random bytes for keys, cookies and connection ids.

/// Source of unpredictable bytes. Predictable bytes let an attacker decrypt the traffic; outside of tests, use
/// [`OsEntropy`].
pub trait Entropy {
    /// Fills `out` with random bytes.
    fn fill(&mut self, out: &mut [u8]);

    /// Returns `N` random bytes.
    #[doc(hidden)]
    fn array<const N: usize>(&mut self) -> [u8; N]
    where
        Self: Sized,
    {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}

/// Random number generator of the operating system, or of the browser.
#[cfg(feature = "udp")]
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

#[cfg(feature = "udp")]
impl Entropy for OsEntropy {
    fn fill(&mut self, out: &mut [u8]) {
        getrandom::fill(out).expect("the operating system provides random bytes");
    }
}

/// Deterministic bytes from a seed, for tests and simulations. Never use it for a real match.
#[derive(Clone, Debug)]
pub struct SeededEntropy(blake3::OutputReader);

impl SeededEntropy {
    /// Creates the byte stream of a seed.
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
