// A second checker of certificates, written apart from check_certificate.py, which says what they
// hold and why that is enough. It runs in browsers and in node and needs nothing else.
//
//   checkCertificates(data) -> [{ statement, answer, className, accept, states, basis, strength, steps }]
//
// takes text or bytes and throws Refused at the first thing that is wrong. JSON is read here: JSON.parse rounds numbers
// beyond 2^53 and takes the last of two fields with one name.

const MOST_BYTES = 100_000_000;
const MOST_DIGITS = 4_000;
const MOST_DEPTH = 32;
const ALLOWANCE = 1_000_000;
const STEPS_PER_NUMBER = 64;
const FREE = -1n;
const TITLES = { plain: "C-RASP", periodic_local: "C-RASP[periodic, local]" };
const LABELS = ["regex", "source", "program", "strength", "basis"];

export class Refused extends Error {}

function refuse(reason) {
  throw new Refused(`${reason}.`);
}

function insist(condition, reason) {
  if (!condition) refuse(reason);
}

export function checkCertificates(data) {
  const found = readJson(typeof data === "string" ? data : decoded(data));
  if (!(found instanceof Map) || found.get("format") !== "lengthwise-certificates") return [check(found)];
  fields(found, "the file", ["format", "version", "certificates"]);
  insist(found.get("version") === 1n, "the version of the file is not 1");
  const list = listOf(found.get("certificates"), "certificates");
  insist(list.length > 0, "the file holds no certificates");
  return list.map(check);
}

// ---- strict JSON: objects are Maps, numbers are BigInts -----------------------------------------

export function decoded(data) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return refuse("the file is not UTF-8");
  }
}

