//! How long the captures' tokens are: what decides which decoder wins.

use plotters::prelude::RGBColor;

use crate::{
    error::Result,
    measure::CaptureFacts,
    report::{
        charts::{
            canvas::{Align, Canvas, GREY, INK, PAPER, fit, plain, text_width},
            style::{Chart, FIGURE, MARGIN, NAME, SMALL, WIDTH, footer, header, legend},
        },
        text::{digits, percent},
    },
};

/// Light to dark: also right in grey.
const LENGTHS: [(&str, RGBColor); 4] = [
    ("1 byte", RGBColor(0xc6, 0xdb, 0xef)),
    ("2 bytes", RGBColor(0x6b, 0xae, 0xd6)),
    ("3 bytes", RGBColor(0x21, 0x71, 0xb5)),
    ("4 or more", RGBColor(0x08, 0x2a, 0x5e)),
];

/// The shares of 1, 2, 3 and more bytes; what is no share counts as 0.
pub(crate) fn shares(facts: &CaptureFacts) -> [f64; 4] {
    let share = |at: usize| {
        let share = facts.length_shares[at];
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    };
    [share(0), share(1), share(2), (3..10).map(share).sum::<f64>().min(1.0)]
}

/// The mix of all captures, or `None` without captures.
pub(super) fn draw(captures: &[CaptureFacts], origin: &str) -> Result<Option<Chart>> {
    if captures.is_empty() {
        return Ok(None);
    }
    let mut groups = [("real recordings", Vec::new()), ("short", Vec::new()), ("synthetic", Vec::new())];
    for facts in captures {
        groups[if facts.synthetic { 2 } else { usize::from(facts.short) }].1.push(facts);
    }
    let mut canvas = Canvas::new(WIDTH);
    let title = "How long the tokens are";
    let subtitle = "share of tokens by their LEB128 length, points in rows · right: mean bytes per token · \
                    shortest first";
    let y = header(&mut canvas, title, subtitle);
    let items: Vec<_> = LENGTHS.iter().map(|&(name, colour)| (name.to_owned(), colour, None)).collect();
    let mut y = legend(&mut canvas, y, &items);

    let names = captures.iter().map(|facts| text_width(&facts.name, NAME)).max().unwrap_or(0).min(300);
    let left = MARGIN + names + 10;
    let right = WIDTH - MARGIN - 56;
    let several = groups.iter().filter(|(_, group)| !group.is_empty()).count() > 1;
    for (name, mut group) in groups {
        if group.is_empty() {
            continue;
        }
        if several {
            canvas.text(MARGIN, y + 8, name, plain(13, GREY), Align::Left);
            y += 20;
        }
        group.sort_by(|a, b| a.bytes_per_token.total_cmp(&b.bytes_per_token).then(a.name.cmp(&b.name)));
        for facts in group {
            let middle = y + 13;
            canvas.text(left - 10, middle, &fit(&facts.name, NAME, names), NAME, Align::Right);
            bar(&mut canvas, facts, [left, middle - 9, right, middle + 9]);
            canvas.text(WIDTH - MARGIN, middle, &digits(facts.bytes_per_token), FIGURE, Align::Right);
            y += 26;
        }
        y += 6;
    }
    canvas.text(left, y + 4, "0 %", SMALL, Align::Left);
    canvas.text((left + right) / 2, y + 4, "50 %", SMALL, Align::Middle);
    canvas.text(right, y + 4, "100 %", SMALL, Align::Right);
    let height = footer(&mut canvas, y + 14, &[], origin);
    let alt = format!("{title}: stacked shares of 1, 2, 3 and more bytes for each capture");
    Ok(Some(Chart { file: "token-lengths.svg".to_owned(), svg: canvas.svg(height, &alt)?, alt }))
}

fn bar(canvas: &mut Canvas, facts: &CaptureFacts, [left, top, right, bottom]: [i32; 4]) {
    let mut sum = 0.0;
    let x = |share: f64| left + (f64::from(right - left) * share.min(1.0)).round() as i32;
    for (at, share) in shares(facts).into_iter().enumerate() {
        let (start, end) = (x(sum), x(sum + share));
        sum += share;
        if end == start {
            continue;
        }
        canvas.fill([start, top, end, bottom], LENGTHS[at].1);
        let look = plain(12, if at < 2 { INK } else { PAPER });
        let text = percent(share);
        if text_width(&text, look) + 6 < end - start {
            canvas.text((start + end) / 2, (top + bottom) / 2, &text, look, Align::Middle);
        }
    }
}
