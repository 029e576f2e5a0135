// MAJORITY: more a than b.
// Source: Huang et al. (2025), after Yang & Chiang (2024). Fragment: plain.
alphabet "a" "b"
empty reject
accept = #"a" > #"b"
