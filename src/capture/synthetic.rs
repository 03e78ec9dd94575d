//! Made-up token streams with known shares of lengths: controls beside the captures, never in their place.
//!
//! They come from [`Xoshiro256PlusPlus`], a named generator, seeded by [`SEED`]: the same everywhere. Inside
//! a length all tokens are as likely as each other. Token 0, the NaN marker, is only in `nan-30`.

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};

/// The seed of every stream; a stream's own number is added.
pub const SEED: u64 = 20_260_627;

/// How a stream's tokens are drawn.
enum Recipe {
    /// Per mille of tokens with 1, 2 and 3 bytes, at random; the rest, if any, are token 0.
    Mix([u32; 3]),
    /// 1 to this many bytes, each as often as the others.
    Uniform(usize),
    /// One byte, two bytes, one byte, and so on.
    Alternating,
}

const RECIPES: [(&str, Recipe); 9] = [
    ("mix-100", Recipe::Mix([1000, 0, 0])),
    ("mix-78-22", Recipe::Mix([780, 220, 0])),
    ("mix-50-50", Recipe::Mix([500, 500, 0])),
    ("mix-60-30-10", Recipe::Mix([600, 300, 100])),
    ("mix-0-0-100", Recipe::Mix([0, 0, 1000])),
    ("uniform-1-4", Recipe::Uniform(4)),
    ("uniform-1-9", Recipe::Uniform(9)),
    ("alternating-1-2", Recipe::Alternating),
    // The rest as in mix-78-22.
    ("nan-30", Recipe::Mix([546, 154, 0])),
];

/// The streams' names, in the order of tables.
pub const NAMES: &[&str] = &{
    let mut names = [""; RECIPES.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = RECIPES[index].0;
        index += 1;
    }
    names
};

/// The first `count` tokens of a stream, or `None` if there is no stream of this name.
#[must_use]
pub fn tokens(name: &str, count: usize) -> Option<Vec<u64>> {
    let number = RECIPES.iter().position(|(known, _)| *known == name)?;
    Some(drawn(&RECIPES[number].1, SEED + number as u64, count))
}

/// `count` tokens of 1 or 2 bytes in random order, so many of 1000 with 2.
#[must_use]
pub fn two_byte_share(per_mille: u32, count: usize) -> Vec<u64> {
    let two = per_mille.min(1000);
    drawn(&Recipe::Mix([1000 - two, two, 0]), SEED + 1000 + u64::from(two), count)
}

fn drawn(recipe: &Recipe, seed: u64, count: usize) -> Vec<u64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let draw = |index| {
        let bytes = match recipe {
            Recipe::Mix(shares) => {
                let mut place: u32 = random.random_range(0..1000);
                // The first class whose share reaches up to the place; behind them all is token 0.
                let class = shares.iter().position(|&share| {
                    let inside = place < share;
                    place = place.wrapping_sub(share);
                    inside
                });
                class.map_or(0, |class| class + 1)
            }
            Recipe::Uniform(longest) => random.random_range(1..=*longest),
            Recipe::Alternating => 1 + index % 2,
        };
        if bytes == 0 {
            return 0;
        }
        // Seven bits a byte; 0 would be the NaN marker.
        let least = (1_u64 << (7 * (bytes - 1))).max(1);
        random.random_range(least..1 << (7 * bytes))
    };
    (0..count).map(draw).collect()
}
