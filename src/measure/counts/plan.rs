//! What is counted. The build script takes this file, too: the benches and the gate are made from one list.

use variants::{Class, Decoder, Leb128Visitor, Standing, Visitor, layout::Leb128};

/// The captures that slices are cut from: short tokens ring by ring, integers beside floats in firing order, and
/// an image with holes.
pub(crate) const CAPTURES: [&str; 3] = ["hdl64-rings", "spin32-columns", "os1-64-organized"];

/// One decode that is counted.
#[derive(Clone, Debug)]
pub(crate) struct Bench {
    /// `tokens/rows/u32/<capture>/<variant>` or `points/v4/<capture>/<path>/<variant>`.
    pub(crate) id: String,
    /// The bench function, which counts one contestant.
    pub(crate) function: String,
    /// The function's case, which stands for a capture.
    pub(crate) case: String,
}

/// All of them: tokens of every variant, points of the ranked LEB128 ones. Those with AVX-512 are not among them,
/// since valgrind knows no such instruction and hides them from detection: it would count a fallback.
pub(crate) fn plan() -> Vec<Bench> {
    let mut plan = Plan(Vec::new());
    variants::visit_all(&mut plan);
    variants::visit_leb128(&mut plan);
    plan.0
}

struct Plan(Vec<Bench>);

impl Plan {
    /// One contestant on every capture; the capture stands between the parts of its id.
    fn add(&mut self, task: &str, contestant: &str) {
        for capture in CAPTURES {
            self.0.push(Bench {
                id: format!("{task}/{capture}/{contestant}"),
                function: identifier(&format!("{task}/{contestant}")),
                case: identifier(capture),
            });
        }
    }
}

impl Visitor for Plan {
    fn visit<D: Decoder>(&mut self, name: &'static str) {
        if D::INFO.class != Class::Avx512 {
            self.add("tokens/rows/u32", name);
        }
    }
}

impl Leb128Visitor for Plan {
    fn visit<D: Decoder<Layout = Leb128>>(&mut self, name: &'static str) {
        if D::INFO.standing != Standing::Ranked || D::INFO.class == Class::Avx512 {
            return;
        }
        // Where one token is asked for at a time, bulk decoders fall back on plain code.
        let scalar = D::INFO.class == Class::Scalar;
        let paths = if scalar { &["per-field", "per-point", "block"][..] } else { &["block"] };
        for path in paths {
            self.add("points/v4", &format!("{path}/{name}"));
        }
    }
}

fn identifier(name: &str) -> String {
    name.replace(['/', '-'], "_")
}
