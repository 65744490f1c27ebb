//! Error messages of the derives.

use syn::{DeriveInput, parse_quote};

fn refused(item: &DeriveInput) -> String {
    crate::state::expand(item).unwrap_err().to_string()
}

#[test]
fn what_is_no_struct_is_told_what_to_do() {
    let error = refused(&parse_quote! { enum Mode { Menu, Play } });
    assert!(error.contains("`Mode` is an enum; derive Clone and serde::Serialize"), "{error}");
    let error = refused(&parse_quote! { union Bits { a: u8, b: u8 } });
    assert!(error.contains("`Bits` is a union"), "{error}");
    let item = parse_quote! { enum Key { Up, Down } };
    let error = crate::input::expand(&item).unwrap_err().to_string();
    assert!(error.contains("write `impl Input`"), "{error}");
}

#[test]
fn attributes_that_mean_nothing_are_refused() {
    let error = refused(&parse_quote! { struct A { #[state(skip)] a: u8 } });
    assert!(error.contains("`scratch`") && error.contains("`fixed`"), "{error}");
    let error = refused(&parse_quote! { struct A { #[state(scratch, fixed)] a: u8 } });
    assert!(error.contains("remove one"), "{error}");
    let error = refused(&parse_quote! { #[state(fixed)] struct A { a: u8 } });
    assert!(error.contains("go on fields"), "{error}");
    let item = parse_quote! { struct A { #[input(hold)] a: u8 } };
    let error = crate::input::expand(&item).unwrap_err().to_string();
    assert!(error.contains("goes on the struct"), "{error}");
}
