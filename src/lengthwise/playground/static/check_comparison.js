// A second checker of comparisons (`lengthwise crasp compare --certificate`), written apart from
// crasp/check_comparison.py, which says what they hold and why that is enough. It runs in browsers
// and in node and needs nothing but the JSON reader of its neighbour.
//
//   checkComparison(data) -> { relation, regions: [{ first, second, what }] }
//
// takes text or bytes and throws Refused at the first thing that is wrong. Proofs name places and edges of a walk by number,
// and stand in the order of what they refute; so places are numbered breadth first, letters in the alphabet's order, and of
// several values of a sum the largest is followed first.

import { Refused, decoded, fields, listOf, readJson } from "./check_certificate.js";

const MOST_STEPS = 60_000_000;
const MOST_NODES = 20_000;
const MOST_SHORTER = 2_000_000;
const FARTHEST = 64n;
const LARGEST = 10n ** 100n;
const PREFIX = "PrefixCount";
const WINDOW = "LocalCount";

const truth = "truth";
const count = "count";
const OPERATIONS = {
  Symbol: [truth],
  Constant: [truth],
  Residue: [truth],
  Not: [truth, truth],
  And: [truth, truth, truth],
  Or: [truth, truth, truth],
  Compare: [truth, count, count],
  Number: [count],
  PrefixCount: [count, truth],
  LocalCount: [count, truth],
  Add: [count, count, count],
  Subtract: [count, count, count],
  Scale: [count, count],
  Minimum: [count, count, count],
  Maximum: [count, count, count],
  Where: [count, truth, count, count],
}; // what an operation yields, then what it takes

const HOLDS = {
  "<": (sign) => sign < 0n,
  "<=": (sign) => sign <= 0n,
  "==": (sign) => sign === 0n,
  "!=": (sign) => sign !== 0n,
  ">=": (sign) => sign >= 0n,
  ">": (sign) => sign > 0n,
};

function refuse(reason) {
  throw new Refused(`${reason}.`);
}

function insist(condition, reason) {
  if (!condition) refuse(reason);
}

const signOf = (value) => (value > 0n ? 1n : value < 0n ? -1n : 0n);
const size = (value) => (value < 0n ? -value : value);
const clip = (value, cap) => (value > cap ? cap : value < -cap ? -cap : value);

function commonDivisor(values) {
  let found = 0n;
  for (const value of values) {
    let other = size(value);
    while (other) [found, other] = [other, found % other];
  }
  return found;
}

// ---- reading ------------------------------------------------------------------------------------

function whole(value, name, low = -LARGEST, high = LARGEST) {
  insist(typeof value === "bigint" && low <= value && value < high, `${name} is no whole number in range`);
  return value;
}

const index = (value, name, length) => Number(whole(value, name, 0n, BigInt(length)));

function boolean(value, name) {
  insist(typeof value === "boolean", `${name} is neither true nor false`);
  return value;
}

function string(value, name) {
  insist(typeof value === "string", `${name} is no text`);
  return value;
}

const READ_CONSTANTS = {
  Symbol: ([letter]) => string(letter, "a symbol"),
  Constant: ([value]) => boolean(value, "a constant"),
  Compare([relation]) {
    insist(typeof relation === "string" && Object.hasOwn(HOLDS, relation), "a comparison is of an unknown kind");
    return HOLDS[relation];
  },
  Number: ([value]) => whole(value, "a number"),
  Scale: ([value]) => whole(value, "a factor"),
  Residue([modulus, rest]) {
    whole(modulus, "a modulus", 1n, 10_000n);
    return { modulus, rest: whole(rest, "a residue", 0n, modulus) };
  },
  LocalCount([distances]) {
    const found = listOf(distances, "a window").map((far) => Number(whole(far, "a distance", 0n, FARTHEST + 1n)));
    insist(new Set(found).size === found.length, "a window sees a place twice");
    return found;
  },
};
const CONSTANTS = { Residue: 2 };

