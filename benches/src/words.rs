//! Words for generated texts: a few hundred that people write often, then made-up ones by the
//! thousands, drawn as in real text (Zipf).

/// Common words, the most frequent first.
const COMMON: &str = "the to a i is it you and in of that on for have not this with be do if can but \
    are what as so or just my me at how was from an no get like use there know does your use all \
    any when one want now then some up out which need try will about would they has should after \
    still work working file error server install run problem same time here only because other \
    thanks yes good right sure help why see think where who did got more than something anyone \
    really system check restart config log line port disk memory user version update package \
    driver kernel network connection timeout request response queue worker deploy release branch \
    build test fails failed failing crash crashed slow fast again before without into change \
    changed reset cache database table index query ticket customer order payment invoice report \
    meeting tomorrow today yesterday morning week month please let maybe probably actually already \
    never always first last next new old open close start stop read write send receive found missing \
    wrong fixed fix issue question answer idea point side part case place way thing people team";

/// Made-up words on top of the common ones.
const MADE_UP: usize = 20_000;

const SYLLABLES: [&str; 40] = [
    "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su",
    "ta", "ve", "wi", "xo", "zu", "bra", "cle", "dri", "flo", "gru", "pla", "spe", "tri", "sto",
    "shu", "an", "er", "in", "on", "ur", "al", "en", "is", "or", "um",
];

/// A vocabulary to draw from.
pub(crate) struct Words {
    words: Vec<String>,
}

impl Words {
    /// The vocabulary; the same every time.
    pub(crate) fn new() -> Self {
        let mut random = fastrand::Rng::with_seed(7);
        let mut words: Vec<String> = COMMON.split_whitespace().map(str::to_owned).collect();
        let made_up = |random: &mut fastrand::Rng| -> String {
            (0..random.usize(2..=4)).map(|_| SYLLABLES[random.usize(..SYLLABLES.len())]).collect()
        };
        words.extend((0..MADE_UP).map(|_| made_up(&mut random)));
        Self { words }
    }

    /// One word: a word's odds fall with its rank, as in real text.
    pub(crate) fn draw(&self, random: &mut fastrand::Rng) -> &str {
        // The logarithm of a rank drawn by 1/rank is uniform.
        let rank = ((self.words.len() as f64).ln() * random.f64()).exp() as usize;
        &self.words[rank.saturating_sub(1).min(self.words.len() - 1)]
    }

    /// A sentence of so many words, with now and then an identifier.
    pub(crate) fn sentence(&self, random: &mut fastrand::Rng, count: usize) -> String {
        let mut out = String::new();
        for _ in 0..count {
            if !out.is_empty() {
                out.push(' ');
            }
            match random.u8(..) {
                0..4 => out.push_str(&identifier(random)),
                _ => out.push_str(self.draw(random)),
            }
        }
        out.push_str(["", ".", "?", " :)"][random.usize(..4)]);
        out
    }
}

fn identifier(random: &mut fastrand::Rng) -> String {
    match random.u8(..4) {
        0 => format!("INC-{}", random.u32(1000..99_999)),
        1 => format!("0x{:08x}", random.u32(..)),
        2 => format!("/var/log/app-{}.log", random.u16(..500)),
        _ => format!("{}.{}.{}", random.u8(..9), random.u8(..30), random.u8(..30)),
    }
}
