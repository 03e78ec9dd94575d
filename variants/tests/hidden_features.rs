//! B11: a variant is offered only where every feature of its class is. Hiding features is process-wide, so
//! this test has a process of its own.

use variants::cpu::{self, Level};
use variants::{Class, Decoder, Visitor, visit_all};

/// The least level that lets a class through.
fn level_of(class: Class) -> Level {
    match class {
        Class::Scalar => Level::Portable,
        Class::Sse => Level::Sse41,
        Class::Bmi2 | Class::Avx2 => Level::Avx2,
        Class::Avx512 => Level::All,
    }
}

#[derive(Default)]
struct Detected(Vec<(&'static str, Class, bool)>);

impl Visitor for Detected {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        self.0.push((name, D::INFO.class, D::detect().is_some()));
    }
}

fn detected() -> Vec<(&'static str, Class, bool)> {
    let mut detected = Detected::default();
    visit_all(&mut detected);
    detected.0
}

#[test]
fn no_variant_is_offered_without_its_features() {
    let everything = detected();
    for level in [Level::Portable, Level::Sse41, Level::Avx2, Level::All] {
        cpu::limit(level);
        for ((name, class, offered), (_, _, possible)) in detected().into_iter().zip(&everything) {
            let expected = *possible && level_of(class) <= level;
            assert_eq!(offered, expected, "{name}, {}, at {level:?}", class.name());
        }
    }
    for (name, class, possible) in everything {
        assert!(possible || class != Class::Scalar, "{name} is scalar and yet not offered");
    }
}
