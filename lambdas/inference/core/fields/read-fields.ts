/** Reads a request by the table of its format, in one pass: what it needs of a route, and which of its fields leave. */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Need } from './need.ts';
import { type FieldContext, type FieldNode, type FieldTable, joined } from './table.ts';

/** The needs of a request, and those of its fields that not every route gets. */
export interface RequestFields {
  readonly needs: readonly Need[];
  /** The fields that the protocol does not document. */
  readonly undocumented: readonly UndocumentedField[];
  /** The patterns of documented fields that only routes of the format's own protocol get. */
  readonly unconvertedFields: ReadonlySet<string>;
  /** The patterns of documented fields that only routes of OpenAI's protocols get. */
  readonly openaiFields: ReadonlySet<string>;
}

interface UndocumentedField {
  readonly pattern: string;
  /** The needs that a route must meet to get the field. */
  readonly needs: readonly Need[];
  readonly isConverted: boolean;
}

/** Decides whether an undocumented field, by its pattern, is forwarded. */
export type TakesField = (pattern: string) => boolean;

/**
 * Reads a request. Returns its needs and `body`, the request to forward. `body` has the documented fields and those
 * that `takes` accepts. Returns the request itself if it has no other fields. Never throws.
 */
export function readFields(
  table: FieldTable,
  request: JsonObject,
  takes: TakesField = () => false,
): RequestFields & { readonly body: JsonObject } {
  const reader = new RequestReader(request, takes);
  const body = reader.readObject(table.root, request);
  const { needs, unconvertedFields, openaiFields, undocumented } = reader;
  return { body, needs, unconvertedFields, openaiFields, undocumented: [...undocumented.values()] };
}

/** Limits the length of a caller-defined field name in a path. No route takes an undocumented field with a longer name. */
const MAX_NAME_LENGTH = 64;

/** Far more unknown names than any caller reads; a request with more loses the others without a word. */
const MAX_UNKNOWN = 1_000;

/**
 * Returns a caller's name as a part of a pattern. A name that could be read as the path of another field, or that is cut,
 * becomes one that no route can list.
 */
function partOf(name: string): string {
  if (name.length > MAX_NAME_LENGTH) return `${name.slice(0, MAX_NAME_LENGTH)}…`;
  return /[.[\]]/.test(name) ? `"${name}"` : name;
}

/** An undocumented field in an object of that pattern. */
interface FieldLocation {
  readonly pattern: string;
  readonly field: FieldNode | undefined;
  readonly name: string;
  readonly object: JsonObject;
}

/** Reads to any depth, which the check of a body's shape has limited before it was parsed. */
class RequestReader implements FieldContext {
  readonly needs: Need[] = [];
  readonly unconvertedFields = new Set<string>();
  readonly openaiFields = new Set<string>();
  readonly undocumented = new Map<string, UndocumentedField & { readonly needs: Need[] }>();
  readonly body: JsonObject;
  parent: JsonObject;
  readonly #takes: TakesField;
  readonly #path: (string | number)[] = [];
  /**
   * The undocumented field that is currently read. Its nested fields are not validated, and its needs are recorded
   * separately.
   */
  #within: { readonly needs: Need[] } | undefined;
  /** The number of undocumented fields that are forwarded so far. */
  #taken = 0;

  constructor(body: JsonObject, takes: TakesField) {
    this.body = body;
    this.parent = body;
    this.#takes = takes;
  }

