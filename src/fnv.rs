//! FNV-1a, 64 bits: the fingerprint that cloudini's replay benchmark prints.

/// The fingerprint of bytes fed in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// The fingerprint so far.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }

    /// The fingerprint of one piece of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> u64 {
        let mut fnv = Self::default();
        fnv.add(bytes);
        fnv.value()
    }
}

#[cfg(test)]
mod tests {
    use super::Fnv;

    #[test]
    fn known_values() {
        // From the FNV authors' test vectors.
        assert_eq!(Fnv::of(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv::of(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv::of(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
