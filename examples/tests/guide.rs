//! Code blocks on these pages are part of an example, word for word, and the examples are run by
//! their own tests.

const PAGES: [(&str, &str, &str); 4] = [
    ("first-game.md", include_str!("../../docs/first-game.md"), include_str!("../first_game.rs")),
    ("world.md", include_str!("../../docs/world.md"), include_str!("../world_in_play.rs")),
    (
        "rendering.md",
        include_str!("../../docs/rendering.md"),
        include_str!("../drawing/src/main.rs"),
    ),
    ("what-it-costs.md", include_str!("../../docs/what-it-costs.md"), include_str!("../cost.rs")),
];

/// Removes indentation, so that a page may show a method alone.
fn bare(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_code_block_is_in_its_example() {
    for (page, text, example) in PAGES {
        let blocks: Vec<&str> = text.split("\n```").collect();
        let mut count = 0;
        // Text, block, text, block, …
        for block in blocks.iter().skip(1).step_by(2) {
            let code = block.strip_prefix("rust\n");
            let code = code.unwrap_or_else(|| panic!("{page}: a block without a check: {block}"));
            assert!(bare(example).contains(&bare(code)), "{page}: this is in no example:\n{code}");
            count += 1;
        }
        assert!(count > 0, "{page} has no code");
    }
}
