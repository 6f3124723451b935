//! Unified diffs of texts.

use std::ops::Range;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// Lines in place of others; one of the ranges may be empty.
struct Block {
    old: Range<usize>,
    new: Range<usize>,
}

/// The diff in the form that `patch -p1` takes.
pub fn unified(path: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let [old, new] = [old, new].map(|text| text.split_inclusive(|&byte| byte == b'\n').collect::<Vec<_>>());
    // Behind a name with a space, a tab says where it ends.
    let end = if path.contains(' ') { "\t" } else { "" };
    let mut text = format!("--- a/{path}{end}\n+++ b/{path}{end}\n").into_bytes();
    for hunk in hunks(blocks(&old, &new)) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let before = first.old.start.min(CONTEXT);
        let behind = (old.len() - last.old.end).min(CONTEXT);
        let [shown_old, shown_new] = [&first.old, &first.new].map(|range| range.start - before);
        let counts = [last.old.end + behind - shown_old, last.new.end + behind - shown_new];
        text.extend(format!("@@ -{},{} +{},{} @@\n", shown_old + 1, counts[0], shown_new + 1, counts[1]).bytes());
        let mut at = shown_old;
        for block in &hunk {
            old[at..block.old.start].iter().for_each(|line| push(&mut text, b' ', line));
            old[block.old.clone()].iter().for_each(|line| push(&mut text, b'-', line));
            new[block.new.clone()].iter().for_each(|line| push(&mut text, b'+', line));
            at = block.old.end;
        }
        old[at..at + behind].iter().for_each(|line| push(&mut text, b' ', line));
    }
    text
}

/// What differs: from a difference on to the nearest lines that are alike.
fn blocks(old: &[&[u8]], new: &[&[u8]]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let (mut at, mut made) = (0, 0);
    while at < old.len() || made < new.len() {
        if at < old.len() && made < new.len() && old[at] == new[made] {
            (at, made) = (at + 1, made + 1);
            continue;
        }
        let most = old.len() - at + new.len() - made;
        let alike = (1..most).find_map(|sum| {
            let pairs = (0..=sum).map(|lines| (at + lines, made + sum - lines));
            let pairs = pairs.filter(|&(a, b)| a < old.len() && b < new.len() && old[a] == new[b]);
            pairs.min_by_key(|&(a, b)| (a - at).abs_diff(b - made))
        });
        let (end, made_end) = alike.unwrap_or((old.len(), new.len()));
        blocks.push(Block { old: at..end, new: made..made_end });
        (at, made) = (end, made_end);
    }
    blocks
}

fn push(text: &mut Vec<u8>, mark: u8, line: &[u8]) {
    text.push(mark);
    text.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        text.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

/// Blocks that are shown together, where what is shown around them meets.
fn hunks(blocks: Vec<Block>) -> Vec<Vec<Block>> {
    let mut hunks: Vec<Vec<Block>> = Vec::new();
    for block in blocks {
        let end = hunks.last().and_then(|hunk| hunk.last()).map(|last| last.old.end);
        match (hunks.last_mut(), end) {
            (Some(hunk), Some(end)) if block.old.start <= end + 2 * CONTEXT => hunk.push(block),
            _ => hunks.push(vec![block]),
        }
    }
    hunks
}
