//! Code of `derive(State)`: every method applies to each field.

use crate::fields::{Field, Role, bounded, fields, module};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Index, Result};

/// Code fragments, one for each field.
#[derive(Default)]
struct Code {
    slots: Vec<TokenStream>,
    made: Vec<TokenStream>,
    ready: Vec<TokenStream>,
    holds: Vec<TokenStream>,
    save: Vec<TokenStream>,
    load: Vec<TokenStream>,
    pin: Vec<TokenStream>,
    unpin: Vec<TokenStream>,
    drop_caches: Vec<TokenStream>,
    digest: Vec<TokenStream>,
    tree: Vec<TokenStream>,
    page: Vec<TokenStream>,
    explain: Vec<TokenStream>,
    bounds: Vec<TokenStream>,
}

impl Code {
    fn scratch(&mut self, Field { member, ty, .. }: &Field<'_>) {
        self.drop_caches.push(quote!(self.#member = ::core::default::Default::default();));
        self.bounds.push(quote!(#ty: ::core::default::Default));
    }

    fn fixed(&mut self, Field { member, name, ty, .. }: &Field<'_>, module: &TokenStream) {
        let derived = quote!(#module::derived);
        self.bounds.push(quote!(#ty: #derived::Serialize));
        self.digest.push(quote! {
            (#name, #derived::digest(&self.#member).map_err(|error| error.within(#name))?)
        });
        let inner = quote!(&#derived::join(name, #name));
        self.tree.push(quote!(#derived::tree(&self.#member, #inner, tree)?;));
        self.page.push(quote!(#derived::page(&self.#member, #inner, section, page, out)?));
        self.explain.push(quote! {
            #derived::explain(&self.#member, #inner, section, page, theirs, limit, out)?
        });
    }

    fn state(&mut self, Field { member, name, ty, .. }: &Field<'_>, module: &TokenStream) {
        // Refers to the trait, not to the type's name: lints against the type are reported at the field.
        let state = quote!(#module::State);
        let at = Index::from(self.slots.len());
        let (own, theirs) =
            (quote!(&self.#member, &slots.#at), quote!(&mut self.#member, &mut slots.#at));
        let inner = quote!(&#module::derived::join(name, #name));
        self.bounds.push(quote!(#ty: #module::State));
        self.slots.push(quote!(<#ty as #state>::Slots));
        self.made.push(quote!(#state::slots(&mut self.#member, capacity)));
        self.ready.push(quote!(#state::ready(#own, tick)?;));
        self.holds.push(quote!(#state::holds(#own, tick)?;));
        self.save.push(quote!(#state::save(#theirs, tick)?;));
        self.load.push(quote!(#state::load(#theirs, tick)?;));
        self.pin.push(quote!(#state::pin(#theirs, tick)?;));
        self.unpin.push(quote!(had |= #state::unpin(#theirs, tick);));
        self.drop_caches.push(quote!(#state::drop_caches(#theirs);));
        self.digest.push(quote! {
            (#name, #state::digest(#own, tick).map_err(|error| error.within(#name))?)
        });
        self.tree.push(quote!(#state::tree(#own, tick, #inner, tree)?;));
        self.page.push(quote!(#state::page(#own, tick, #inner, section, page, out)?));
        self.explain.push(quote! {
            #state::explain(#own, tick, #inner, section, page, theirs, limit, out)?
        });
    }
}

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let instead = "derive Clone and serde::Serialize for it instead: such a value is a state";
    let fields = fields(item, "State", "state", instead)?;
    let module = module(item, "state", quote!(::isostep::state))?;
    let mut code = Code::default();
    for field in &fields {
        match field.role {
            Role::Scratch => code.scratch(field),
            Role::Fixed => code.fixed(field, &module),
            Role::State => code.state(field, &module),
        }
    }
    let generics = bounded(&item.generics, code.bounds.drain(..));
    let (impl_generics, arguments, clause) = generics.split_for_impl();
    let name = &item.ident;
    let methods = methods(&code, &module);
    let slots = &code.slots;
    // A struct, not a tuple: its fields may have private types. The marker uses the whole type, since the fields need
    // not use every parameter.
    Ok(quote! {
        const _: () = {
            #[doc(hidden)]
            #[allow(
                unreachable_pub,
                private_bounds,
                missing_debug_implementations,
                clippy::disallowed_types
            )]
            pub struct Slots #impl_generics (
                #(#slots,)*
                ::core::marker::PhantomData<fn() -> #name #arguments>,
            ) #clause;

            #[automatically_derived]
            #[allow(unused_variables, unused_mut, clippy::too_many_arguments)]
            impl #impl_generics #module::State for #name #arguments #clause {
                type Slots = Slots #arguments;
                #methods
            }
        };
    })
}

fn methods(code: &Code, module: &TokenStream) -> TokenStream {
    let Code {
        made,
        ready,
        holds,
        save,
        load,
        pin,
        unpin,
        drop_caches,
        digest,
        tree,
        page,
        explain,
        ..
    } = code;
    let (error, derived) = (quote!(#module::StateError), quote!(#module::derived));
    let done = quote!(::core::result::Result<(), #error>);
    let found = quote!(::core::result::Result<bool, #error>);
    let ok = quote!(::core::result::Result::Ok);
    quote! {
        fn slots(&mut self, capacity: usize) -> Self::Slots {
            Slots(#(#made,)* ::core::marker::PhantomData)
        }

        fn ready(&self, slots: &Self::Slots, tick: #derived::Tick) -> #done {
            #(#ready)*
            #ok(())
        }

        fn holds(&self, slots: &Self::Slots, tick: #derived::Tick) -> #done {
            #(#holds)*
            #ok(())
        }

        fn save(&mut self, slots: &mut Self::Slots, tick: #derived::Tick) -> #done {
            #module::State::ready(&*self, &*slots, tick)?;
            #(#save)*
            #ok(())
        }

        fn load(&mut self, slots: &mut Self::Slots, tick: #derived::Tick) -> #done {
            #module::State::holds(&*self, &*slots, tick)?;
            #(#load)*
            #ok(())
        }

        fn pin(&mut self, slots: &mut Self::Slots, tick: #derived::Tick) -> #done {
            #module::State::holds(&*self, &*slots, tick)?;
            #(#pin)*
            #ok(())
        }

        fn unpin(&mut self, slots: &mut Self::Slots, tick: #derived::Tick) -> bool {
            let mut had = false;
            #(#unpin)*
            had
        }

        fn drop_caches(&mut self, slots: &mut Self::Slots) {
            #(#drop_caches)*
        }

        fn digest(
            &self,
            slots: &Self::Slots,
            tick: #derived::Tick,
        ) -> ::core::result::Result<#derived::Digest, #error> {
            #ok(#derived::Digest::of_parts(&[#(#digest),*]))
        }

        fn tree(
            &self,
            slots: &Self::Slots,
            tick: #derived::Tick,
            name: &str,
            tree: &mut #derived::DigestTree,
        ) -> #done {
            #(#tree)*
            #ok(())
        }

        fn page(
            &self,
            slots: &Self::Slots,
            tick: #derived::Tick,
            name: &str,
            section: &str,
            page: u32,
            out: &mut #derived::Bytes,
        ) -> #found {
            #ok(false #(|| #page)*)
        }

        fn explain(
            &self,
            slots: &Self::Slots,
            tick: #derived::Tick,
            name: &str,
            section: &str,
            page: u32,
            theirs: &[u8],
            limit: usize,
            out: &mut #derived::Differences,
        ) -> #found {
            #ok(false #(|| #explain)*)
        }
    }
}
