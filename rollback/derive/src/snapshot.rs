//! Code of `derive(Snapshot)`: each part behind its length, in order. It uses the slots of `derive(State)`.

use crate::fields::{Role, bounded, fields, module};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Index, Result};

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let instead = "derive Clone, serde::Serialize and serde::Deserialize for it instead";
    let fields = fields(item, "Snapshot", "state", instead)?;
    let module = module(item, "state", quote!(::isostep::state))?;
    let derived = quote!(#module::derived);
    let (mut put, mut take, mut bounds) = (Vec::new(), Vec::new(), Vec::new());
    for field in &fields {
        let (member, ty) = (&field.member, field.ty);
        match field.role {
            Role::State => {
                let at = Index::from(put.len());
                put.push(quote!(#derived::put_part(&self.#member, &slots.#at, tick, out)?;));
                take.push(quote!(#derived::take_part(&mut self.#member, &mut bytes)?;));
                bounds.push(quote!(#ty: #module::Snapshot));
            }
            // The bounds of `derive(State)`.
            Role::Scratch => bounds.push(quote!(#ty: ::core::default::Default)),
            Role::Fixed => bounds.push(quote!(#ty: #derived::Serialize)),
        }
    }
    let generics = bounded(&item.generics, bounds);
    let (impl_generics, arguments, clause) = generics.split_for_impl();
    let name = &item.ident;
    Ok(quote! {
        #[automatically_derived]
        #[allow(unused_variables, unused_mut)]
        impl #impl_generics #module::Snapshot for #name #arguments #clause {
            fn snapshot(
                &self,
                slots: &Self::Slots,
                tick: #derived::Tick,
                out: &mut #derived::Bytes,
            ) -> ::core::result::Result<(), #module::StateError> {
                #(#put)*
                ::core::result::Result::Ok(())
            }

            fn restore(
                &mut self,
                mut bytes: &[u8],
            ) -> ::core::result::Result<(), #module::RestoreError> {
                #(#take)*
                match bytes.len() {
                    0 => ::core::result::Result::Ok(()),
                    extra => ::core::result::Result::Err(#module::RestoreError::Trailing { extra }),
                }
            }
        }
    })
}
