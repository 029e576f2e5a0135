// Writes the most frequent of a, b, c after <sep>, then <eos>.
// Source: task of Huang et al. (2025); program ours. Fragment: plain.
alphabet "a" "b" "c" "<sep>" "<eos>"
PRE = #"<sep>" == 0
Ca = #("a" && PRE)
Cb = #("b" && PRE)
Cc = #("c" && PRE)
next "a" = "<sep>" && Cb < Ca && Cc < Ca
next "b" = "<sep>" && Ca < Cb && Cc < Cb
next "c" = "<sep>" && Ca < Cc && Cb < Cc
next "<eos>" = !PRE && !"<sep>"
