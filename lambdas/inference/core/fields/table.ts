/**
 * Tables of fields, one per API format. A table lists the fields that the protocol of the format documents, which are
 * those that the service forwards, with what each needs of a route.
 *
 * A pattern is a path from the root of the request:
 *
 *   service_tier             the field
 *   tools[].type             the field of each array element; `[]` also matches a single element without its array
 *   tools[].{name,strict}    several fields of one object
 *
 * A field whose own fields are listed has no others. A field without listed fields is forwarded with all that it
 * contains, such as the JSON Schema of a tool. All patterns of a table are compiled into one prefix tree, so a request is
 * read in one pass.
 */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Need } from './need.ts';

/** The field that is currently read. All fields of a request share one context, so a reader must not retain it. */
export interface FieldContext {
  /** The object that contains the field, or the array that it is an element of. */
  readonly parent: JsonObject;
  /** The whole request. */
  readonly body: JsonObject;
  /** The field's path in this request, such as `tools[1].type`. */
  readonly param: string;
  /** Returns whether an earlier field has that need. This check costs less than `param`. */
  isNeeded(kind: Need['kind'], name: string): boolean;
}

/** Returns the needs of a field's value. The value is never null or undefined. */
export type NeedReader = (value: unknown, context: FieldContext) => readonly Need[];

export interface FieldRule {
  readonly at: string | readonly string[];
  readonly needs?: NeedReader;
  /**
   * True if conversion to another protocol preserves the field, `openai` if only OpenAI's protocols have it. Fields of the
   * root are lost unless this is set. Nested fields are preserved unless this is set.
   */
  readonly isConverted?: boolean | 'openai';
  /** The pattern of a field that has the same fields. */
  readonly like?: string;
  /** The vendors that have the field although the protocol does not document it: forwarded to routes that list it. */
  readonly vendors?: string;
  /** True for an object of vendors whose fields are listed one by one, because a route takes only some of them. */
  readonly isContainer?: true;
}

export interface FieldTable {
  readonly rules: readonly FieldRule[];
  readonly root: FieldNode;
}

/** A node of the prefix tree. */
export interface FieldNode {
  readonly pattern: string;
  readonly readers: NeedReader[];
  readonly children: Map<string, FieldNode>;
  /** The node of `[]`. */
  element?: FieldNode;
  isDocumented: boolean;
  /** Nothing in the field is read. */
  isPlain: boolean;
  isContainer?: true;
  isConverted?: boolean | 'openai';
}

const newNode = (pattern: string): FieldNode => ({
  pattern,
  readers: [],
  children: new Map(),
  isDocumented: false,
  isPlain: true,
});

/** A rule with `like` precedes the rules of the fields below its pattern. */
export function fieldTable(rules: readonly FieldRule[]): FieldTable {
  const root = newNode('');
  for (const rule of rules) for (const pattern of patternsOf(rule)) insertRule(root, pattern, rule);
  for (const node of root.children.values()) node.isConverted ??= false;
  return { rules, root };
}

/** The patterns of a rule, one per field. */
export const patternsOf = ({ at }: Pick<FieldRule, 'at'>): readonly string[] =>
  [at].flat().flatMap((pattern) => {
    const [, prefix = '', names] = /^(.*)\{(.*)\}$/.exec(pattern) ?? [];
    return names === undefined ? [pattern] : names.split(',').map((name) => prefix + name);
  });

function insertRule(root: FieldNode, pattern: string, rule: FieldRule): void {
  const { like, needs, isConverted, isContainer, vendors } = rule;
  const node = nodeAt(root, pattern, vendors === undefined);
  if (needs !== undefined) {
    node.readers.push(needs);
    node.isPlain = false;
  }
  if (isConverted !== undefined) node.isConverted = isConverted;
  if (isContainer !== undefined) node.isContainer = isContainer;
  if (like === undefined) return;
  const { children, element } = nodeAt(root, like, true);
  Object.assign(node, { children, isPlain: false, ...(element === undefined ? {} : { element }) });
}

function nodeAt(root: FieldNode, pattern: string, isDocumented: boolean): FieldNode {
  let node = root;
  for (const step of pattern.split('.')) {
    const [name = '', ...brackets] = step.split('[]');
    node.isPlain = false;
    const child = node.children.get(name) ?? newNode(joined(node.pattern, name));
    node.children.set(name, child);
    node = child;
    if (isDocumented) node.isDocumented = true;
    for (const _ of brackets) {
      node.isPlain = false;
      node = node.element ??= newNode(`${node.pattern}[]`);
    }
  }
  return node;
}

export const joined = (pattern: string, name: string): string =>
  pattern === '' ? name : `${pattern}.${name}`;
