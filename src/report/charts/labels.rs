//! Names beside the dots of a scatter, where nothing else is.

use crate::report::charts::{
    canvas::{Align, Canvas, GREY, INK, PAPER, plain, text_width},
    style::MARGIN,
};

const SIZE: i32 = 13;

/// Left, top, right, bottom.
pub(super) type Area = [i32; 4];

/// The room that a dot keeps to itself: a name that is nearer would seem to be its own.
pub(super) fn dot_box((x, y): (i32, i32)) -> Area {
    [x - 10, y - 10, x + 10, y + 10]
}

pub(super) fn apart(a: &Area, b: &Area) -> bool {
    a[2] < b[0] || b[2] < a[0] || a[3] < b[1] || b[3] < a[1]
}

/// Puts a name beside its dot where nothing else is, near first.
pub(super) fn label(
    canvas: &mut Canvas,
    name: &str,
    dot: (i32, i32),
    taken: &mut Vec<Area>,
    [left, top, right, bottom]: Area,
) {
    let look = plain(SIZE, INK);
    let width = text_width(name, look);
    let places = [(11, 0), (-11 - width, 0), (-width / 2, 17), (-width / 2, -17), (8, 16), (8, -16)];
    let far = [(11, 32), (-11 - width, 32), (11, -32), (-11 - width, -32), (11, 48), (-11 - width, 48)];
    let spots = places.into_iter().chain(far).enumerate().map(|(at, (across, down))| {
        let (start, middle) = (dot.0 + across, dot.1 + down);
        ([start, middle - 8, start + width, middle + 8], at >= places.len())
    });
    let inside =
        |spot: &Area| left <= spot[0] && top <= spot[1] && spot[2] <= right + MARGIN && spot[3] <= bottom;
    let own = dot_box(dot);
    let free = |spot: &Area| taken.iter().all(|other| *other == own || apart(spot, other));
    // Without a free spot the name would cover others; the table has it.
    if let Some((spot, far)) = spots.into_iter().find(|(spot, _)| inside(spot) && free(spot)) {
        if far {
            let end = if spot[0] > dot.0 { spot[0] } else { spot[2] };
            canvas.line(&[dot, (end, (spot[1] + spot[3]) / 2)], GREY, 1);
        }
        canvas.fill([spot[0] - 1, spot[1] + 1, spot[2], spot[3] - 1], PAPER);
        canvas.text(spot[0], (spot[1] + spot[3]) / 2, name, look, Align::Left);
        taken.push(spot);
    }
}
