//! Unified diffs of texts in which lines changed, and none came or went.

use std::ops::Range;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// The diff in the form that `patch -p1` takes.
pub fn unified(path: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let [old, new] = [old, new].map(|text| text.split_inclusive(|&byte| byte == b'\n').collect::<Vec<_>>());
    let changed: Vec<usize> = (0..old.len().min(new.len())).filter(|&at| old[at] != new[at]).collect();
    // Behind a name with a space, a tab tells where it ends.
    let end = if path.contains(' ') { "\t" } else { "" };
    let mut text = format!("--- a/{path}{end}\n+++ b/{path}{end}\n").into_bytes();
    for hunk in hunks(&changed, old.len()) {
        text.extend(format!("@@ -{0},{1} +{0},{1} @@\n", hunk.start + 1, hunk.len()).bytes());
        let mut at = hunk.start;
        while at < hunk.end {
            let run = (at..hunk.end).find(|&line| old[line] == new[line]).unwrap_or(hunk.end);
            if run == at {
                push(&mut text, b' ', old[at]);
                at += 1;
                continue;
            }
            old[at..run].iter().for_each(|line| push(&mut text, b'-', line));
            new[at..run].iter().for_each(|line| push(&mut text, b'+', line));
            at = run;
        }
    }
    text
}

fn push(text: &mut Vec<u8>, mark: u8, line: &[u8]) {
    text.push(mark);
    text.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        text.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

/// The lines that are shown, in pieces.
fn hunks(changed: &[usize], count: usize) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for &line in changed {
        let around = line.saturating_sub(CONTEXT)..(line + CONTEXT + 1).min(count);
        match hunks.last_mut() {
            Some(last) if around.start <= last.end => last.end = around.end,
            _ => hunks.push(around),
        }
    }
    hunks
}
