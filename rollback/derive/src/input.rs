//! Code of `derive(Input)`: `hold` and `merge`, field by field.

use crate::fields::{bounded, fields, module};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Result};

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let instead = "write `impl Input` for it, and define how it is held and merged";
    let fields = fields(item, "Input", "input", instead)?;
    let module = module(item, "input", quote!(::isostep::rollback))?;
    let bounds = fields.iter().map(|field| {
        let ty = field.ty;
        quote!(#ty: #module::Input)
    });
    let generics = bounded(&item.generics, bounds);
    let (impl_generics, _, clause) = generics.split_for_impl();
    let (name, arguments) = (&item.ident, item.generics.split_for_impl().1);
    let members: Vec<_> = fields.iter().map(|field| &field.member).collect();
    let types: Vec<_> = fields.iter().map(|field| field.ty).collect();
    Ok(quote! {
        #[automatically_derived]
        #[allow(unused_variables)]
        impl #impl_generics #module::Input for #name #arguments #clause {
            fn hold(last: Self) -> Self {
                Self { #(#members: <#types as #module::Input>::hold(last.#members),)* }
            }

            fn merge(older: Self, newer: Self) -> Self {
                Self {
                    #(#members: <#types as #module::Input>::merge(older.#members, newer.#members),)*
                }
            }

            fn carry(older: Self, newer: Self) -> Option<Self> {
                let mut any = false;
                let parts = Self {
                    #(#members: #module::internals::carry_part(older.#members, newer.#members, &mut any),)*
                };
                any.then_some(parts)
            }
        }
    })
}
