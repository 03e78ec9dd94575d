//! Makes a failing input small: fewer bytes, fewer tokens, plainer bytes.

/// Inputs tried at most; each is a decode.
const TRIES: usize = 20_000;

/// The smallest input that is found for which `fails` still holds.
pub(crate) fn smallest(
    bytes: &[u8],
    asked: usize,
    mut fails: impl FnMut(&[u8], usize) -> bool,
) -> (Vec<u8>, usize) {
    let mut best = (bytes.to_vec(), asked);
    let mut tries = 0;
    let mut chunk = bytes.len().max(asked).next_power_of_two();
    while chunk > 0 && tries < TRIES {
        let mut improved = false;
        let mut attempt = |best: &mut (Vec<u8>, usize), bytes: Vec<u8>, asked: usize| {
            tries += 1;
            let fails = tries <= TRIES && fails(&bytes, asked);
            if fails {
                *best = (bytes, asked);
                improved = true;
            }
            fails
        };
        loop {
            let (bytes, asked) = best.clone();
            if chunk > asked || !attempt(&mut best, bytes, asked - chunk) {
                break;
            }
        }
        let mut at = 0;
        while at < best.0.len() {
            let mut bytes = best.0.clone();
            bytes.drain(at..(at + chunk).min(bytes.len()));
            // Tokens go with their bytes, where they do.
            let fewer = best.1.saturating_sub(chunk);
            let asked = best.1;
            if !attempt(&mut best, bytes.clone(), asked) && !attempt(&mut best, bytes, fewer) {
                at += chunk;
            }
        }
        if chunk == 1 {
            for at in 0..best.0.len() {
                for plain in [0x00, 0x01, 0x80, 0x81, 0xff] {
                    let mut bytes = best.0.clone();
                    if bytes[at] == plain {
                        break;
                    }
                    bytes[at] = plain;
                    let asked = best.1;
                    if attempt(&mut best, bytes, asked) {
                        break;
                    }
                }
            }
        }
        if !(improved && chunk == 1) {
            chunk /= 2;
        }
    }
    best
}

#[test]
fn the_smallest_input_is_found() {
    let bytes: Vec<u8> = (0..=255).collect();
    let (bytes, asked) = smallest(&bytes, 300, |bytes, asked| asked > 2 && bytes.iter().any(|&b| b > 0x80));
    assert_eq!((bytes, asked), (vec![0x81], 3));
}
