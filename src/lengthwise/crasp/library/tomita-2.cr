// Tomita-2: (10)*, which is D_1 with a = 1, b = 0.
// Source: Tomita (1982); program ours. Fragment: plain.
alphabet "0" "1"
empty accept
Ca = #"1"
Cb = #"0"
V = Ca < Cb || Ca > Cb + 1
accept = #V == 0 && Ca == Cb
