//! Which segments to merge: pure, and the same for keyword and vector segments.
//!
//! Tiers as in an LSM tree: segments within a factor of each other are merged when they are many,
//! so that a document is rewritten a logarithmic number of times and a small commit never rewrites
//! a large segment.

/// Size of a segment in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// Rows that are there.
    pub live: u64,
    /// Rows that were removed and still take space.
    pub dead: u64,
}

/// Segments of one tier that may stand side by side.
const TIER_WIDTH: usize = 6;
/// Segments below this size count as one tier.
const SMALL: u64 = 1024;
/// A segment is rewritten when more than one row in this many is dead.
const DEAD_SHARE: u64 = 5;

/// Groups of segments to merge, each as ascending indices into `sizes`. A group of one is a
/// rewrite that drops the dead rows.
pub(crate) fn merges(sizes: &[Size], all: bool) -> Vec<Vec<usize>> {
    if all {
        let clean = sizes.len() == 1 && sizes[0].dead == 0;
        return if sizes.is_empty() || clean {
            Vec::new()
        } else {
            vec![(0..sizes.len()).collect()]
        };
    }
    let mut tiers: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
    for (index, size) in sizes.iter().enumerate() {
        tiers.entry(tier(size.live)).or_default().push(index);
    }
    let mut groups = Vec::new();
    for members in tiers.into_values() {
        if members.len() >= TIER_WIDTH {
            groups.push(members);
        } else {
            groups.extend(members.into_iter().filter(|i| wasteful(sizes[*i])).map(|i| vec![i]));
        }
    }
    groups
}

/// A group of segments divided so that no merge reads more than `limit` bytes; `bytes` are the sizes of
/// all segments. What is left alone that way stays as it is, but a group of one is a rewrite.
pub(crate) fn bounded(group: Vec<usize>, bytes: &[u64], limit: u64) -> Vec<Vec<usize>> {
    if group.len() == 1 {
        return vec![group];
    }
    let mut divided: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for index in group {
        match divided.last_mut() {
            Some(open) if bytes[index] <= room => open.push(index),
            _ => {
                divided.push(vec![index]);
                room = limit;
            }
        }
        room = room.saturating_sub(bytes[index]);
    }
    divided.retain(|group| group.len() > 1);
    divided
}

fn tier(live: u64) -> u32 {
    (live / SMALL).checked_ilog(4).map_or(0, |log| log + 1)
}

fn wasteful(size: Size) -> bool {
    size.dead * DEAD_SHARE > size.live + size.dead
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn live(live: u64) -> Size {
        Size { live, dead: 0 }
    }

    #[test]
    fn small_commits_leave_large_segments_alone() {
        let mut sizes = vec![live(1_000_000)];
        sizes.extend([live(100); 5]);
        assert_eq!(merges(&sizes, false), Vec::<Vec<usize>>::new());
        sizes.push(live(100));
        assert_eq!(merges(&sizes, false), vec![vec![1, 2, 3, 4, 5, 6]]);
        assert_eq!(merges(&sizes, true).len(), 1);
        assert_eq!(merges(&[live(5)], true), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn no_merge_reads_more_than_the_limit() {
        let check = |bytes: &[u64], expected: &[&[usize]]| {
            let groups = bounded((0..bytes.len()).collect(), bytes, 100);
            assert_eq!(groups, expected, "{bytes:?}");
        };
        check(&[10, 20, 30], &[&[0, 1, 2]]);
        check(&[60, 40, 50, 50, 1], &[&[0, 1], &[2, 3]]);
        check(&[90, 90, 90], &[]);
        check(&[500, 20, 20], &[&[1, 2]]);
        check(&[500], &[&[0]]);
    }

    #[test]
    fn wasteful_segments_are_rewritten() {
        assert_eq!(merges(&[Size { live: 70, dead: 30 }], false), vec![vec![0]]);
        assert_eq!(merges(&[Size { live: 90, dead: 10 }], false), Vec::<Vec<usize>>::new());
        assert_eq!(merges(&[Size { live: 0, dead: 10 }], false), vec![vec![0]]);
    }

    proptest! {
        #[test]
        fn rows_are_rewritten_a_logarithmic_number_of_times(commits in 1usize..400) {
            let (mut sizes, mut written) = (Vec::new(), 0);
            for _ in 0..commits {
                sizes.push(live(100));
                let groups = merges(&sizes, false);
                let merged: Vec<usize> = groups.iter().flatten().copied().collect();
                let new: Vec<Size> = groups
                    .iter()
                    .map(|g| live(g.iter().map(|i| sizes[*i].live).sum()))
                    .collect();
                written += new.iter().map(|s| s.live).sum::<u64>();
                let kept = (0..sizes.len()).filter(|i| !merged.contains(i)).map(|i| sizes[i]);
                sizes = kept.chain(new).collect();
            }
            let total = 100 * commits as u64;
            prop_assert_eq!(sizes.iter().map(|s| s.live).sum::<u64>(), total);
            prop_assert!(written <= total * (2 + u64::from(total.ilog2()) / 2), "{} of {}", written, total);
            prop_assert!(sizes.len() < 40);
        }
    }
}
