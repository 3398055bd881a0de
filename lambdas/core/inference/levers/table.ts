/**
 * Tables of levers: which fields of a protocol's request ask for something with a price of its own. A pattern is a path
 * from the request's root: names with dots between them, `[]` for each element of an array, and `*` at the end for
 * every field that no other pattern of that place names. Patterns never lead into JSON of the caller's own.
 */
import type { JsonObject } from '../../json/lossless-json.ts';
import type { Demand } from './demand.ts';

/** Where a reader stands while it reads. */
export interface Place {
  /** The object that holds the field. */
  readonly holder: JsonObject;
  /** The whole request. */
  readonly body: JsonObject;
  /** The field's path in this request: `tools[1].type`. */
  readonly param: string;
}

/** The demands in a field's value, which is never null or undefined. */
export type Reader = (value: unknown, place: Place) => readonly Demand[];

export interface Lever {
  /** The field as the documentation names it; its pattern too, where `at` does not say others. */
  readonly field: string;
  readonly at?: readonly string[];
  readonly read: Reader;
  /** Of a pattern with `*`: fields that ask for nothing. */
  readonly except?: readonly string[];
  /** The hosts that know the field, where the protocol's own schema does not have it. */
  readonly hosts?: string;
}

export interface LeverTable {
  readonly levers: readonly Lever[];
  readonly root: Branch;
}

/** A step along the patterns. */
interface Branch {
  readonly readers: Reader[];
  readonly fields: { readonly name: string; readonly branch: Branch }[];
  element?: Branch;
  /** What reads the fields that are not in `fields`, and the names that ask for nothing. */
  rest?: { readonly read: Reader; readonly except: ReadonlySet<string> };
}

/** Every spelling of a name that a protocol takes; most know one. */
export type Spellings = (name: string) => readonly string[];

const asWritten: Spellings = (name) => [name];

export const patternsOf = ({ field, at }: Lever): readonly string[] => at ?? [field];

/** Throws for a pattern that goes on after `*`. */
export function leverTable(levers: readonly Lever[], spellings: Spellings = asWritten): LeverTable {
  const root: Branch = { readers: [], fields: [] };
  for (const lever of levers) for (const pattern of patternsOf(lever)) plant(root, pattern, lever, spellings);
  return { levers, root };
}

function plant(root: Branch, pattern: string, { read, except = [] }: Lever, spellings: Spellings): void {
  let branch = root;
  const steps = pattern.split('.');
  steps.forEach((step, index) => {
    const name = step.replaceAll('[]', '');
    if (name === '*') {
      if (index !== steps.length - 1) throw new Error(`${pattern} goes on after *`);
      branch.rest = { read, except: new Set(except.flatMap(spellings)) };
      return;
    }
    branch = fieldOf(branch, spellings(name));
    for (let depth = step.length - name.length; depth > 0; depth -= 2)
      branch = branch.element ??= { readers: [], fields: [] };
    if (index === steps.length - 1) branch.readers.push(read);
  });
}

function fieldOf({ fields }: Branch, names: readonly string[]): Branch {
  const found = fields.find(({ name }) => name === names[0]);
  if (found !== undefined) return found.branch;
  const branch: Branch = { readers: [], fields: [] };
  fields.push(...names.map((name) => ({ name, branch })));
  return branch;
}

/**
 * Everything in the request that the table's levers ask for, in one walk along their patterns; no deeper than the
 * deepest of them, whatever the request holds. Never throws.
 */
export function demandsOf(table: LeverTable, body: JsonObject): readonly Demand[] {
  const walk = new Walk(body);
  walk.visit(table.root, body, body);
  return walk.demands;
}

/** A name of the caller's own choice is shown this far. */
const MAX_NAME = 64;

class Walk implements Place {
  readonly demands: Demand[] = [];
  readonly body: JsonObject;
  holder: JsonObject;
  readonly #path: (string | number)[] = [];

  constructor(body: JsonObject) {
    this.body = body;
    this.holder = body;
  }

  get param(): string {
    return this.#path.reduce<string>((path, step) => {
      if (typeof step === 'number') return `${path}[${step}]`;
      return path === '' ? step : `${path}.${step}`;
    }, '');
  }

  visit(branch: Branch, value: unknown, holder: JsonObject): void {
    if (value === null || value === undefined) return;
    for (const read of branch.readers) this.#read(read, value, holder);
    if (branch.element !== undefined) this.#elements(branch.element, value, holder);
    if (branch.fields.length === 0 && branch.rest === undefined) return;
    if (typeof value === 'object' && !Array.isArray(value)) this.#fields(branch, value as JsonObject);
  }

  /** Some servers take one element without its array (protobuf's JSON readers do), so that one is read as well. */
  #elements(branch: Branch, value: unknown, holder: JsonObject): void {
    if (!Array.isArray(value)) {
      this.visit(branch, value, holder);
      return;
    }
    for (let index = 0; index < value.length; index += 1) {
      this.#path.push(index);
      this.visit(branch, value[index], holder);
      this.#path.pop();
    }
  }

  #fields({ fields, rest }: Branch, holder: JsonObject): void {
    for (const { name, branch } of fields) {
      if (!Object.hasOwn(holder, name)) continue;
      this.#path.push(name);
      this.visit(branch, holder[name], holder);
      this.#path.pop();
    }
    if (rest === undefined) return;
    for (const [name, value] of Object.entries(holder)) {
      if (value === null || value === undefined || rest.except.has(name)) continue;
      if (fields.some((field) => field.name === name)) continue;
      this.#path.push(name.slice(0, MAX_NAME));
      this.#read(rest.read, value, holder);
      this.#path.pop();
    }
  }

  #read(read: Reader, value: unknown, holder: JsonObject): void {
    this.holder = holder;
    for (const demand of read(value, this)) this.demands.push(demand);
  }
}