function readNodes(value) {
  const rows = listOf(value, "nodes");
  insist(rows.length <= MOST_NODES, "there are too many nodes");
  const found = [];
  for (const row of rows) {
    const [kind, given, operands] = listOf(row, "a node", 3);
    insist(typeof kind === "string" && Object.hasOwn(OPERATIONS, kind), "a node is of an unknown kind");
    const [, ...wanted] = OPERATIONS[kind];
    const args = listOf(operands, "operands", wanted.length).map((number) => index(number, "an operand", found.length));
    args.forEach((number, k) => insist(OPERATIONS[found[number].kind][0] === wanted[k], `${kind} takes something else`));
    const read = READ_CONSTANTS[kind];
    listOf(given, "constants", read ? (CONSTANTS[kind] ?? 1) : 0);
    found.push({ kind, args, constant: read?.(given) });
  }
  return found;
}

function readSide(value, nodes, letters) {
  if (value instanceof Map && value.has("root")) {
    fields(value, "a program", ["root", "empty"]);
    const root = index(value.get("root"), "a root", nodes.length);
    insist(OPERATIONS[nodes[root].kind][0] === truth, "a root is a count");
    const empty = value.get("empty");
    return { root, empty: empty === null ? null : boolean(empty, "empty") };
  }
  fields(value, "an automaton", ["transitions", "initial", "accepting"]);
  const rows = listOf(value.get("transitions"), "transitions");
  const table = rows.map((row) => listOf(row, "a row", letters).map((state) => index(state, "a state", rows.length)));
  const accepting = listOf(value.get("accepting"), "accepting", rows.length).map((x) => boolean(x, "accepting"));
  return { table, accepting, initial: index(value.get("initial"), "the initial state", rows.length) };
}

// ---- words --------------------------------------------------------------------------------------

class Languages {
  constructor(given) {
    this.alphabet = listOf(given.get("alphabet"), "alphabet").map((letter) => string(letter, "a symbol"));
    insist(this.alphabet.length > 0, "the alphabet is empty");
    insist(new Set(this.alphabet).size === this.alphabet.length, "a symbol stands twice in the alphabet");
    insist(["last", "end"].includes(given.get("accept")), "accept is neither last nor end");
    this.behind = given.get("accept") === "end";
    this.nodes = readNodes(given.get("nodes"));
    this.sides = ["first", "second"].map((name) => readSide(given.get(name), this.nodes, this.alphabet.length));
    this.steps = 0;
  }

  spend(steps) {
    this.steps += steps;
    insist(this.steps <= MOST_STEPS, "checking takes too many steps");
  }

  // Everything at every position, node by node; a letter of null is the end, which is not counted.
  answers(word) {
    const read = this.behind || word.length === 0 ? [...word, null] : word;
    this.spend(this.nodes.length * read.length);
    const columns = []; // of each node its values along the word
    for (const node of this.nodes) columns.push(this.column(node, columns, read));
    return this.sides.map((side) => {
      if (side.table) return side.accepting[word.reduce((state, letter) => side.table[state][letter], side.initial)];
      if (word.length === 0 && !this.behind && side.empty !== null) return side.empty;
      return columns[side.root].at(-1);
    });
  }

  column({ kind, args, constant }, columns, read) {
    const given = args.map((number) => columns[number]);
    if (kind === PREFIX) {
      let total = 0n;
      return read.map((letter, at) => (total += letter !== null && given[0][at] ? 1n : 0n));
    }
    if (kind === WINDOW) {
      const seen = (at, far) => at >= far && (far > 0 || read[at] !== null) && given[0][at - far];
      return read.map((_, at) => BigInt(constant.filter((far) => seen(at, far)).length));
    }
    return read.map((letter, at) => this.plain(kind, constant, given.map((values) => values[at]), BigInt(at + 1), letter));
  }

  plain(kind, constant, given, position, letter) {
    switch (kind) {
      case "Symbol": return letter !== null && this.alphabet[letter] === constant;
      case "Residue": return position % constant.modulus === constant.rest;
      case "Not": return !given[0];
      case "And": return given[0] && given[1];
      case "Or": return given[0] || given[1];
      case "Compare": return constant(signOf(given[0] - given[1]));
      case "Where": return given[0] ? given[1] : given[2];
      case "Scale": return constant * given[0];
      case "Add": return given[0] + given[1];
      case "Subtract": return given[0] - given[1];
      case "Minimum": return given[0] < given[1] ? given[0] : given[1];
      case "Maximum": return given[0] < given[1] ? given[1] : given[0];
      default: return constant; // Constant, Number
    }
  }
}

const same = (one, two) => one[0] === two[0] && one[1] === two[1];

