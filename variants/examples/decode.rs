//! Decodes a LEB128 stream with the best decoder of this CPU: `cargo run -p variants --example decode`.

use variants::{Layout, Run, best, decode_leb128, layout};

fn main() -> Result<(), variants::DecodeError> {
    // A stream as cloudini writes it: every delta as zigzag + 1, so that token 0 is left for NaN.
    let deltas = (0..10_000_i64).map(|point| (point % 7 - 3) * (point % 97));
    let tokens: Vec<u64> = deltas.filter_map(layout::leb128::token_of_delta).collect();
    let mut bytes = Vec::new();
    layout::Leb128::encode(&tokens, &mut bytes);

    // All at once.
    let decoded: Vec<u32> = decode_leb128(&bytes, tokens.len())?;
    let sum: i64 = decoded.iter().filter_map(|&token| layout::leb128::delta_of_token(token.into())).sum();
    println!("{} tokens of {} bytes, deltas sum to {sum}", decoded.len(), bytes.len());

    // Into a buffer that stays in the cache. `decode_some` may go past the 64 tokens that are asked for, up to the
    // end of the buffer: block decoders are fastest where they may stop as they like.
    let decoder = best::Leb128::detect();
    let (mut run, mut left) = (Run::of_data(&bytes), tokens.len());
    let (mut buffer, mut calls, mut again) = ([0_u32; 1024], 0, Vec::new());
    while left > 0 {
        let room = left.min(buffer.len());
        let count = decoder.decode_some(&mut run, &mut buffer[..room], room.min(64))?;
        again.extend_from_slice(&buffer[..count]);
        left -= count;
        calls += 1;
    }
    assert_eq!(again, decoded);
    println!("the same by {} in {calls} calls, {} bytes left over", decoder.name(), run.data.len());

    // What cannot be decoded is refused with its place.
    let error = decode_leb128::<u32>(&bytes[..bytes.len() / 2], tokens.len() / 2 + 1000).unwrap_err();
    println!("half of the bytes: {error}");
    Ok(())
}
