// On prefixes of a+b+a+b+: is the prefix complete? Fewer counts than recognising the language.
// Source: the depth hierarchy of Yang et al. (2025); program ours. Fragment: plain.
alphabet "a" "b"
empty reject
E1 = "b"
S1 = #E1 - (1 if E1 else 0)
E2 = "a" && S1 >= 1
accept = #E2 >= 1 && "b"
