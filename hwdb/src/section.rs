//! The parts of entries: structs of values, with the keys that they are read from.

/// Makes a struct of values and, from the same list, its keys with their descriptions.
macro_rules! section {
    ($(#[doc = $doc:literal])+ $name:ident {
        $($(#[doc = $field_doc:literal])+ $presence:ident $field:ident: $type:ty,)+
    }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $($(#[doc = $field_doc])+ pub $field: $crate::section::section!(@ $presence $type),)+
        }

        impl $crate::reader::Section for $name {
            const DOC: &'static str = concat!($($doc),+);
            const KEYS: &'static [$crate::keys::Key] = &[$($crate::keys::Key {
                name: stringify!($field),
                doc: concat!($($field_doc),+),
                presence: $crate::section::section!(@presence $presence),
                dimension: <$type as $crate::units::Quantity>::DIMENSION,
            }),+];

            fn read(reader: &mut $crate::reader::Reader<'_>) -> Option<Self> {
                // All are read before the first that is wrong ends it, so that every problem is noted.
                $(let $field = reader.$presence::<$type>(stringify!($field));)+
                Some($name { $($field: $field?),+ })
            }

            fn parameters(&self, prefix: &str) -> Vec<$crate::value::Parameter> {
                vec![$($crate::value::Shown::parameter(&self.$field, format!("{prefix}.{}", stringify!($field)))),+]
            }
        }
    };
    (@ required $type:ty) => { $crate::value::Value<$type> };
    (@ optional $type:ty) => { $crate::value::Known<$type> };
    (@presence required) => { $crate::keys::Presence::Required };
    (@presence optional) => { $crate::keys::Presence::Optional };
}
pub(crate) use section;
