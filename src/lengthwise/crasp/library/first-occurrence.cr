// Writes what followed the first occurrence of the present symbol.
// Source: task of Huang et al. (2025); formula ours. Fragment: local.
alphabet "a" "b" "c"
FIRST = "a" && #"a" == 1 || "b" && #"b" == 1 || "c" && #"c" == 1
next "a" = "a" && #("a" && #[i-1] ("a" && FIRST) >= 1) >= 1 || "b" && #("a" && #[i-1] ("b" && FIRST) >= 1) >= 1 || "c" && #("a" && #[i-1] ("c" && FIRST) >= 1) >= 1
next "b" = "a" && #("b" && #[i-1] ("a" && FIRST) >= 1) >= 1 || "b" && #("b" && #[i-1] ("b" && FIRST) >= 1) >= 1 || "c" && #("b" && #[i-1] ("c" && FIRST) >= 1) >= 1
next "c" = "a" && #("c" && #[i-1] ("a" && FIRST) >= 1) >= 1 || "b" && #("c" && #[i-1] ("b" && FIRST) >= 1) >= 1 || "c" && #("c" && #[i-1] ("c" && FIRST) >= 1) >= 1
