/**
 * Tables of levers: which fields of a protocol's request ask for something with a price of its own. A pattern is a path
 * from the request's root: names with dots between them, `[]` for each element of an array, and `*` at the end for
 * every field that no other pattern of that place names. Patterns never lead into JSON of the caller's own.
 */
import { isJsonObject, type JsonObject } from '../../json/lossless-json.ts';
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
  readonly fields: Map<string, Branch>;
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
  const root = newBranch();
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
      branch = branch.element ??= newBranch();
    if (index === steps.length - 1) branch.readers.push(read);
  });
}

const newBranch = (): Branch => ({ readers: [], fields: new Map() });

function fieldOf({ fields }: Branch, names: readonly string[]): Branch {
  const branch = fields.get(names[0] ?? '') ?? newBranch();
  for (const name of names) fields.set(name, branch);
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
      const name = step.slice(0, MAX_NAME);
      return path === '' ? name : `${path}.${name}`;
    }, '');
  }

  visit(branch: Branch, value: unknown, holder: JsonObject): void {
    if (value === null || value === undefined) return;
    for (const read of branch.readers) this.#read(read, value, holder);
    if (branch.element !== undefined) this.#elements(branch.element, value, holder);
    if (branch.fields.size === 0 && branch.rest === undefined) return;
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

  /** By the object's fields, which are fewer than the levers: most parts of a message have two. */
  #fields({ fields, rest }: Branch, holder: JsonObject): void {
    // A number that is kept as its text has no fields (asked here alone, because the question is slow).
    if (rest !== undefined && !isJsonObject(holder)) return;
    for (const name of Object.keys(holder)) {
      const branch = fields.get(name);
      if (branch === undefined && (rest === undefined || rest.except.has(name))) continue;
      const value = holder[name];
      if (value === null || value === undefined) continue;
      this.#path.push(name);
      if (branch !== undefined) this.visit(branch, value, holder);
      else if (rest !== undefined) this.#read(rest.read, value, holder);
      this.#path.pop();
    }
  }

  #read(read: Reader, value: unknown, holder: JsonObject): void {
    this.holder = holder;
    for (const demand of read(value, this)) this.demands.push(demand);
  }
}
