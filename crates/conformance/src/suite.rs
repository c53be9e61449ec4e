//! The macro that makes tests of the laws, and the one list of which laws a capability brings.

/// The laws of each capability. Rules: `(capability, push list)` for [`Checklist`](crate::Checklist),
/// `(capability, test)` for [`suite!`](crate::suite).
#[doc(hidden)]
#[macro_export]
macro_rules! __laws {
    (incremental, $($then:tt)+) => { $crate::__then! { $($then)+, incremental:
        filter::no_keys_no_yes, filter::contains_batch_is_contains, filter::batch_length_is_checked,
        filter::count_contained_is_a_sum, filter::same_seed_same_answers, filter::other_seed_other_false_positives,
        filter::params_round_trip, filter::payload_is_part_of_the_total,
        incremental::insert_then_contains, incremental::failed_insert_changes_nothing,
        incremental::insert_batch_is_inserts, incremental::clear_is_new, operations::random_operations,
    } };
    (static_build, $($then:tt)+) => { $crate::__then! { $($then)+, static_build:
        filter::no_keys_no_yes, filter::contains_batch_is_contains, filter::batch_length_is_checked,
        filter::count_contained_is_a_sum, filter::same_seed_same_answers, filter::other_seed_other_false_positives,
        filter::params_round_trip, filter::payload_is_part_of_the_total,
        static_build::duplicates_count_once, static_build::few_keys_build, static_build::consecutive_digests_build,
        operations::random_builds,
    } };
    (no_false_negatives, $($then:tt)+) => { $crate::__then! { $($then)+, no_false_negatives:
        filter::no_false_negatives,
    } };
    (decaying, $($then:tt)+) => { $crate::__then! { $($then)+, decaying:
        decay::age_is_forgetting, decay::denials_follow_theory,
    } };
    (union, $($then:tt)+) => { $crate::__then! { $($then)+, union:
        union::union_is_both, union::union_refuses_another_seed,
    } };
    (deletable, $($then:tt)+) => { $crate::__then! { $($then)+, deletable:
        remove::removing_the_absent_changes_nothing, remove::removing_some_keeps_the_others,
        remove::removing_twice_removes_once, remove::a_lone_key_leaves_nothing,
        remove::copies_outlive_fewer_removals, remove::remove_batch_is_removals,
    } };
    (union_deletable, $($then:tt)+) => { $crate::__then! { $($then)+, union_deletable:
        union::union_survives_removals,
    } };
    (wire, $($then:tt)+) => { $crate::__then! { $($then)+, wire:
        wire::decoding_undoes_encoding, wire::damage_is_refused,
    } };
    (saved, $($then:tt)+) => { $crate::__then! { $($then)+, saved:
        saved::loading_undoes_saving, saved::equal_filters_save_alike, saved::a_loaded_filter_has_the_same_future,
        saved::damaged_files_are_refused,
    } };
    (theory, $($then:tt)+) => { $crate::__then! { $($then)+, theory:
        theory::bad_targets_are_refused, theory::absurd_sizes_are_refused, theory::tiny_plans_work,
        theory::a_budget_is_a_ceiling, theory::a_target_is_reached, theory::predictions_are_sound,
        theory::named_values_are_sound, theory::space_is_not_understated, theory::past_the_plan_members_stay,
        rate::rate_follows_theory, rate::rate_follows_contents, rate::rate_of_a_union_follows_theory,
    } };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __then {
    (push $list:ident, $($laws:tt)+) => { push! { $list, $($laws)+ } };
    (test, $capability:ident: $($module:ident::$law:ident),+ $(,)?) => {
        mod $capability {
            $(
                #[test]
                fn $law() {
                    for case in super::cases() {
                        if let Err(violation) = $crate::laws::$module::$law(&case) {
                            panic!("{case:?}: {violation}");
                        }
                    }
                }
            )+
        }
    };
}

/// Makes a module `laws` with a `#[test]` for each law of the named capabilities.
///
/// ```text
/// conformance::suite! {
///     filter: standard::StandardBloom,
///     cases: [standard::Params { m: 9600, k: 7 } => 1000, standard::Params { m: 100, k: 3 } => 12],
///     capabilities: [incremental, no_false_negatives, union, theory],
/// }
/// ```
///
/// A case is `parameters => keys`, the number of keys that such a filter takes without refusing one. Choose cases
/// whose rate is above 2e-4, so that the laws of the rate can see something, and whose parameters differ, so that
/// unions have something to refuse. The first capability tells how filters are made: `incremental` or
/// `static_build`. The others, in any order: `no_false_negatives` or `decaying`, `union`,
/// `deletable`, `wire`, `saved`, `theory`; where both `union` and `deletable` are named, the laws of the two together are held too.
/// A capability whose trait is not implemented does not compile.
#[macro_export]
macro_rules! suite {
    (
        filter: $filter:ty,
        cases: [$($params:expr => $keys:expr),+ $(,)?],
        capabilities: [$first:ident $(, $more:ident)* $(,)?] $(,)?
    ) => {
        mod laws {
            #[allow(unused_imports, reason = "what the cases are written with")]
            use super::*;

            fn cases() -> Vec<$crate::Case<$filter>> {
                let case = |params, keys| $crate::Case::<$filter>::$first(params, keys)$(.$more())*;
                vec![$(case($params, $keys)),+]
            }

            $crate::__laws!($first, test);
            $($crate::__laws!($more, test);)*
            $crate::__pairs!($($more)*);
            $crate::__both!($($more)*);
        }
    };
}

/// The law over pairs of cases, for filters with a union.
#[doc(hidden)]
#[macro_export]
macro_rules! __pairs {
    (union $($rest:ident)*) => {
        #[test]
        fn union_refuses() {
            let cases = cases();
            for (left, right) in cases.iter().flat_map(|left| cases.iter().map(move |right| (left, right))) {
                if let Err(violation) = $crate::laws::union::union_refuses(left, right) {
                    panic!("{left:?} and {right:?}: {violation}");
                }
            }
        }
    };
    ($other:ident $($rest:ident)*) => { $crate::__pairs!($($rest)*); };
    () => {};
}

/// The laws of filters with both a union and removals, whichever is named first.
#[doc(hidden)]
#[macro_export]
macro_rules! __both {
    (union $($rest:ident)*) => { $crate::__both!(@deletable $($rest)*); };
    (deletable $($rest:ident)*) => { $crate::__both!(@union $($rest)*); };
    (@deletable deletable $($rest:ident)*) => { $crate::__laws!(union_deletable, test); };
    (@union union $($rest:ident)*) => { $crate::__laws!(union_deletable, test); };
    (@$wanted:ident $other:ident $($rest:ident)*) => { $crate::__both!(@$wanted $($rest)*); };
    ($other:ident $($rest:ident)*) => { $crate::__both!($($rest)*); };
    ($(@$wanted:ident)?) => {};
}
