// (aa)*: an even number of a and nothing else.
// Source: Huang et al. (2025). Fragment: periodic.
alphabet "a"
empty accept
CN = #!"a"
A = CN == 0
accept = A && pos % 2 == 0
