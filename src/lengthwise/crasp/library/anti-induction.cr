// Writes what stood before the present symbol at an earlier occurrence.
// Source: after Huang et al. (2025), counted strictly before this position. Fragment: local.
alphabet "a" "b" "c"
PAIR_a_a = "a" && #[i-1] "a" >= 1
PAIR_a_b = "b" && #[i-1] "a" >= 1
PAIR_a_c = "c" && #[i-1] "a" >= 1
PAIR_b_a = "a" && #[i-1] "b" >= 1
PAIR_b_b = "b" && #[i-1] "b" >= 1
PAIR_b_c = "c" && #[i-1] "b" >= 1
PAIR_c_a = "a" && #[i-1] "c" >= 1
PAIR_c_b = "b" && #[i-1] "c" >= 1
PAIR_c_c = "c" && #[i-1] "c" >= 1
BIGRAM_a_a = #PAIR_a_a - (1 if PAIR_a_a else 0) >= 1
BIGRAM_a_b = #PAIR_a_b - (1 if PAIR_a_b else 0) >= 1
BIGRAM_a_c = #PAIR_a_c - (1 if PAIR_a_c else 0) >= 1
BIGRAM_b_a = #PAIR_b_a - (1 if PAIR_b_a else 0) >= 1
BIGRAM_b_b = #PAIR_b_b - (1 if PAIR_b_b else 0) >= 1
BIGRAM_b_c = #PAIR_b_c - (1 if PAIR_b_c else 0) >= 1
BIGRAM_c_a = #PAIR_c_a - (1 if PAIR_c_a else 0) >= 1
BIGRAM_c_b = #PAIR_c_b - (1 if PAIR_c_b else 0) >= 1
BIGRAM_c_c = #PAIR_c_c - (1 if PAIR_c_c else 0) >= 1
next "a" = "a" && BIGRAM_a_a || "b" && BIGRAM_a_b || "c" && BIGRAM_a_c
next "b" = "a" && BIGRAM_b_a || "b" && BIGRAM_b_b || "c" && BIGRAM_b_c
next "c" = "a" && BIGRAM_c_a || "b" && BIGRAM_c_b || "c" && BIGRAM_c_c
