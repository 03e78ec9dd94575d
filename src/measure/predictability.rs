//! How predictable the lengths of tokens are: what a branch predictor could make of them.

use std::collections::HashMap;

use serde::Serialize;
use variants::layout::leb128;

/// How many bits the length of the next token is worth, on average, to who knows some lengths before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predictability {
    /// How many lengths before it are known.
    pub order: usize,
    /// Conditional entropy in bits a token; `None` if the stream is too short for so many to tell.
    pub bits: Option<f64>,
}

/// Orders that are looked at, and that of a whole point before.
const ORDERS: [usize; 4] = [0, 1, 2, 4];

/// Longest context: its lengths have 4 bits each in a `u64`.
const MOST_ORDER: usize = 16;

/// A context has to be met so often, on average, for its next lengths to say anything.
const TELLING: usize = 32;

/// By orders, of a stream in rows with so many tokens a point.
pub(super) fn predictability(tokens: &[u64], tokens_per_point: usize) -> Vec<Predictability> {
    let lengths: Vec<u8> = tokens.iter().map(|&token| leb128::token_bytes(token) as u8).collect();
    let mut orders = ORDERS.to_vec();
    orders.extend((tokens_per_point <= MOST_ORDER).then_some(tokens_per_point));
    orders.sort_unstable();
    orders.dedup();
    orders
        .into_iter()
        .map(|order| Predictability { order, bits: conditional_entropy(&lengths, order) })
        .collect()
}

/// Bits of the next length to who knows `order` lengths before it, at most [`MOST_ORDER`]; `None` if the contexts
/// are too many for so few lengths.
fn conditional_entropy(lengths: &[u8], order: usize) -> Option<f64> {
    let mask = if order >= MOST_ORDER { u64::MAX } else { (1 << (4 * order)) - 1 };
    let mut contexts = HashMap::<u64, [u64; leb128::MAX_BYTES]>::new();
    let mut context = 0;
    for (index, &length) in lengths.iter().enumerate() {
        if index >= order {
            contexts.entry(context & mask).or_default()[usize::from(length) - 1] += 1;
        }
        context = context << 4 | u64::from(length);
    }
    let count = lengths.len().saturating_sub(order);
    let enough = count > 0 && contexts.len() * TELLING <= count;
    enough.then(|| contexts.values().map(bits).sum::<f64>() / count as f64)
}

/// The entropy of a histogram times its sum, in bits.
pub(super) fn bits(counts: &[u64; leb128::MAX_BYTES]) -> f64 {
    let sum: u64 = counts.iter().sum();
    let of_one =
        |&count: &u64| if count == 0 { 0.0 } else { count as f64 * (sum as f64 / count as f64).log2() };
    counts.iter().map(of_one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::synthetic;

    fn bits_of(name: &str, order: usize) -> f64 {
        let tokens = synthetic::tokens(name, 1 << 18).unwrap();
        let found = predictability(&tokens, 8);
        found.iter().find(|found| found.order == order).unwrap().bits.unwrap()
    }

    #[test]
    fn entropy_of_known_streams() {
        // Half and half at random: a bit a token, whatever came before.
        for order in [0, 1, 2, 4] {
            assert!((bits_of("mix-50-50", order) - 1.0).abs() < 1e-3, "order {order}");
        }
        // In turn: a bit to who forgets, none to who remembers one.
        assert!((bits_of("alternating-1-2", 0) - 1.0).abs() < 1e-9);
        assert!(bits_of("alternating-1-2", 1) < 1e-9);
        assert_eq!(bits_of("mix-100", 0), 0.0);
        // -0.78 log2 0.78 - 0.22 log2 0.22
        assert!((bits_of("mix-78-22", 0) - 0.7602).abs() < 5e-3);
    }

    #[test]
    fn too_few_lengths_tell_nothing() {
        assert_eq!(conditional_entropy(&[], 0), None);
        assert_eq!(conditional_entropy(&[1, 2, 3, 4], 1), None);
        let lengths: Vec<u8> = (0..64).map(|index| 1 + index % 2).collect();
        assert_eq!(conditional_entropy(&lengths, 0), Some(1.0));
        assert_eq!(conditional_entropy(&lengths, 63), None);
    }
}