function checkWord(languages, region, key) {
  const numbers = new Map(languages.alphabet.map((letter, number) => [letter, number]));
  const word = listOf(region.get("word"), "a word").map((letter) => numbers.get(letter));
  insist(!word.includes(undefined), "a word has other letters");
  insist(same(languages.answers(word), key), "a word does not lie in its region");
  if (!(region.has("shortest") && boolean(region.get("shortest"), "shortest"))) return "a word";
  const letters = BigInt(numbers.size);
  let work = 0n;
  for (let length = 0n; length < word.length; length += 1n) work += (length + 1n) * letters ** length;
  if (work * BigInt(languages.nodes.length + 1) > MOST_SHORTER) return "a word; that it is a shortest one was not checked";
  const other = [];
  const search = () => {
    insist(!same(languages.answers(other), key), "a region has a shorter word than the one that is called shortest");
    if (other.length + 1 === word.length) return;
    for (let letter = 0; letter < numbers.size; letter += 1) {
      other.push(letter);
      search();
      other.pop();
    }
  };
  if (word.length > 0) search();
  return "a shortest word";
}

// ---- walks --------------------------------------------------------------------------------------

// A count at a position: a constant and, by node, how often its prefix count is taken.
const form = (constant, factors = new Map()) => ({ constant, factors });

function combined(one, two, times) {
  const factors = new Map(one.factors);
  for (const [node, factor] of two.factors) factors.set(node, (factors.get(node) ?? 0n) + times * factor);
  for (const [node, factor] of factors) if (factor === 0n) factors.delete(node);
  return form(one.constant + times * two.constant, factors);
}

// A sum as a multiple of one without a common divisor whose first factor is positive.
function normalForm(factors) {
  const kept = [...factors].filter(([, factor]) => factor !== 0n).sort(([a], [b]) => a - b);
  const multiple = commonDivisor(kept.map(([, factor]) => factor)) * signOf(kept[0][1]);
  const terms = kept.map(([node, factor]) => [node, factor / multiple]);
  return { multiple, terms, name: terms.map(([node, factor]) => `${node}:${factor}`).join(" ") };
}

class SignWanted extends Error {
  constructor(question) {
    super("the sign of a free sum is open");
    this.question = question;
  }
}

class Walk {
  constructor(languages, value) {
    fields(value, "a walk", ["sums", "caps", "relations", "free"], ["proofs"]);
    this.languages = languages;
    this.nodes = languages.nodes;
    this.sums = listOf(value.get("sums"), "sums").map((sum) => this.readSum(sum));
    this.caps = listOf(value.get("caps"), "caps", this.sums.length).map((cap) => whole(cap, "a cap", 1n));
    this.free = listOf(value.get("free"), "free").map((sum) => this.readSum(sum));
    this.followed = new Map(this.sums.map(({ name }, k) => [name, k]));
    this.left = new Map(this.free.map(({ name }, k) => [name, k]));
    this.relations = listOf(value.get("relations"), "relations").map((row) => this.readRelation(row));
    this.plan();
  }

  readSum(value) {
    const factors = new Map();
    for (const pair of listOf(value, "a sum")) {
      const [node, factor] = listOf(pair, "a term of a sum", 2);
      const number = index(node, "a node of a sum", this.nodes.length);
      insist(OPERATIONS[this.nodes[number].kind][0] === truth && !factors.has(number), "a sum counts no Booleans, or one twice");
      factors.set(number, whole(factor, "a factor"));
    }
    insist([...factors.values()].some((factor) => factor !== 0n), "a sum counts nothing");
    const found = normalForm(factors);
    insist(found.multiple === 1n, "a sum is not in normal form");
    return found;
  }

  readRelation(value) {
    const factors = listOf(value, "a relation", this.sums.length).map((factor) => whole(factor, "a factor"));
    const total = new Map();
    factors.forEach((factor, k) => this.sums[k].terms.forEach(([node, own]) => total.set(node, (total.get(node) ?? 0n) + factor * own)));
    insist([...total.values()].every((factor) => factor === 0n), "a relation does not hold for all words");
    return factors;
  }

