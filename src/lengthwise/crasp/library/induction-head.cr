// Induction head: writes what stood t after the present symbol earlier.
// Source: Huang et al. (2025). Fragment: local.
alphabet "a" "b" "c"
parameter t = 1
BIGRAM_a_a = #("a" && #[i-t] "a" >= 1) >= 1
BIGRAM_a_b = #("b" && #[i-t] "a" >= 1) >= 1
BIGRAM_a_c = #("c" && #[i-t] "a" >= 1) >= 1
BIGRAM_b_a = #("a" && #[i-t] "b" >= 1) >= 1
BIGRAM_b_b = #("b" && #[i-t] "b" >= 1) >= 1
BIGRAM_b_c = #("c" && #[i-t] "b" >= 1) >= 1
BIGRAM_c_a = #("a" && #[i-t] "c" >= 1) >= 1
BIGRAM_c_b = #("b" && #[i-t] "c" >= 1) >= 1
BIGRAM_c_c = #("c" && #[i-t] "c" >= 1) >= 1
next "a" = "a" && BIGRAM_a_a || "b" && BIGRAM_b_a || "c" && BIGRAM_c_a
next "b" = "a" && BIGRAM_a_b || "b" && BIGRAM_b_b || "c" && BIGRAM_c_b
next "c" = "a" && BIGRAM_a_c || "b" && BIGRAM_b_c || "c" && BIGRAM_c_c