  /** Built on demand: most fields need nothing. */
  get param(): string {
    return this.#path.reduce<string>(
      (path, step) =>
        typeof step === 'number' ? `${path}[${step}]` : joined(path, step.slice(0, MAX_NAME_LENGTH)),
      '',
    );
  }

  /** Returns the object to forward. */
  readObject({ pattern, children }: FieldNode, object: JsonObject): JsonObject {
    let changes: Map<string, unknown> | undefined;
    for (const name of Object.keys(object)) {
      const field = children.get(name);
      const original = object[name];
      if (field?.isDocumented !== true && this.#within === undefined) {
        // A lossless number is an object whose one field is no field of the request.
        if (!isJsonObject(object)) return object;
        const value = this.#readUndocumented({ pattern, field, name, object });
        if (value === original) continue;
        changes ??= new Map();
        changes.set(name, value);
      } else if (field !== undefined && original !== null && original !== undefined) {
        if (field.isConverted === false) this.unconvertedFields.add(field.pattern);
        // A value that means the default is not lost.
        if (field.isConverted === 'openai' && original !== 'auto') this.openaiFields.add(field.pattern);
        if (field.isPlain) continue;
        this.#path.push(name);
        const value = this.#readValue(field, original, object);
        this.#path.pop();
        if (value === original) continue;
        changes ??= new Map();
        changes.set(name, value);
      }
    }
    if (changes === undefined) return object;
    const fields = Object.entries(object).map(([name, value]) => [
      name,
      changes.has(name) ? changes.get(name) : value,
    ]);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  }

  /** Returns what is forwarded of an undocumented field: all of it, the taken fields of a container, or undefined. */
  #readUndocumented(location: FieldLocation): unknown {
    const { field, name, object } = location;
    const value = object[name];
    if (field?.isContainer !== true || !isJsonObject(value))
      return this.#takesField(location) ? value : undefined;
    const takenBefore = this.#taken;
    this.#path.push(name);
    const part = this.readObject(field, value);
    this.#path.pop();
    return this.#taken === takenBefore ? undefined : part;
  }

  /** Reads an undocumented field, and returns whether it is forwarded. A field that is null counts as absent. */
  #takesField({ pattern: parent, field, name, object }: FieldLocation): boolean {
    const value = object[name];
    if (value === null || value === undefined) return false;
    const pattern = joined(parent, partOf(name));
    let entry = this.undocumented.get(pattern);
    if (entry === undefined) {
      if (field === undefined && this.undocumented.size >= MAX_UNKNOWN) return false;
      entry = { pattern, needs: [], isConverted: field?.isConverted === true };
      this.undocumented.set(pattern, entry);
    }
    if (field !== undefined) {
      this.#within = entry;
      this.#path.push(name);
      this.#readValue(field, value, object);
      this.#path.pop();
      this.#within = undefined;
    }
    // A container of any other type than an object could hold fields that the route does not list.
    const isTaken = field?.isContainer !== true && this.#takes(pattern);
    if (isTaken) this.#taken += 1;
    return isTaken;
  }

  #readValue(field: FieldNode, value: unknown, parent: JsonObject): unknown {
    for (const read of field.readers) {
      this.parent = parent;
      for (const need of read(value, this)) this.#add(need);
    }
    const { children, element } = field;
    if (Array.isArray(value)) {
      // Servers may take an object within more arrays than are documented.
      const inner = element ?? (children.size === 0 ? undefined : field);
      return inner === undefined ? value : this.#readElements(inner, value, parent);
    }
    if (children.size > 0)
      return typeof value === 'object' ? this.readObject(field, value as JsonObject) : value;
    // Servers may take one element without its array: parsers of protobuf's JSON do.
    return element === undefined ? value : this.#readValue(element, value, parent);
  }

  isNeeded(kind: Need['kind'], name: string): boolean {
    const { needs } = this.#within ?? this;
    return needs.some((need) => need.kind === kind && 'name' in need && need.name === name);
  }

  /** Lists an ability once, by the first field that needs it. */
  #add(need: Need): void {
    const isAbility = need.kind === 'capability' || need.kind === 'feature';
    if (isAbility && this.isNeeded(need.kind, need.name)) return;
    (this.#within ?? this).needs.push(need);
  }

  #readElements(element: FieldNode, values: readonly unknown[], parent: JsonObject): unknown {
    let changed: unknown[] | undefined;
    for (let index = 0; index < values.length; index += 1) {
      const original = values[index];
      if (original === null) continue;
      this.#path.push(index);
      const value = this.#readValue(element, original, parent);
      this.#path.pop();
      if (value === original) continue;
      changed ??= [...values];
      changed[index] = value;
    }
    return changed ?? values;
  }
}
