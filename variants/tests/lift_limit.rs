//! The lift under [`cpu::limit`], which holds for a whole process: hence a binary of its own.

use variants::{
    Class,
    cpu::{self, Level},
    lift::{Lane, Lift, Store},
};

#[test]
fn keeps_to_the_limit() {
    let lanes = [Lane { offset: 0, store: Store::Int32 }];
    let class = || Lift::new(&lanes, 4).unwrap().class();
    let best = if cpu::Avx512Vbmi2::detect().is_some() {
        Class::Avx512
    } else if cpu::Avx2::detect().is_some() {
        Class::Avx2
    } else {
        Class::Scalar
    };
    assert_eq!(class(), best);
    for (level, most) in
        [(Level::Avx2, Class::Avx2), (Level::Sse41, Class::Scalar), (Level::Portable, Class::Scalar)]
    {
        cpu::limit(level);
        assert_eq!(class(), best.min(most), "{level:?}");
    }
    cpu::limit(Level::All);
    assert_eq!(class(), best);
}