  // What must be known at every letter (what is counted, seen in windows or summed), and what is read.
  plan() {
    const roots = this.languages.sides.flatMap(({ root }) => (root === undefined ? [] : [root]));
    const within = this.operands(roots, () => true);
    const counted = [...within].filter((n) => [PREFIX, WINDOW].includes(this.nodes[n].kind)).map((n) => this.nodes[n].args[0]);
    const summed = [...this.sums, ...this.free].flatMap(({ terms }) => terms.map(([node]) => node));
    const ascending = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);
    this.inner = ascending(this.operands([...counted, ...summed], () => true));
    this.outer = ascending(this.operands(roots, (node) => node.kind !== PREFIX));
    this.every = ascending([...this.inner, ...this.outer]);
    this.period = 1n;
    this.reach = new Map(); // how far back windows see a node
    for (const { kind, args, constant } of this.every.map((n) => this.nodes[n])) {
      if (kind === "Residue") this.period = (this.period * constant.modulus) / commonDivisor([this.period, constant.modulus]);
      if (kind === WINDOW) this.reach.set(args[0], Math.max(this.reach.get(args[0]) ?? 0, ...constant, 0));
    }
  }

  operands(starts, through) {
    const seen = new Set(starts);
    for (const number of seen) if (through(this.nodes[number])) for (const below of this.nodes[number].args) seen.add(below);
    return seen;
  }

  start() {
    const past = new Map([...this.reach].map(([node, far]) => [node, Array(far).fill(false)]));
    return { residue: 0n, past, states: this.languages.sides.map(({ initial }) => initial ?? 0), sums: this.sums.map(() => 0n) };
  }

  name({ residue, past, states, sums }) {
    const seen = [...past.values()].map((row) => row.map((x) => (x ? 1 : 0)).join("")).join("/");
    return `${residue}|${seen}|${states.join()}|${sums.join()}`;
  }

  // All ways in which a letter (null: the end) may be read at a place: values of nodes, and of sums that decided about them.
  // A sum that comes back from beyond its cap has several; of these one way each is followed, from the beginning.
  *readings(place, letter, order, signs = null) {
    const open = [new Map()];
    while (open.length > 0) {
      const chosen = open.pop();
      const reading = new Reading(this, place, letter, new Map(chosen), signs);
      const fork = reading.evaluate(order);
      if (fork) for (const value of fork.options) open.push(new Map([...chosen, [fork.sum, value]]));
      else yield reading;
    }
  }

  // What a sum may be behind a letter.
  next(k, place, letter, values) {
    const before = place.sums[k];
    if (letter === null) return [before];
    const cap = this.caps[k];
    const more = this.added(this.sums[k], values);
    const beyond = size(before) === cap && signOf(before) * signOf(more) < 0n;
    if (!beyond) return [clip(before + more, cap)];
    const [low, high] = before > 0n ? [before + more, before] : [before, before + more];
    const [from, to] = [clip(low, cap), clip(high, cap)];
    this.languages.spend(Number(to - from));
    const found = [];
    for (let value = from; value <= to; value += 1n) found.push(value);
    return found;
  }

  added({ terms }, values) {
    return terms.reduce((total, [node, factor]) => (values.get(node) ? total + factor : total), 0n);
  }

  *steps(place, letter, order) {
    const { sides } = this.languages;
    const states = sides.map((side, k) => (side.table ? side.table[place.states[k]][letter] : 0));
    const residue = (place.residue + 1n) % this.period;
    for (const { values, chosen } of this.readings(place, letter, order)) {
      const past = new Map([...this.reach].map(([node, far]) => [node, [values.get(node), ...place.past.get(node)].slice(0, far)]));
      let found = [[]];
      for (let k = 0; k < this.sums.length; k += 1) {
        const options = chosen.has(k) ? [chosen.get(k)] : this.next(k, place, letter, values);
        found = found.flatMap((sums) => options.map((value) => [...sums, value]));
        this.languages.spend(found.length);
      }
      for (const sums of found) if (this.possible(sums)) yield { values, place: { residue, past, states, sums } };
    }
  }

  // Relations are 0; a sum at its cap may be anything beyond.
  possible(sums) {
    return this.relations.every((factors) => {
      let total = 0n;
      let [up, down] = [false, false];
      factors.forEach((factor, k) => {
        total += factor * sums[k];
        if (factor === 0n || size(sums[k]) !== this.caps[k]) return;
        if (signOf(factor) === signOf(sums[k])) up = true;
        else down = true;
      });
      return total === 0n || (total > 0n ? down : up);
    });
  }

  said(values, states) {
    return this.languages.sides.map((side, k) => (side.table ? side.accepting[states[k]] : values.get(side.root)));
  }

  visitAll(key) {
    const { languages } = this;
    insist(!same(languages.answers([]), key), "the empty word lies in a region that is called empty");
    const outside = (values, states) => insist(!same(this.said(values, states), key), "a place has the answers of a region that is called empty");
    const places = [this.start()];
    const known = new Set([this.name(places[0])]);
    for (const place of places) {
      if (languages.behind) for (const { values } of this.readings(place, null, this.outer)) outside(values, place.states);
      for (let letter = 0; letter < languages.alphabet.length; letter += 1) {
        for (const { values, place: after } of this.steps(place, letter, languages.behind ? this.inner : this.every)) {
          if (!languages.behind) outside(values, after.states);
          const name = this.name(after);
          if (!known.has(name)) {
            known.add(name);
            places.push(after);
          }
        }
      }
    }
    return places.length;
  }

  // ---- linear systems ----

  graph() {
    const { languages } = this;
    const places = [this.start()];
    const numbers = new Map([[this.name(places[0]), 0]]);
    const edges = new Map();
    const ends = [];
    for (let from = 0; from < places.length; from += 1) {
      const place = places[from];
      if (languages.behind) ends.push({ from, place, letter: null, states: place.states, inner: new Map(), added: this.free.map(() => 0n) });
      for (let letter = 0; letter < languages.alphabet.length; letter += 1) {
        for (const { values, place: after } of this.steps(place, letter, this.inner)) {
          const name = this.name(after);
          if (!numbers.has(name)) {
            numbers.set(name, places.length);
            places.push(after);
          }
          const to = numbers.get(name);
          const added = this.free.map((sum) => this.added(sum, values));
          const edge = `${from} ${to} ${added.join()}`;
          if (!edges.has(edge)) edges.set(edge, { from, to, added });
          if (!languages.behind) ends.push({ from, place, letter, states: after.states, inner: values, added });
        }
      }
    }
    return { places: places.length, edges: [...edges.values()], ends };
  }

  // The signs of free sums with which a word that ends so lies in the region.
  *demands({ place, letter, states, inner }, key) {
    const open = [new Map()];
    while (open.length > 0) {
      const signs = open.pop();
      let found;
      try {
        found = [...this.readings(place, letter, letter === null ? this.outer : this.every, signs)];
      } catch (wanted) {
        if (!(wanted instanceof SignWanted)) throw wanted;
        const { question } = wanted;
        for (const sign of [-1n, 0n, 1n]) open.push(new Map([...signs, [question.name, { ...question, sign }]]));
        continue;
      }
      const ends = ({ values }) => agrees(values, inner) && same(this.said(values, states), key);
      if (found.some(ends)) yield [...signs.values()];
    }
  }

  systems(key) {
    insist(!same(this.languages.answers([]), key), "the empty word lies in a region that is called empty");
    const { places, edges, ends } = this.graph();
    const found = new Map();
    for (const end of ends) {
      for (const demand of this.demands(end, key)) {
        const bounds = demand.map(({ sum, multiple, constant, sign }) => [BigInt(sum), multiple, constant + multiple * end.added[sum], sign]);
        bounds.sort(lexically);
        found.set(`${end.from}|${bounds.join("|")}`, { end: end.from, bounds });
      }
    }
    return { edges, all: [...found.values()].map(({ end, bounds }) => this.rows(places, edges, end, bounds)) };
  }

  rows(places, edges, end, bounds) {
    this.languages.spend(places + edges.length * (2 + bounds.length));
    const flows = Array.from({ length: places }, () => new Map());
    const add = (flow, edge, amount) => flow.set(edge, (flow.get(edge) ?? 0n) + amount);
    edges.forEach(({ from, to }, edge) => {
      add(flows[to], edge, 1n);
      add(flows[from], edge, -1n);
    });
    const found = flows.map((flow, place) => tightened(flow, BigInt(place === end) - BigInt(place === 0), true));
    for (const [sum, multiple, constant, sign] of bounds) {
      const times = sign === 0n ? multiple : sign * multiple;
      const terms = new Map(edges.map(({ added }, edge) => [edge, times * added[Number(sum)]]));
      found.push(sign === 0n ? tightened(terms, -constant, true) : tightened(terms, 1n - sign * constant, false));
    }
    return found;
  }

  refuteAll(key, proofs) {
    const { edges, all } = this.systems(key);
    listOf(proofs, "proofs", all.length).forEach((proof, k) => this.refuted(proof, all[k], edges));
    return all.length;
  }

  refuted(proof, rows, edges) {
    this.languages.spend(rows.reduce((total, { terms }) => total + terms.size + 1, 0));
    const step = listOf(proof, "a proof")[0];
    const beside = (terms, bound) => [...rows, { terms, bound, equal: false }];
    if (step === "farkas" || step === "divide") return contradiction(proof, rows);
    if (step === "split") {
      const [, variable, bound, below, above] = listOf(proof, "a split", 5);
      const edge = index(variable, "a variable", edges.length);
      whole(bound, "a bound");
      this.refuted(below, beside(new Map([[edge, -1n]]), -bound), edges);
      return this.refuted(above, beside(new Map([[edge, 1n]]), bound + 1n), edges);
    }
    insist(step === "island", "a proof has an unknown step");
    const [, places, never, entered] = listOf(proof, "an island", 4);
    const inside = new Set(listOf(places, "an island").map((place) => whole(place, "a place", 1n)));
    const [within, into] = [new Map(), new Map()];
    edges.forEach(({ from, to }, edge) => {
      if (!inside.has(BigInt(to))) return;
      within.set(edge, -1n);
      if (!inside.has(BigInt(from))) into.set(edge, 1n);
    });
    this.refuted(never, beside(within, 0n), edges);
    return this.refuted(entered, beside(into, 1n), edges);
  }
}

