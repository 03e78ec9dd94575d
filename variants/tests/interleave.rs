//! Columns into rows. In a file of its own, since the level of the CPU is that of the whole process.

use variants::{cpu, lift::interleave};

#[test]
fn columns_become_rows_at_every_level_and_width() {
    for level in [cpu::Level::Portable, cpu::Level::Avx2, cpu::Level::All] {
        cpu::limit(level);
        for lanes in 1..=12 {
            for rows in [0, 1, 7, 8, 15, 16, 17, 100] {
                let stride = rows + 5;
                let columns: Vec<u32> =
                    (0..(lanes * stride) as u32).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
                let expected: Vec<u32> =
                    (0..rows * lanes).map(|at| columns[at % lanes * stride + at / lanes]).collect();
                let mut got = vec![0; rows * lanes];
                interleave(&columns, stride, &mut got, lanes);
                assert_eq!(got, expected, "{lanes} lanes, {rows} rows");
                let columns: Vec<u64> = columns.iter().map(|&word| u64::from(word) << 20).collect();
                let mut got = vec![0; rows * lanes];
                interleave(&columns, stride, &mut got, lanes);
                assert!(got.iter().zip(&expected).all(|(got, &word)| *got == u64::from(word) << 20));
            }
        }
    }
    cpu::limit(cpu::Level::All);
}