export function readJson(text) {
  insist(new TextEncoder().encode(text).length <= MOST_BYTES, "the file is too large");
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.space();
  insist(reader.at === text.length, "something stands behind the end");
  return value;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found && found[0];
  }

  space() {
    this.match(/[ \t\n\r]*/y);
  }

  take(mark) {
    this.space();
    const there = this.text[this.at] === mark;
    if (there) this.at += 1;
    return there;
  }

  value(depth) {
    insist(depth <= MOST_DEPTH, "the file is nested too deeply");
    if (this.take("{")) return this.object(depth);
    if (this.take("[")) return this.array(depth);
    if (this.text[this.at] === '"') return this.string();
    const word = this.match(/(?:true|false|null)/y);
    if (word) return { true: true, false: false, null: null }[word];
    const number = this.match(/-?(?:0|[1-9][0-9]*)/y);
    insist(number !== null && !this.match(/[.eE]/y), `no value is written at character ${this.at}`);
    insist(number.length <= MOST_DIGITS, "a number has too many digits");
    return BigInt(number);
  }

  object(depth) {
    const found = new Map();
    if (this.take("}")) return found;
    do {
      this.space();
      const name = this.string();
      insist(!found.has(name), "a field is given twice");
      insist(this.take(":"), "a field has no value");
      found.set(name, this.value(depth + 1));
    } while (this.take(","));
    insist(this.take("}"), "an object does not end");
    return found;
  }

  array(depth) {
    const found = [];
    if (this.take("]")) return found;
    do found.push(this.value(depth + 1));
    while (this.take(","));
    insist(this.take("]"), "a list does not end");
    return found;
  }

  string() {
    const start = this.at;
    insist(this.text[this.at] === '"', "text was expected");
    this.at += 1;
    for (;;) {
      this.match(/[^"\\\u0000-\u001f]*/y);
      if (this.text[this.at] === '"') break;
      insist(this.match(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y), "text does not end or holds something odd");
    }
    this.at += 1;
    return JSON.parse(this.text.slice(start, this.at)); // one string, read above; only to undo escapes
  }
}

// ---- shapes -------------------------------------------------------------------------------------

export function fields(value, name, needed, allowed = []) {
  insist(value instanceof Map, `${name} is no object`);
  for (const key of value.keys()) insist(needed.includes(key) || allowed.includes(key), `${name} has an unknown field`);
  for (const key of needed) insist(value.has(key), `${name} has no field ${key}`);
  return value;
}

export function listOf(value, name, length) {
  insist(Array.isArray(value), `${name} is no list`);
  insist(length === undefined || value.length === length, `${name} has the wrong length`);
  return value;
}

function text(value, name) {
  insist(typeof value === "string" && !/\p{Surrogate}/u.test(value), `${name} is no text`);
  return value;
}

function oneOf(value, name, choices) {
  insist(typeof value === "string" && choices.includes(value), `${name} is none of ${choices.join(", ")}`);
  return value;
}

class Work {
  constructor() {
    this.spent = 0;
    this.allowed = ALLOWANCE;
  }

  spend(steps) {
    this.spent += steps;
    insist(this.spent <= this.allowed, "checking takes more steps than its size allows");
  }

  // An integer of any size.
  big(value, name, least = value) {
    insist(typeof value === "bigint", `${name} is no whole number`);
    insist(value >= least, `${name} is out of range`);
    this.allowed += STEPS_PER_NUMBER;
    return value;
  }

  // The number of one of so many things, counted from 0.
  index(value, name, size) {
    insist(this.big(value, name, 0n) < BigInt(size), `${name} is out of range`);
    return Number(value);
  }

  word(value, name, letters) {
    return listOf(value, name).map((letter) => this.index(letter, name, letters));
  }
}

function automaton(value, outputs, letters, work) {
  fields(value, "an automaton", ["transitions", "initial", outputs]);
  const rows = listOf(value.get("transitions"), "transitions");
  const table = rows.map((row) => listOf(row, "a row", letters).map((state) => work.index(state, "a state", rows.length)));
  const initial = work.index(value.get("initial"), "the initial state", rows.length);
  const given = listOf(value.get(outputs), outputs, rows.length);
  if (outputs === "outputs") return { table, initial, outputs: given.map((x) => work.big(x, "an output", FREE)) };
  for (const x of given) insist(typeof x === "boolean", "accepting holds something else than true and false");
  return { table, initial, outputs: given.map((x) => (x ? 1n : 0n)) };
}

// ---- one certificate ----------------------------------------------------------------------------

function check(value) {
  const needed = ["format", "version", "class", "accept", "answer", "alphabet", "dfa", "parts"];
  const work = new Work();
  fields(value, "the certificate", needed, [...LABELS, "union_plus", "learned"]);
  oneOf(value.get("format"), "format", ["lengthwise-certificate"]);
  insist(value.get("version") === 1n || value.get("version") === 2n, "the version is neither 1 nor 2");
  const shorter = value.get("version") === 2n; // places may be left out, joins may stand for chains
  const className = oneOf(value.get("class"), "class", Object.keys(TITLES));
  const accept = oneOf(value.get("accept"), "accept", ["end", "last", "predict"]);
  const answer = oneOf(value.get("answer"), "answer", ["in", "out"]);
  for (const name of LABELS) if ((value.get(name) ?? null) !== null) text(value.get(name), name);
  const learned = value.get("learned") ?? false;
  if (typeof learned !== "boolean") text(learned, "learned");
  insist(typeof (value.get("union_plus") ?? false) === "boolean", "union_plus is neither true nor false");
  const alphabet = listOf(value.get("alphabet"), "alphabet").map((symbol) => text(symbol, "a symbol"));
  insist(alphabet.length > 0 && new Set(alphabet).size === alphabet.length, "the alphabet is empty or repeats a symbol");
  const dfa = automaton(value.get("dfa"), "accepting", alphabet.length, work);
  const letters = new Map(alphabet.map((symbol, number) => [symbol, number]));
  const task = { dfa, accept, answer, className, letters, work, shorter, sources: reversed(dfa.table) };
  task.answers = accept === "predict" ? nextSymbols(task) : dfa.outputs;
  const asked = [];
  let bare = className === "plain" || answer === "in";
  for (const part of listOf(value.get("parts"), "parts")) {
    const seen = checkPart(part, task);
    for (const letter of seen.letters) asked.push(letter);
    bare &&= seen.bare;
  }
  insist(asked.length > 0, "there are no parts");
  insist(new Set(asked).size === asked.length, "two parts answer the same question");
  insist(answer === "out" || accept === "end" || asked.length === alphabet.length, "a last letter has no part");
  const verb = answer === "in" ? "is" : "is not";
  const statement = `the automaton's language ${verb} in ${TITLES[className]} (convention ${accept})`;
  return { statement, answer, className, accept, states: dfa.table.length, ...rest(bare, accept, Boolean(learned)), steps: Math.ceil(work.spent) };
}

function rest(bare, accept, learned) {
  let strength = "own derivation";
  let basis = "our own derivation, unpublished";
  if (bare) {
    strength = "published";
    basis = "published theorem (Yang, Veseli et al. 2026, Theorem 89)";
    if (accept !== "end") {
      strength = "published + own reduction";
      basis += " after our own, unpublished reduction of the last letter";
    }
  }
  if (!learned) return { strength, basis };
  return { strength: "sampled", basis: `an automaton that was learned, not proved equal; about it, ${basis}` };
}

function reversed(table) {
  const sources = table.map(() => []);
  table.forEach((row, state) => row.forEach((target) => sources[target].push(state)));
  return sources;
}

function reach(starts, following) {
  const seen = new Set(starts);
  for (const node of seen) for (const next of following(node)) seen.add(next); // a Set is read as it grows
  return seen;
}

// Number the sets of symbols that may follow; nothing is asked where no word can be completed.
function nextSymbols({ dfa, sources, work }) {
  work.spend(2 * dfa.table.length * dfa.table[0].length);
  const final = dfa.outputs.flatMap((output, state) => (output === 1n ? [state] : []));
  const alive = reach(final, (state) => sources[state]);
  const numbers = new Map();
  return dfa.table.map((row, state) => {
    if (!alive.has(state)) return FREE;
    const key = dfa.outputs[state] + row.map((target) => (alive.has(target) ? "1" : "0")).join("");
    if (!numbers.has(key)) numbers.set(key, BigInt(numbers.size));
    return numbers.get(key);
  });
}

function checkPart(value, task) {
  const { dfa, accept, answer, className, work, shorter } = task;
  const argument = answer === "in" ? "proof" : "refutation";
  fields(value, "a part", ["last", "machine", argument], shorter ? ["kind", "letters"] : ["kind"]);
  if ((value.get("kind") ?? null) !== null) text(value.get("kind"), "kind");
  const size = task.letters.size;
  const numbers = value.has("letters") ? work.word(listOf(value.get("letters"), "letters", size), "letters", size) : [...task.letters.values()];
  const used = new Set(numbers);
  for (let number = 0; number < used.size; number += 1) insist(used.has(number), "letters leaves out a number");
  const machine = automaton(value.get("machine"), "outputs", used.size, work);
  const last = value.get("last");
  insist((last === null) === (accept === "end"), "a part names a last letter exactly when the convention shows one");
  const letters = last === null ? [-1] : listOf(last, "last").map((symbol) => task.letters.get(symbol) ?? -1);
  insist(letters.length > 0, "a part names no last letter");
  insist(last === null || !letters.includes(-1), "a last letter is not in the alphabet");
  work.spend(dfa.table.length * letters.length);
  const columns = letters.map((letter) => (letter < 0 ? task.answers : dfa.table.map((row) => task.answers[row[letter]])));
  compare(runBeside(machine, numbers, columns, task), machine, columns, task);
  if (answer === "out") {
    refutation(value.get("refutation"), machine, className, work, shorter);
    return { letters, bare: true };
  }
  const { modulus, window } = proof(value.get("proof"), machine, className, work, shorter);
  return { letters, bare: modulus === 1n && window === 0n };
}

// Walk through both automata at once. Beside a state there may stand only one state of the machine;
// a yes is not followed to where nothing is asked any more.
function runBeside(machine, numbers, columns, { dfa, answer, sources, work }) {
  const states = dfa.table.map((_, state) => state);
  work.spend((dfa.table.length * dfa.table[0].length) / 4 + dfa.table.length);
  const asked = states.filter((state) => answer === "out" || columns.some((wanted) => wanted[state] !== FREE));
  const followed = asked.length === states.length ? new Set(states) : reach(asked, (state) => sources[state]);
  const beside = new Map();
  const stack = [[dfa.initial, machine.initial]];
  while (stack.length > 0) {
    const [state, other] = stack.pop();
    if (!followed.has(state)) continue;
    if (beside.has(state)) {
      insist(beside.get(state) === other, `state ${state} stands beside two states of a machine`);
      continue;
    }
    beside.set(state, other);
    dfa.table[state].forEach((target, letter) => stack.push([target, machine.table[other][numbers[letter]]]));
  }
  return beside;
}

function compare(beside, machine, columns, { accept, answer }) {
  for (const wanted of columns) {
    const meaning = new Map();
    const number = new Map();
    for (const [state, other] of beside) {
      const want = wanted[state];
      const got = machine.outputs[other];
      if (answer === "in" && want === FREE) continue;
      insist((want === FREE) === (got === FREE), `state ${other} of a machine answers where nothing is asked, or not where it is`);
      insist(accept === "predict" || want === got, `state ${other} of a machine gives the wrong answer`);
      if (!meaning.has(got)) meaning.set(got, want);
      if (!number.has(want)) number.set(want, got);
      insist(meaning.get(got) === want && number.get(want) === got, `state ${other} of a machine gives the wrong answer`);
    }
  }
}

// Tarjan's strongly connected components of what is reachable from the start, without recursion.
function components(start, following) {
  const order = new Map();
  const low = new Map();
  const open = [];
  const closed = new Set();
  const found = [];
  const path = [];
  const enter = (node) => {
    low.set(node, order.size);
    order.set(node, order.size);
    open.push(node);
    path.push({ node, next: following(node).values() });
  };
  const lower = (node, bound) => low.set(node, Math.min(low.get(node), bound));
  enter(start);
  while (path.length > 0) {
    const { node, next } = path.at(-1);
    const { value: target, done } = next.next();
    if (!done) {
      if (!order.has(target)) enter(target);
      else if (!closed.has(target)) lower(node, order.get(target));
      continue;
    }
    path.pop();
    if (path.length > 0) lower(path.at(-1).node, low.get(node));
    if (low.get(node) === order.get(node)) {
      const part = open.splice(open.lastIndexOf(node));
      part.forEach((member) => closed.add(member));
      found.push(part);
    }
  }
  return found;
}

// ---- yes: potentials ----------------------------------------------------------------------------

function proof(value, machine, className, work, shorter) {
  fields(value, "a proof", ["modulus", "window", "components"]);
  const modulus = work.big(value.get("modulus"), "modulus", 1n);
  const window = work.big(value.get("window"), "window", 0n);
  insist(className !== "plain" || (modulus === 1n && window === 0n), "a plain proof uses modulus 1 and window 0");
  const listed = new Map();
  for (const part of listOf(value.get("components"), "components")) {
    const bare = shorter && modulus === 1n && window === 0n;
    fields(part, "a component", bare ? ["states", "potentials"] : ["states", "vertices", "potentials"], bare ? ["vertices"] : []);
    const states = listOf(part.get("states"), "states").map((q) => work.index(q, "a state", machine.table.length));
    const key = setKey(states);
    insist(new Set(states).size === states.length && !listed.has(key), "a state or a component is listed twice");
    listed.set(key, part);
  }
  work.spend(3 * machine.table.length * machine.table[0].length);
  for (const states of components(machine.initial, (q) => machine.table[q])) {
    if (states.length === 1) continue;
    const part = listed.get(setKey(states));
    insist(part !== undefined, `no potentials for the component of state ${states[0]}`);
    listed.delete(setKey(states));
    const letters = machine.table[0].length;
    component(part, { table: machine.table, states: new Set(states), modulus, window, work, letters });
  }
  insist(listed.size === 0, "a component is listed that is none");
  return { modulus, window };
}

function setKey(states) {
  return [...states].sort((a, b) => a - b).join();
}

function gcd(a, b) {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

// The component is entered in its first state at position 0; other entries only shift everything.
// Returns the distance of each state from there, and modulo what distance and position stay equal.
function levels({ table, states, modulus }) {
  const level = new Map([[[...states].reduce((a, b) => Math.min(a, b)), 0]]);
  let cycle = modulus;
  for (const [q, at] of level) {
    for (const target of table[q]) {
      if (!states.has(target)) continue;
      if (!level.has(target)) level.set(target, at + 1);
      cycle = gcd(cycle, BigInt(Math.abs(at + 1 - level.get(target))));
    }
  }
  return { level, cycle };
}

function component(part, inside) {
  const { table, states, modulus, window, work, letters } = inside;
  const listed = part.has("vertices") ? part.get("vertices") : part.get("states").map((q) => [q, [], 0n]);
  const places = listOf(listed, "places").map((value) => {
    const [state, word, residue] = listOf(value, "a place", 3);
    const q = work.index(state, "the state of a place", table.length);
    const last = work.word(word, "the word of a place", letters);
    insist(BigInt(last.length) === window, "the word of a place has the wrong length");
    insist(work.big(residue, "a residue", 0n) < modulus, "a residue is out of range");
    return { q, last, residue, key: `${q}|${last}|${residue}` };
  });
  const number = new Map(places.map(({ key }, at) => [key, at]));
  insist(number.size === places.length, "a place is listed twice");
  checkOpen(places, inside);
  work.spend(places.length * letters * (2 + (places.length ? places[0].last.length : 0)));
  const edges = [];
  places.forEach(({ q, last, residue }, source) => {
    table[q].forEach((target, letter) => {
      if (!states.has(target)) return;
      const after = window === 0n ? "" : [...last.slice(1), letter].join();
      edges.push([source, letter, number.get(`${target}|${after}|${(residue + 1n) % modulus}`)]);
    });
  });
  let known = classes(places.map(({ last, residue }) => `${last}|${residue}`));
  const rounds = listOf(part.get("potentials"), "potentials");
  insist(rounds.length <= places.length, "there are more rounds of potentials than places");
  for (const round of rounds) {
    const potential = listOf(round, "a potential", places.length).map((x) => work.big(x, "a potential"));
    work.spend(edges.length);
    const change = new Map();
    for (const [source, letter, target] of edges) { // no target: there the state is visible, the potential 0
      const key = known[source] * letters + letter;
      const step = (target === undefined ? 0n : potential[target]) - potential[source];
      if (!change.has(key)) change.set(key, step);
      insist(change.get(key) === step, `a potential breaks at state ${places[source].q}, letter number ${letter}`);
    }
    known = classes(known.map((before, at) => `${before}|${potential[at]}`));
  }
  insist(new Set(known).size === places.length, "two states of a component look alike to the end");
}

function classes(keys) {
  const numbers = new Map();
  return keys.map((key) => {
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return numbers.get(key);
  });
}

// The places must be those, and all those, that last letters and position leave open. Words are read
// from all states of a class at once, along the words that are listed; what leaves the list must not
// stay open.
function checkOpen(places, inside) {
  const { states, modulus, window, work } = inside;
  const { level, cycle } = levels(inside);
  const classOf = (q) => BigInt(level.get(q)) % cycle;
  const root = { next: new Map(), groups: new Map() };
  for (const { last } of places) {
    work.spend(1 + last.length);
    let node = root;
    for (const letter of last) {
      if (!node.next.has(letter)) node.next.set(letter, { next: new Map(), groups: new Map() });
      node = node.next.get(letter);
    }
  }
  const whole = new Map([...states].map((q) => [classOf(q), []]));
  for (const q of states) whole.get(classOf(q)).push(q);
  const endurance = new Endurance(inside);
  let total = 0;
  const queue = [...whole.values()].filter((group) => group.length > 1).map((group) => ({ node: root, length: 0n, group }));
  while (queue.length > 0) {
    const { node, length, group } = queue.pop();
    if (length === window) {
      node.groups.set(classOf(group[0]), new Set(group));
      total += group.length;
      continue;
    }
    for (const [letter, after] of endurance.read(group)) {
      const next = node.next.get(letter);
      if (next) queue.push({ node: next, length: length + 1n, group: after });
      else insist(endurance.of(after) < window - length - 1n, `states ${after.slice(0, 2)} stay open after a word that is not listed`);
    }
  }
  for (const { q, last, residue } of places) {
    const node = last.reduce((at, letter) => at.next.get(letter), root);
    insist(node.groups.get(residue % cycle)?.has(q), "a place is listed that is not open");
  }
  insist(BigInt(total) * (modulus / cycle) === BigInt(places.length), "not all open places are listed");
}

// How long several states can stay open when letters are read from a set of states.
class Endurance {
  constructor({ table, states, work, letters }) {
    Object.assign(this, { table, states, work, letters });
    this.known = new Map();
  }

  read(group) {
    this.work.spend(group.length * this.letters);
    const found = [];
    for (let letter = 0; letter < this.letters; letter += 1) {
      const after = new Set(group.map((q) => this.table[q][letter]).filter((target) => this.states.has(target)));
      if (after.size > 1) found.push([letter, [...after].sort((a, b) => a - b)]);
    }
    return found;
  }

  // Letters that can be read at most; a set that comes back to itself endures for ever. All sets
  // that can follow are gathered first, then taken away from the end, where nothing follows.
  of(group) {
    const start = group.join();
    const gathered = new Map(this.known.has(start) ? [] : [[start, { group, before: [], waiting: 0, length: 0n }]]);
    for (const [key, here] of gathered) {
      for (const [, after] of this.read(here.group)) {
        const next = after.join();
        if (this.known.has(next)) {
          if (this.known.get(next) >= here.length) here.length = this.known.get(next) + 1n;
          continue;
        }
        if (!gathered.has(next)) gathered.set(next, { group: after, before: [], waiting: 0, length: 0n });
        gathered.get(next).before.push(key);
        here.waiting += 1;
      }
    }
    const done = [...gathered.keys()].filter((key) => gathered.get(key).waiting === 0);
    for (const key of done) {
      const { before, length } = gathered.get(key);
      this.known.set(key, length);
      for (const earlier of before) {
        const entry = gathered.get(earlier);
        if (entry.length <= length) entry.length = length + 1n;
        entry.waiting -= 1;
        if (entry.waiting === 0) done.push(earlier);
      }
    }
    return this.known.get(start) ?? Infinity;
  }
}

// ---- no: closed partitions ----------------------------------------------------------------------

function refutation(value, machine, className, work, shorter) {
  const reason = shorter && value instanceof Map && value.has("joins") ? "joins" : "chains";
  fields(value, "a refutation", ["anchors", "arrows", "vertices", "blocks", "pair", "suffix", reason]);
  const { table, outputs } = machine;
  const letters = table[0].length;
  const follow = (q, word) => word.reduce((state, letter) => table[state][letter], q);
  const anchors = listOf(value.get("anchors"), "anchors").map((word) => work.word(word, "an anchor", letters));
  const arrows = listOf(value.get("arrows"), "arrows").map((arrow) => {
    const [from, word, to] = listOf(arrow, "an arrow", 3);
    const ends = [from, to].map((anchor) => work.index(anchor, "an anchor of an arrow", anchors.length));
    return { from: ends[0], word: work.word(word, "the word of an arrow", letters), to: ends[1] };
  });
  checkWords(anchors, arrows, className);
  const reachable = reach([machine.initial], (q) => table[q]);
  work.spend(table.length * letters);
  const vertices = listOf(value.get("vertices"), "vertices").map((vertex) => {
    const [state, place] = listOf(vertex, "a vertex", 2);
    const q = work.index(state, "the state of a vertex", table.length);
    const anchor = work.index(place, "the anchor of a vertex", anchors.length);
    work.spend(1 + anchors[anchor].length);
    insist(reachable.has(q), `state ${q} is not reachable`);
    insist(follow(q, anchors[anchor]) === q, `an anchor moves state ${q}`);
    return { q, anchor };
  });
  const number = new Map(vertices.map(({ q, anchor }, at) => [`${q} ${anchor}`, at]));
  insist(number.size === vertices.length, "a vertex is listed twice");
  const at = anchors.map(() => []);
  vertices.forEach(({ anchor }, vertex) => at[anchor].push(vertex));
  const graph = vertices.map(() => new Map()); // source -> arrow -> target
  arrows.forEach(({ from, word, to }, arrow) => {
    for (const source of at[from]) {
      work.spend(4 + word.length);
      const target = number.get(`${follow(vertices[source].q, word)} ${to}`);
      if (target !== undefined) graph[source].set(arrow, target);
    }
  });
  const blocks = listOf(value.get("blocks"), "blocks", vertices.length).map((block) => work.big(block, "a block"));
  const pair = listOf(value.get("pair"), "pair", 2).map((vertex) => work.index(vertex, "a vertex of the pair", vertices.length));
  const connected = components(pair[0], (vertex) => [...graph[vertex].values()]);
  insist(connected.length === 1 && connected[0].length === vertices.length, "the vertices do not all reach each other");
  const joined = new Groups(vertices.length);
  if (reason === "joins") checkJoins(value.get("joins"), graph, blocks, work, joined);
  else for (const chain of listOf(value.get("chains"), "chains")) joined.join(...checkChain(chain, graph, blocks, work));
  const first = new Map();
  blocks.forEach((block, vertex) => {
    if (!first.has(block)) first.set(block, vertex);
    const root = first.get(block);
    insist(vertices[root].anchor === vertices[vertex].anchor, "a block joins vertices of different anchors");
    insist(joined.root(root) === joined.root(vertex), "no chain joins two vertices of one block");
  });
  const suffix = work.word(value.get("suffix"), "the suffix", letters);
  insist(blocks[pair[0]] === blocks[pair[1]], "the two states are not in one block");
  const [one, two] = pair.map((vertex) => outputs[follow(vertices[vertex].q, suffix)]);
  insist(one !== two && one !== FREE && two !== FREE, "the suffix does not tell the two states apart");
}

function checkWords(anchors, arrows, className) {
  if (className === "plain") {
    insist(anchors.length === 1 && anchors[0].length === 0, "a plain refutation has the empty anchor");
    insist(arrows.every(({ word }) => word.length === 1), "a plain refutation has single letters as arrows");
    return;
  }
  const period = anchors.length > 0 ? anchors[0].length : 0;
  insist(period > 0 && anchors.every((word) => word.length === period), "anchors must be non-empty words of one length");
  insist(arrows.every(({ word }) => word.length % period === 0), "the length of an arrow is no multiple of that of the anchors");
}

// The boundary is a multiple of end - start, the total is zero for every arrow and block.
function checkChain(value, graph, blocks, work) {
  fields(value, "a chain", ["start", "end", "multiple", "edges"]);
  const [start, end] = ["start", "end"].map((name) => work.index(value.get(name), `the ${name} of a chain`, blocks.length));
  const multiple = work.big(value.get("multiple"), "the multiple of a chain");
  insist(multiple !== 0n && blocks[start] === blocks[end], "a chain joins nothing");
  const sums = new Map();
  const add = (key, amount) => sums.set(key, (sums.get(key) ?? 0n) + amount);
  add(`at ${start}`, multiple);
  add(`at ${end}`, -multiple);
  for (const edge of listOf(value.get("edges"), "the edges of a chain")) {
    const [arrow, source, amount] = listOf(edge, "an edge", 3).map((x) => work.big(x, "a number of an edge"));
    const target = graph[Number(source)]?.get(Number(arrow));
    insist(target !== undefined, "a chain uses an edge that does not exist");
    add(`at ${target}`, amount);
    add(`at ${source}`, -amount);
    add(`by ${arrow} from ${blocks[Number(source)]}`, amount);
  }
  for (const sum of sums.values()) insist(sum === 0n, `the chain from vertex ${start} to vertex ${end} does not cancel`);
  return [start, end];
}

// Trees of edges, and cycles: edges outside the trees, each closed by its way in its tree. Vertices of a
// block are joined when their ways differ by a combination of the totals of cycles.
function checkJoins(value, graph, blocks, work, joined) {
  fields(value, "joins", ["tree", "multiple", "cycles"]);
  const edgeOf = (arrow, source) => {
    const at = work.index(source, "the source of an edge", blocks.length);
    const target = graph[at].get(Number(work.big(arrow, "an arrow of an edge")));
    insist(target !== undefined, "a join uses an edge that does not exist");
    return { source: at, target, group: `${arrow} ${blocks[at]}` };
  };
  const nodes = new Map(); // vertex -> { root, above, group, sign, depth }, those above first
  for (const item of listOf(value.get("tree"), "the tree")) {
    const { source, target, group } = edgeOf(...listOf(item, "an edge of a tree", 2));
    if (!nodes.has(source) && !nodes.has(target)) nodes.set(source, { root: source, above: null, depth: 0 });
    insist(nodes.has(source) !== nodes.has(target), "an edge of a tree closes a cycle");
    const [above, below, sign] = nodes.has(source) ? [source, target, 1n] : [target, source, -1n];
    const { root, depth } = nodes.get(above);
    nodes.set(below, { root, above, group, sign, depth: depth + 1 });
  }
  const multiple = work.big(value.get("multiple"), "the multiple of cycles");
  insist(multiple !== 0n, "the multiple of cycles is 0");
  const cycles = new Map();
  for (const cycle of listOf(value.get("cycles"), "cycles")) {
    fields(cycle, "a cycle", ["pivot", "edges"]);
    const pivot = listOf(cycle.get("pivot"), "a pivot", 2).map((x) => work.big(x, "a pivot's number")).join(" ");
    insist(!cycles.has(pivot), "two cycles have one pivot");
    const totals = new Map();
    const add = (group, amount) => totals.set(group, (totals.get(group) ?? 0n) + amount);
    for (const item of listOf(cycle.get("edges"), "the edges of a cycle")) {
      const [arrow, place, factor] = listOf(item, "an edge", 3);
      const { source, target, group } = edgeOf(arrow, place);
      const amount = work.big(factor, "an amount");
      insist(nodes.has(source) && nodes.get(source).root === nodes.get(target)?.root, "an edge of a cycle leads from one tree to another");
      add(group, amount);
      const ends = { up: source, down: target };
      while (ends.up !== ends.down) {
        work.spend(1);
        const side = nodes.get(ends.up).depth < nodes.get(ends.down).depth ? "down" : "up";
        const node = nodes.get(ends[side]);
        add(node.group, side === "up" ? node.sign * amount : -node.sign * amount);
        ends[side] = node.above;
      }
    }
    cycles.set(pivot, totals);
  }
  for (const [pivot, totals] of cycles) {
    work.spend(totals.size);
    insist(totals.get(pivot) === multiple, "a cycle does not have the multiple at its pivot");
    for (const [group, total] of totals) insist(group === pivot || total === 0n || !cycles.has(group), "a cycle has something at the pivot of another");
  }
  const rest = remainders(nodes, multiple, cycles, work);
  const first = new Map();
  blocks.forEach((block, vertex) => {
    if (!first.has(block)) first.set(block, vertex);
    const other = first.get(block);
    if (other === vertex) return;
    insist(nodes.has(vertex) && nodes.get(vertex).root === nodes.get(other)?.root, "no tree joins two vertices of one block");
    work.spend(1 + rest.get(vertex).size);
    insist(sameTotals(rest.get(vertex), rest.get(other)), "the ways to two vertices of one block do not cancel");
    joined.join(other, vertex);
  });
}

// What is left of the way to each vertex, times the multiple, once combinations of cycles are taken off.
function remainders(nodes, multiple, cycles, work) {
  const changes = new Map();
  for (const [pivot, totals] of cycles) {
    const others = [...totals].filter(([group, total]) => group !== pivot && total !== 0n);
    changes.set(pivot, others.map(([group, total]) => [group, -total]));
  }
  const rest = new Map();
  for (const [vertex, { above, group, sign }] of nodes) {
    if (above === null) {
      rest.set(vertex, new Map());
      continue;
    }
    const before = rest.get(above);
    const change = changes.get(group) ?? [[group, multiple]];
    if (change.length === 0) {
      rest.set(vertex, before);
      continue;
    }
    work.spend(before.size + change.length);
    const after = new Map(before);
    for (const [other, amount] of change) {
      const sum = (after.get(other) ?? 0n) + sign * amount;
      if (sum === 0n) after.delete(other);
      else after.set(other, sum);
    }
    rest.set(vertex, after);
  }
  return rest;
}

function sameTotals(one, two) {
  return one === two || (one.size === two.size && [...one].every(([group, total]) => two.get(group) === total));
}

// Union and find.
class Groups {
  constructor(size) {
    this.parent = Array.from({ length: size }, (_, at) => at);
  }

  root(at) {
    while (this.parent[at] !== at) {
      this.parent[at] = this.parent[this.parent[at]];
      at = this.parent[at];
    }
    return at;
  }

  join(one, two) {
    this.parent[this.root(one)] = this.root(two);
  }
}