// What is known at one position, in the order of the nodes.
class Reading {
  constructor(walk, place, letter, chosen, signs) {
    Object.assign(this, { walk, place, letter, chosen, signs, values: new Map() });
  }

  // Return where a sum may have several values, if one does.
  evaluate(order) {
    const { walk, values } = this;
    walk.languages.spend(order.length);
    for (const number of order) {
      const node = walk.nodes[number];
      const fork = this.fork(node);
      if (fork) return fork;
      values.set(number, this.value(node));
    }
    return null;
  }

  difference({ args }) {
    return combined(this.values.get(args[0]), this.values.get(args[1]), -1n);
  }

  fork(node) {
    if (!["Compare", "Minimum", "Maximum"].includes(node.kind)) return null;
    const { factors } = this.difference(node);
    const sum = factors.size ? this.walk.followed.get(normalForm(factors).name) : undefined;
    if (sum === undefined || this.chosen.has(sum)) return null;
    const options = this.walk.next(sum, this.place, this.letter, this.values);
    if (options.length > 1) return { sum, options };
    this.chosen.set(sum, options[0]);
    return null;
  }

  value(node) {
    const { kind, args, constant } = node;
    const given = args.map((number) => this.values.get(number));
    switch (kind) {
      case PREFIX: return form(0n, new Map([[args[0], 1n]]));
      case WINDOW: {
        const past = this.place.past.get(args[0]);
        const seen = (far) => (far > 0 ? past[far - 1] : this.letter !== null && given[0]);
        return form(BigInt(constant.filter(seen).length));
      }
      case "Number": return form(constant);
      case "Scale": return combined(form(0n), given[0], constant);
      case "Add": return combined(given[0], given[1], 1n);
      case "Subtract": return combined(given[0], given[1], -1n);
      case "Where": return given[0] ? given[1] : given[2];
      case "Compare": return constant(this.sign(this.difference(node)));
      case "Minimum": return this.sign(this.difference(node)) <= 0n ? given[0] : given[1];
      case "Maximum": return this.sign(this.difference(node)) <= 0n ? given[1] : given[0];
      default: return this.walk.languages.plain(kind, constant, given, this.place.residue + 1n, this.letter);
    }
  }

