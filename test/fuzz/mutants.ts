/**
 * Malformed JSON out of valid JSON, by a seed: types swapped, fields moved, copied, renamed and doubled, values no
 * schema thinks of. A tree of its own, because an object of the language holds no key twice and no long numbers.
 */

/** Text that stands in JSON as it is. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An object whose names may be doubled. */
export class Fields {
  readonly entries: [string, Node][];
  constructor(entries: [string, Node][]) {
    this.entries = entries;
  }
}

export type Node = Raw | Fields | Node[];

export function nodeOf(value: unknown): Node {
  if (Array.isArray(value)) return value.map(nodeOf);
  if (typeof value === 'object' && value !== null)
    return new Fields(Object.entries(value).map(([name, inner]) => [name, nodeOf(inner)]));
  return new Raw(JSON.stringify(value) ?? 'null');
}

export function textOf(node: Node): string {
  if (node instanceof Raw) return node.text;
  if (Array.isArray(node)) return `[${node.map(textOf).join(',')}]`;
  return `{${node.entries.map(([name, inner]) => `${JSON.stringify(name)}:${textOf(inner)}`).join(',')}}`;
}

const lines = (text: string): string[] => text.split(' ');

const NUMBERS = lines(
  '0 -0 -1 1 1.5 2 129 255 1e3 1e-7 1e999 -1e999 1E400 0.1e-400 2147483648 9007199254740991 9007199254740993 ' +
    '12345678901234567890 -12345678901234567890',
);

const PROTOTYPE = lines('__proto__ constructor prototype toString valueOf hasOwnProperty then toJSON');

const KINDS = lines(
  'text image image_url tool_use tool_result document function base64 url refusal user assistant system tool ' +
    'developer auto none any required json_schema data:image/png;base64, data:image/png;base64,%%% ' +
    'data:;base64,aGk= http:// file:///a {"a": [[[[ 1e999 ../passwd <script> NaN null true',
);

const LETTERS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u2028',
  '\ud800',
  '\udc00x',
  '\ud83d\udca5',
  '\u202eabc',
  'https://x y',
];

const STRINGS = [...PROTOTYPE, ...KINDS, ...LETTERS, '\r\n\r\nevent: message_stop\r\n'].map((text) =>
  JSON.stringify(text),
);

/** Long or deep: each costs what a hundred others do, so they are few. */
const HUGE = [
  'x'.repeat(20_000),
  '{"a":'.repeat(2_000),
  `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  `[${'{},'.repeat(5_000)}{}]`,
].map((text) => JSON.stringify(text));

const LITERALS = lines('null true false [] {} [null] [[]] [{}] {"type":5} {"url":5} ""');

const NAMES = [
  ...PROTOTYPE,
  ...lines(
    'length 0 -1 $ref type role content text image_url refusal url source input name id function stream n',
  ),
  ...lines('tool_calls function_call tool_call_id provider models'),
  '',
  ' ',
];

export class Mutator {
  readonly #random: () => number;
  /** Pieces of valid requests, which are put where they do not belong. */
  readonly #nodes: readonly Node[];
  readonly #names: readonly string[];

  constructor(random: () => number, corpus: readonly unknown[]) {
    this.#random = random;
    this.#nodes = corpus.flatMap((value) => all(nodeOf(value)));
    const entries = this.#nodes.flatMap((node) => (node instanceof Fields ? node.entries : []));
    this.#names = [...NAMES, ...new Set(entries.map(([name]) => name))];
  }

  /** A request with one to three things wrong with it, or, now and then, nothing. */
  mutant(value: unknown): Node {
    const root = [nodeOf(value)];
    const faults = 1 + Math.floor(this.#random() ** 2 * 3);
    for (let done = 0; done < faults; done += 1) this.#spoil(root);
    return root[0] ?? new Raw('null');
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)] as T;
  }

  chance(share: number): boolean {
    return this.#random() < share;
  }

  #spoil(root: Node[]): void {
    const holders = all(root).filter((node) => !(node instanceof Raw));
    // The outermost fields are few and decide most, so they are met more often than their share.
    const outermost = root[0];
    const holder = this.chance(0.25) && outermost instanceof Fields ? outermost : this.pick(holders);
    // What is sent is one value, whatever it is.
    if (holder === root) root[0] = this.chance(0.2) ? this.#odd() : (outermost ?? this.#odd());
    else if (Array.isArray(holder)) this.#spoilList(holder);
    else if (holder instanceof Fields) this.#spoilFields(holder);
  }

  #spoilList(list: Node[]): void {
    const at = Math.floor(this.#random() * (list.length + 1));
    this.pick([
      () => list.splice(at, 1, this.#odd()),
      () => list.splice(at, 0, this.#odd()),
      () => list.splice(at, 1),
      () => list.push(...list.slice(at).map(copyOf)),
      () => list.push(...Array.from({ length: 150 }, () => copyOf(list[at] ?? this.#odd()))),
    ])();
  }

  #spoilFields({ entries }: Fields): void {
    const at = Math.floor(this.#random() * entries.length);
    const [name, inner] = entries[at] ?? [this.pick(this.#names), this.#odd()];
    this.pick([
      () => entries.splice(at, 1, [name, this.#odd()]),
      () => entries.splice(at, 1, [name, this.#odd()]),
      () => entries.splice(at, 1, [name, this.#kin(inner)]),
      () => entries.splice(at, 1),
      () => entries.splice(at, 1, [this.pick(this.#names), inner]),
      () => entries.push([this.pick(this.#names), this.#odd()]),
      () => entries.push([this.pick(this.#names), this.#odd()]),
      () => entries.push([name, this.#odd()]),
      () => entries.splice(at, 1, [name, [inner]]),
      () => entries.splice(at, 1, [name, deep(inner, this.pick([20, 190, 250, 5_000]))]),
    ])();
  }

  /** Another value of the same type. */
  #kin(node: Node): Node {
    if (!(node instanceof Raw)) return this.#pickNode();
    return new Raw(this.pick(node.text.startsWith('"') ? this.#strings() : NUMBERS));
  }

  #strings(): readonly string[] {
    return this.chance(0.02) ? HUGE : STRINGS;
  }

  /** A copy, because what is spoiled is spoiled in place. */
  #pickNode(): Node {
    return copyOf(this.pick(this.#nodes));
  }

  #odd(): Node {
    return this.pick([
      () => new Raw(this.pick(NUMBERS)),
      () => new Raw(this.pick(this.#strings())),
      () => new Raw(this.pick(LITERALS)),
      () => this.#pickNode(),
      () => new Fields([[this.pick(this.#names), this.#pickNode()]]),
    ])();
  }
}

function copyOf(node: Node): Node {
  if (node instanceof Raw) return node;
  if (Array.isArray(node)) return node.map(copyOf);
  return new Fields(node.entries.map(([name, inner]) => [name, copyOf(inner)]));
}

/** A node and everything within it. */
function all(node: Node): Node[] {
  const nodes = [node];
  for (let at = 0; at < nodes.length; at += 1) {
    const one = nodes[at];
    if (Array.isArray(one)) nodes.push(...one);
    else if (one instanceof Fields) nodes.push(...one.entries.map(([, inner]) => inner));
  }
  return nodes;
}

const deep = (node: Node, levels: number): Node => {
  const inner = textOf(node);
  return new Raw(`${'['.repeat(levels)}${inner}${']'.repeat(levels)}`);
};
