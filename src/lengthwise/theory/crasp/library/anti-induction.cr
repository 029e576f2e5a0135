// Writes what stood before the present symbol earlier.
// Source: after Huang et al. (2025). Fragment: local.
alphabet "a" "b" "c"
BIGRAM_a_a = #("a" && #[i-1] "a" >= 1) >= 1
BIGRAM_a_b = #("b" && #[i-1] "a" >= 1) >= 1
BIGRAM_a_c = #("c" && #[i-1] "a" >= 1) >= 1
BIGRAM_b_a = #("a" && #[i-1] "b" >= 1) >= 1
BIGRAM_b_b = #("b" && #[i-1] "b" >= 1) >= 1
BIGRAM_b_c = #("c" && #[i-1] "b" >= 1) >= 1
BIGRAM_c_a = #("a" && #[i-1] "c" >= 1) >= 1
BIGRAM_c_b = #("b" && #[i-1] "c" >= 1) >= 1
BIGRAM_c_c = #("c" && #[i-1] "c" >= 1) >= 1
next "a" = "a" && BIGRAM_a_a || "b" && BIGRAM_a_b || "c" && BIGRAM_a_c
next "b" = "a" && BIGRAM_b_a || "b" && BIGRAM_b_b || "c" && BIGRAM_b_c
next "c" = "a" && BIGRAM_c_a || "b" && BIGRAM_c_b || "c" && BIGRAM_c_c