  sign({ constant, factors }) {
    if (factors.size === 0) return signOf(constant);
    const { multiple, name } = normalForm(factors);
    const free = this.walk.left.get(name);
    if (free !== undefined && this.signs) {
      const question = { sum: free, multiple, constant, name: `${free} ${multiple} ${constant}` };
      if (!this.signs.has(question.name)) throw new SignWanted(question);
      return this.signs.get(question.name).sign;
    }
    const sum = this.walk.followed.get(name);
    insist(sum !== undefined, "a comparison needs a sum that is not named");
    const value = this.chosen.get(sum);
    const cap = this.walk.caps[sum];
    insist(size(value) < cap || cap * size(multiple) > size(constant), "a comparison needs a larger cap");
    return signOf(multiple * value + constant);
  }
}

function agrees(values, inner) {
  for (const [node, value] of inner) if (!alike(values.get(node), value)) return false;
  return true;
}

// Two values of one node: Booleans, or counts with the same constant and factors.
function alike(one, two) {
  if (typeof one !== "object" || typeof two !== "object") return one === two;
  if (one.constant !== two.constant || one.factors.size !== two.factors.size) return false;
  return [...one.factors].every(([node, factor]) => two.factors.get(node) === factor);
}

function lexically(one, two) {
  const k = one.findIndex((value, place) => value !== two[place]);
  return k < 0 ? 0 : one[k] < two[k] ? -1 : 1;
}

