//! Digests as text and bytes, and digest trees: two machines descend to the differing page, and an
//! untrusted tree is refused before it costs memory.

use isostep_core::digest::{Digest, ShortDigest};
use isostep_core::internals::{DigestTree, Section};
use isostep_core::internals::{Presence, TreeError};

#[test]
fn digests_round_trip_as_text_and_bytes() {
    let digest = Digest::of(b"");
    assert_eq!(
        digest.to_string(),
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    );
    assert_eq!(digest.to_string().to_uppercase().parse(), Ok(digest));
    assert_eq!(digest.short().to_string().parse(), Ok(digest.short()));
    let json = serde_json::to_string(&(digest, digest.short())).unwrap();
    assert_eq!(json, format!(r#"["{digest}","{}"]"#, digest.short()));
    let back: (Digest, ShortDigest) = serde_json::from_str(&json).unwrap();
    assert_eq!(back, (digest, digest.short()));
    let compact = postcard::to_stdvec(&back).unwrap();
    assert_eq!(compact.len(), 48);
    assert_eq!(postcard::from_bytes::<(Digest, ShortDigest)>(&compact).unwrap(), back);
    for text in ["", "af", &"g".repeat(64), &"0".repeat(63), &"ä".repeat(32)] {
        assert!(text.parse::<Digest>().is_err(), "{text}");
        assert!(serde_json::from_str::<Digest>(&format!("\"{text}\"")).is_err());
    }
}

#[test]
fn two_machines_descend_to_the_differing_page() {
    let page = |n: u32| Digest::of(&n.to_le_bytes());
    let mut ours = DigestTree::new();
    ours.section("bodies", (0..100).map(|n| (n, page(n)))).section("joints", [(0, page(0))]);
    let mut theirs = ours.clone();
    assert_eq!(ours.root(), theirs.root());
    theirs
        .section("bodies", (0..101).filter(|n| *n != 5).map(|n| (n, page(n ^ u32::from(n == 70)))));
    theirs.section("game", []);
    assert_ne!(ours.root(), theirs.root());

    // Bytes on the wire: section digests, then the pages of one section.
    let sent = theirs.section_digests();
    let differing: Vec<_> = ours.diff_sections(&sent).map(|at| (at.section, at.presence)).collect();
    assert_eq!(differing, [("bodies", Presence::Both), ("game", Presence::RightOnly)]);
    let sent = Section::new(theirs.get("bodies").unwrap().pages().iter().copied());
    let pages: Vec<_> = ours.get("bodies").unwrap().diff(&sent).collect();
    let expected = [(5, Presence::LeftOnly), (70, Presence::Both), (100, Presence::RightOnly)];
    assert_eq!(pages, expected);
    let whole: Vec<_> = ours.diff(&theirs).map(|at| (at.page, at.presence)).collect();
    assert_eq!(whole, expected);
}

#[test]
fn hostile_counts_in_a_tree_are_refused_before_anything_is_allocated() {
    let tree = |bytes: &[u8]| DigestTree::decode(bytes).unwrap_err();
    assert_eq!(tree(&[]), TreeError::Truncated { at: 0 });
    assert!(matches!(tree(&[0xff; 64]), TreeError::TooMany { count: u32::MAX, .. }));
    let huge_name = [&1u32.to_le_bytes()[..], &u32::MAX.to_le_bytes()].concat();
    assert_eq!(tree(&huge_name), TreeError::Truncated { at: 8 });
    let huge_pages = [&1u32.to_le_bytes()[..], &[0; 4], &(1u32 << 20).to_le_bytes()].concat();
    assert_eq!(tree(&huge_pages), TreeError::Truncated { at: 12 });
    let no_text = [&1u32.to_le_bytes()[..], &1u32.to_le_bytes(), &[0xff], &[0; 4]].concat();
    assert_eq!(tree(&no_text), TreeError::Name);
    let same_twice = [&2u32.to_le_bytes()[..], &[0; 16]].concat();
    assert_eq!(tree(&same_twice), TreeError::Order { at: 16 });
}
