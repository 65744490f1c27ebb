//! Attributes and fields that the derives read from a struct.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Error, Generics, Index, Member, Path, Result, Type};

/// Role of a field in a state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    State,
    Scratch,
    Fixed,
}

/// A field of a struct.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    /// Name as written, without `r#`.
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    pub(crate) role: Role,
}

/// Returns the fields of a struct; an error with a suggestion for anything else.
pub(crate) fn fields<'a>(
    item: &'a DeriveInput,
    derive: &str,
    attribute: &str,
    instead: &str,
) -> Result<Vec<Field<'a>>> {
    let kind = match &item.data {
        Data::Struct(data) => {
            let fields = data.fields.iter().enumerate();
            return fields.map(|(place, field)| read(place, field, attribute)).collect();
        }
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let message =
        format!("{derive} is derived for structs, and `{}` is {kind}; {instead}", item.ident);
    Err(Error::new_spanned(&item.ident, message))
}

fn read<'a>(place: usize, field: &'a syn::Field, attribute: &str) -> Result<Field<'a>> {
    let (member, name) = match &field.ident {
        Some(ident) => (Member::Named(ident.clone()), ident.unraw().to_string()),
        None => (Member::Unnamed(Index::from(place)), place.to_string()),
    };
    let mut role = Role::State;
    for attr in own(&field.attrs, attribute) {
        if attribute != "state" {
            let message = format!("#[{attribute}(…)] goes on the struct, not on a field");
            return Err(Error::new_spanned(attr, message));
        }
        attr.parse_nested_meta(|meta| {
            let found = if meta.path.is_ident("scratch") {
                Role::Scratch
            } else if meta.path.is_ident("fixed") {
                Role::Fixed
            } else {
                return Err(meta.error("a field is `scratch` (not saved, not hashed) or `fixed` (hashed, never changes)"));
            };
            if role != Role::State {
                return Err(meta.error("a field is either `scratch` or `fixed`; remove one"));
            }
            role = found;
            Ok(())
        })?;
    }
    Ok(Field { member, name, ty: &field.ty, role })
}

fn own<'a>(attrs: &'a [Attribute], name: &'a str) -> impl Iterator<Item = &'a Attribute> {
    attrs.iter().filter(move |attr| attr.path().is_ident(name))
}

/// Returns the module of the trait: `#[attribute(crate = path)]`, or the default.
pub(crate) fn module(
    item: &DeriveInput,
    attribute: &str,
    usual: TokenStream,
) -> Result<TokenStream> {
    let mut module = usual;
    for attr in own(&item.attrs, attribute) {
        attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error(
                    "a struct takes `crate = path` alone; `scratch` and `fixed` go on fields",
                ));
            }
            let path = meta.value()?.call(Path::parse_mod_style)?;
            module = quote!(#path);
            Ok(())
        })?;
    }
    Ok(module)
}

/// Returns the where clause of a struct with further bounds. Without type parameters none are added: the compiler
/// checks the field types itself, and private types stay out of public bounds.
pub(crate) fn bounded(
    generics: &Generics,
    bounds: impl IntoIterator<Item = TokenStream>,
) -> Generics {
    let mut generics = generics.clone();
    if generics.type_params().next().is_some() {
        let clause = generics.make_where_clause();
        for bound in bounds {
            clause.predicates.push(syn::parse_quote!(#bound));
        }
    }
    generics
}