// Divide by what all factors share; whole numbers let a bound be rounded up.
function tightened(all, bound, equal) {
  const terms = new Map([...all].filter(([, factor]) => factor !== 0n));
  const divisor = commonDivisor(terms.values()) || 1n;
  const rest = ((bound % divisor) + divisor) % divisor;
  if (equal && rest !== 0n) return { terms, bound, equal };
  const up = rest === 0n ? bound : bound + divisor - rest;
  return { terms: new Map([...terms].map(([edge, factor]) => [edge, factor / divisor])), bound: up / divisor, equal };
}

function contradiction(proof, rows) {
  const divide = proof[0] === "divide";
  listOf(proof, "a leaf", divide ? 3 : 2);
  const multipliers = listOf(proof[1], "multipliers", rows.length).map((factor) => whole(factor, "a multiplier"));
  const total = new Map();
  let sum = 0n;
  rows.forEach(({ terms, bound, equal }, k) => {
    const factor = multipliers[k];
    if (factor === 0n) return;
    insist(equal || (factor > 0n && !divide), "a row that is no equation is subtracted");
    sum += factor * bound;
    for (const [edge, own] of terms) total.set(edge, (total.get(edge) ?? 0n) + factor * own);
  });
  if (!divide) {
    insist(sum > 0n && [...total.values()].every((factor) => factor <= 0n), "rows do not add up to a contradiction");
    return;
  }
  const modulus = whole(proof[2], "a modulus", 2n);
  insist([...total.values()].every((factor) => factor % modulus === 0n) && sum % modulus !== 0n, "equations do not contradict each other");
}

// ---- whole certificates -------------------------------------------------------------------------

export function checkComparison(data) {
  const given = readJson(typeof data === "string" ? data : decoded(data));
  fields(given, "the certificate", ["format", "version", "alphabet", "accept", "nodes", "first", "second", "regions"], ["names"]);
  insist(given.get("format") === "lengthwise-comparison" && given.get("version") === 1n, "this is no comparison, or of another version");
  if (given.has("names")) for (const name of listOf(given.get("names"), "names")) string(name, "a name");
  const languages = new Languages(given);
  const found = new Map();
  for (const region of listOf(given.get("regions"), "regions", 4)) {
    fields(region, "a region", ["first", "second"], ["word", "shortest", "walk", "open"]);
    const key = ["first", "second"].map((name) => boolean(region.get(name), name));
    found.set(key.join(), { first: key[0], second: key[1], ...shown(languages, region, key) });
  }
  insist(found.size === 4, "a region is missing, or stands there twice");
  const kinds = Object.fromEntries([...found].map(([name, { kind }]) => [name, kind]));
  return { relation: relation(kinds), regions: [...found.values()].map(({ first, second, what }) => ({ first, second, what })) };
}

function shown(languages, region, key) {
  if (region.has("word")) return { kind: "word", what: checkWord(languages, region, key) };
  if (!region.has("walk")) return { kind: "open", what: "open: nothing is shown" };
  const given = region.get("walk");
  const walk = new Walk(languages, given);
  if (!given.has("proofs")) return { kind: "empty", what: `no word: ${commas(walk.visitAll(key))} places visited` };
  return { kind: "empty", what: `no word: ${commas(walk.refuteAll(key, given.get("proofs")))} linear systems refuted` };
}

const commas = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

function relation(kinds) {
  const [both, one, two] = [kinds["true,true"], kinds["true,false"], kinds["false,true"]];
  if (one === "empty" && two === "empty") return "equal";
  if (one === "empty" && two === "word") return "included";
  if (one === "word" && two === "empty") return "includes";
  if (one === "word" && two === "word" && both === "empty") return "disjoint";
  return one === "word" || two === "word" ? "different" : "open";
}
