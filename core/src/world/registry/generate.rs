//! The macro behind the registry. Code for each kind of page or row is written here once, as a line that is repeated.

macro_rules! state_rows {
    (
        sections {
            $(
                $(#[doc = $doc:literal])*
                $Section:ident $section:literal { $($Table:ident $table:literal: $row:ty),+ $(,)? }
            )+
        }
        pages { $($page:ident: $Page:ty => $Of:ident,)+ }
        lists {
            $(
                $(#[doc = $list_doc:literal])*
                $(#[cfg($cfg:meta)])?
                $List:ident $list_name:literal $list:ident: $list_row:ty,
            )*
        }
    ) => {
        /// A section of the state. Each has its own digests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum StateSection {
            $($(#[doc = $doc])* $Section,)+
            $($(#[doc = $list_doc])* $(#[cfg($cfg)])? $List,)*
        }

        impl StateSection {
            const COUNT: usize = Table::ALL[Table::ALL.len() - 1].section() as usize + 1;

            /// All sections.
            pub const ALL: [Self; Self::COUNT] =
                [$(Self::$Section,)+ $($(#[cfg($cfg)])? Self::$List,)*];

            /// Returns its name in a [`DigestTree`](crate::digest::DigestTree).
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Section => $section,)+
                    $($(#[cfg($cfg)])? Self::$List => $list_name,)*
                }
            }

            /// Returns whether the section is left out of digest trees, snapshots and goldens while it has no rows.
            pub const fn is_optional(self) -> bool {
                match self {
                    $(Self::$Section => false,)+
                    $($(#[cfg($cfg)])? Self::$List => true,)*
                }
            }

            /// Returns the section with a name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|section| section.name() == name)
            }

            /// The tables of its pages, in order.
            pub(in crate::world) const fn tables(self) -> &'static [Table] {
                match self {
                    $(Self::$Section => &[$(Table::$Table),+],)+
                    $($(#[cfg($cfg)])? Self::$List => &[Table::$List],)*
                }
            }
        }

        /// Kinds of tables.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Table {
            $($($Table,)+)+
            $($(#[cfg($cfg)])? $List,)*
        }

        impl Table {
            const TABLES: &'static [Self] =
                &[$($(Self::$Table,)+)+ $($(#[cfg($cfg)])? Self::$List,)*];

            pub(in crate::world) const ALL: [Self; Self::TABLES.len()] =
                [$($(Self::$Table,)+)+ $($(#[cfg($cfg)])? Self::$List,)*];

            const fn section(self) -> StateSection {
                match self {
                    $($(Self::$Table)|+ => StateSection::$Section,)+
                    $($(#[cfg($cfg)])? Self::$List => StateSection::$List,)*
                }
            }

            pub(in crate::world) const fn is_optional(self) -> bool {
                self.section().is_optional()
            }

            pub(in crate::world) const fn name(self) -> &'static str {
                match self {
                    $($(Self::$Table => $table,)+)+
                    $($(#[cfg($cfg)])? Self::$List => $list_name,)*
                }
            }

            /// Its fields, and the length of the key at the front of a row in bytes.
            pub(in crate::world) fn layout(self) -> (Vec<Field>, usize) {
                match self {
                    $($(Self::$Table => (layout::<$row>(), <$row>::KEY),)+)+
                    $($(#[cfg($cfg)])? Self::$List => (layout::<$list_row>(), <$list_row>::KEY),)*
                }
            }

            /// Text for the entity of a row.
            pub(in crate::world) fn entity(self, row: &RowText<'_>) -> String {
                match self {
                    $($(Self::$Table => <$row>::entity(row),)+)+
                    $($(#[cfg($cfg)])? Self::$List => <$list_row>::entity(row),)*
                }
            }

            /// Visits the row types of all tables, in order.
            pub(in crate::world) fn each(visitor: &mut impl TableVisitor) {
                $($(visitor.table::<$row>();)+)+
                $($(#[cfg($cfg)])? visitor.table::<$list_row>();)*
            }

            /// Visits the row types of all lists, in order.
            ///
            /// # Errors
            /// The first error of the visitor.
            pub(in crate::world) fn each_list<V: ListVisitor>(
                visitor: &mut V,
            ) -> Result<(), V::Error> {
                $($(#[cfg($cfg)])? visitor.list::<$list_row>()?;)*
                _ = visitor;
                Ok(())
            }
        }

        $(
            $(#[cfg($cfg)])?
            impl Listed for $list_row {
                const TABLE: Table = Table::$List;

                fn pages(store: &Store) -> &Pages<list::ListPage<Self>> {
                    &store.$list
                }

                fn table(stream: &Stream) -> &[Option<PageRef>] {
                    &stream.$list
                }

                fn both<'a>(
                    store: &'a mut Store,
                    stream: &'a mut Stream,
                ) -> (&'a mut Pages<list::ListPage<Self>>, &'a mut [Option<PageRef>]) {
                    (&mut store.$list, &mut stream.$list)
                }
            }
        )*

        /// Page pools of all frames of a world.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct Store {
            $(pub(crate) $page: Pages<$Page>,)+
            $($(#[cfg($cfg)])? pub(crate) $list: Pages<list::ListPage<$list_row>>,)*
        }

        /// The bodies of one stream: ids, and a page table for each kind with an entry for every 32 bodies.
        #[derive(Clone, Debug)]
        pub(crate) struct Stream {
            pub(crate) ids: Arc<IdPool>,
            $(pub(crate) $page: Vec<PageRef>,)+
            $($(#[cfg($cfg)])? pub(crate) $list: Vec<Option<PageRef>>,)*
            /// By page, bit i: row i is live, enabled and not at rest, that is, a dynamic body that is awake or a kinematic one with a
            /// velocity. Derived from the rows, for fast iteration over active bodies.
            pub(crate) active: Vec<u32>,
        }

        impl Stream {
            /// A stream without pages.
            pub(crate) const fn new(ids: Arc<IdPool>) -> Self {
                Self {
                    ids,
                    $($page: Vec::new(),)+
                    $($(#[cfg($cfg)])? $list: Vec::new(),)*
                    active: Vec::new(),
                }
            }

            /// Appends pages without rows of each kind. All but the last share one page until something is written to it.
            pub(in crate::world) fn push_pages(&mut self, store: &mut Store, missing: usize) {
                $(store.$page.extend_table(&mut self.$page, missing);)+
                $($(#[cfg($cfg)])? store.$list.extend_table(&mut self.$list, missing);)*
                self.active.resize(self.active.len() + missing, 0);
            }

            /// Appends the pages that another stream has beyond the end of this one, shared with it.
            pub(in crate::world) fn share_rest(&mut self, other: &Self, store: &mut Store) {
                let from = self.active.len()..;
                $(store.$page.share_table(&mut self.$page, &other.$page[from.clone()]);)+
                $(
                    $(#[cfg($cfg)])?
                    store.$list.share_table(&mut self.$list, &other.$list[from.clone()]);
                )*
                self.active.extend_from_slice(&other.active[from]);
            }

            /// Returns a copy with pages of another store.
            pub(in crate::world) fn copy_into(&self, from: &Store, to: &mut Store) -> Self {
                Self {
                    ids: Arc::clone(&self.ids),
                    $($page: to.$page.copy_table(&from.$page, &self.$page),)+
                    $($(#[cfg($cfg)])? $list: to.$list.copy_table(&from.$list, &self.$list),)*
                    active: self.active.clone(),
                }
            }

            /// Releases the pages from a number on.
            pub(in crate::world) fn cut(&mut self, store: &mut Store, from: usize) {
                $(store.$page.cut_table(&mut self.$page, from);)+
                $($(#[cfg($cfg)])? store.$list.cut_table(&mut self.$list, from);)*
                self.active.truncate(from);
            }

            /// Returns the number of pages, and the number of those shared with another frame.
            pub(in crate::world) fn count_pages(&self, store: &Store) -> (usize, usize) {
                let counts = [
                    $(store.$page.count_table(&self.$page),)+
                    $($(#[cfg($cfg)])? store.$list.count_table(&self.$list),)*
                ];
                counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
            }

            /// Calls a function with the section, the number in its pool and the memory in bytes of each page.
            pub(in crate::world) fn each_page(
                &self,
                store: &Store,
                visit: &mut dyn FnMut(StateSection, PageRef, usize),
            ) {
                $(store.$page.each_page(&self.$page, |page, bytes| visit(StateSection::$Of, page, bytes));)+
                $(
                    $(#[cfg($cfg)])?
                    store.$list.each_page(&self.$list, |page, bytes| visit(StateSection::$List, page, bytes));
                )*
            }

            /// Removes the rows of a despawned body.
            pub(in crate::world) fn remove_rows(
                &mut self,
                store: &mut Store,
                page: usize,
                body: BodyIndex,
            ) {
                $(store.$page.remove_rows(&mut self.$page[page], body);)+
                $($(#[cfg($cfg)])? store.$list.remove_rows(&mut self.$list[page], body);)*
            }

            /// Takes the rows of a body that only commands change from the same page of another stream. Returns whether they differed.
            pub(in crate::world) fn take_commanded_rows(
                &mut self,
                store: &mut Store,
                other: &Self,
                page: usize,
                body: BodyIndex,
            ) -> bool {
                let mut differed = false;
                $(differed |= store.$page.take_commanded_rows(&mut self.$page[page], other.$page[page], body);)+
                $(
                    $(#[cfg($cfg)])?
                    { differed |= store.$list.take_commanded_rows(&mut self.$list[page], other.$list[page], body); }
                )*
                differed
            }

            /// Copies the rows of a body from the same page of a stream in another store.
            #[cfg(feature = "test-support")]
            pub(in crate::world) fn copy_rows(
                &mut self,
                store: &mut Store,
                (other, from): (&Self, &Store),
                page: usize,
                body: BodyIndex,
            ) {
                $(store.$page.copy_rows(&mut self.$page[page], &from.$page, other.$page[page], body);)+
                $(
                    $(#[cfg($cfg)])?
                    store.$list.copy_rows(&mut self.$list[page], &from.$list, other.$list[page], body);
                )*
            }
        }

        impl State<'_> {
            /// Appends the tables of a page of bodies; nothing for a page without rows.
            pub(in crate::world) fn put_body_page(
                self,
                section: StateSection,
                place: PagePlace<'_>,
                out: &mut Vec<u8>,
            ) {
                let Self { store, .. } = self;
                let PagePlace { stream, page, .. } = place;
                let at = place.bodies(store);
                match section {
                    $(StateSection::$Of => store.$page.put_page(stream.$page[page], at, out),)+
                    $($(#[cfg($cfg)])? StateSection::$List => store.$list.put_page(stream.$list[page], at, out),)*
                    _ => {}
                }
            }

            /// Adds the digest of a page of each kind. Pages without rows have none.
            pub(in crate::world) fn digest_body_page(
                self,
                place: PagePlace<'_>,
                buffer: &mut Vec<u8>,
                found: &mut SectionDigests,
            ) {
                let Self { store, .. } = self;
                let PagePlace { stream, page, number } = place;
                let at = place.bodies(store);
                $(
                    let digest = store.$page.page_digest(stream.$page[page], at, buffer);
                    found[StateSection::$Of as usize].extend(digest.map(|digest| (number, digest)));
                )+
                $(
                    $(#[cfg($cfg)])?
                    {
                        let digest = store.$list.page_digest(stream.$list[page], at, buffer);
                        found[StateSection::$List as usize].extend(digest.map(|digest| (number, digest)));
                    }
                )*
            }
        }
    };
}
