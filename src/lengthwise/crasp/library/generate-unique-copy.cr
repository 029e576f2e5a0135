// Copies distinct input symbols after <sep>, then <eos>: an induction head with two boundary rules.
// Source: task of Huang et al. (2025); boundary rules ours. Fragment: local.
alphabet "<bos>" "a" "b" "c" "<sep>" "<eos>"
POST = #"<sep>" >= 1
BIGRAM_bos_a = #("a" && #[i-1] "<bos>" >= 1) >= 1
BIGRAM_bos_b = #("b" && #[i-1] "<bos>" >= 1) >= 1
BIGRAM_bos_c = #("c" && #[i-1] "<bos>" >= 1) >= 1
BIGRAM_a_a = #("a" && #[i-1] "a" >= 1) >= 1
BIGRAM_a_b = #("b" && #[i-1] "a" >= 1) >= 1
BIGRAM_a_c = #("c" && #[i-1] "a" >= 1) >= 1
BIGRAM_a_sep = #("<sep>" && #[i-1] "a" >= 1) >= 1
BIGRAM_b_a = #("a" && #[i-1] "b" >= 1) >= 1
BIGRAM_b_b = #("b" && #[i-1] "b" >= 1) >= 1
BIGRAM_b_c = #("c" && #[i-1] "b" >= 1) >= 1
BIGRAM_b_sep = #("<sep>" && #[i-1] "b" >= 1) >= 1
BIGRAM_c_a = #("a" && #[i-1] "c" >= 1) >= 1
BIGRAM_c_b = #("b" && #[i-1] "c" >= 1) >= 1
BIGRAM_c_c = #("c" && #[i-1] "c" >= 1) >= 1
BIGRAM_c_sep = #("<sep>" && #[i-1] "c" >= 1) >= 1
next "a" = POST && ("<sep>" && BIGRAM_bos_a || ("a" && BIGRAM_a_a || "b" && BIGRAM_b_a || "c" && BIGRAM_c_a))
next "b" = POST && ("<sep>" && BIGRAM_bos_b || ("a" && BIGRAM_a_b || "b" && BIGRAM_b_b || "c" && BIGRAM_c_b))
next "c" = POST && ("<sep>" && BIGRAM_bos_c || ("a" && BIGRAM_a_c || "b" && BIGRAM_b_c || "c" && BIGRAM_c_c))
next "<eos>" = POST && ("a" && BIGRAM_a_sep || "b" && BIGRAM_b_sep || "c" && BIGRAM_c_sep)
