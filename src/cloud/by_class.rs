//! What is worked out once for each class of lifts that somebody asks for.

use std::sync::OnceLock;

use variants::Class;

/// A lift uses nothing beyond the class of the decoder it stands behind: a figure for decoders that need no more than
/// AVX2 has to be one that a CPU with AVX2 reaches.
#[derive(Clone, Debug)]
pub(super) struct ByClass<T>([OnceLock<T>; 3]);

impl<T> ByClass<T> {
    /// Nothing so far.
    pub(super) fn new() -> Self {
        Self([const { OnceLock::new() }; 3])
    }

    /// What was made for decoders of this class; `make` is told the class that lifts may use.
    pub(super) fn get(&self, class: Class, make: impl FnOnce(Class) -> T) -> &T {
        let (place, class) = match class {
            Class::Avx512 => (2, class),
            Class::Avx2 => (1, class),
            Class::Scalar | Class::Bmi2 | Class::Sse => (0, Class::Scalar),
        };
        self.0[place].get_or_init(|| make(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_is_made_once_and_small_ones_share_the_portable_lift() {
        let made = ByClass::new();
        for class in [Class::Avx512, Class::Sse, Class::Avx2, Class::Scalar, Class::Bmi2, Class::Avx512] {
            let lift = match class {
                Class::Avx512 | Class::Avx2 => class,
                _ => Class::Scalar,
            };
            assert_eq!(made.get(class, |class| (class, "first")).0, lift);
            assert_eq!(made.get(class, |class| (class, "second")), &(lift, "first"));
        }
    }
}
