/** TypeScript modules as the mutants need them: swc's syntax tree, with the text that belongs to each node. */
import { parseSync } from '@swc/core';

/** A place in a module's text: bytes of its UTF-8, the end not included. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export interface SyntaxNode {
  readonly type: string;
  readonly span?: TextSpan;
  readonly [field: string]: unknown;
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** swc counts bytes from 1. Members of objects have no span: they begin with their first part and end with their last. */
export function placeOf(node: SyntaxNode): TextSpan {
  if (node.span !== undefined) return fromSwc(node.span);
  const spans = Object.values(node).flatMap((part) =>
    isNode(part) ? [placeOf(part)] : isSpan(part) ? [fromSwc(part)] : [],
  );
  return {
    start: Math.min(...spans.map(({ start }) => start)),
    end: Math.max(...spans.map(({ end }) => end)),
  };
}

const fromSwc = ({ start, end }: TextSpan): TextSpan => ({ start: start - 1, end: end - 1 });

const isSpan = (value: unknown): value is TextSpan =>
  typeof value === 'object' && value !== null && typeof (value as TextSpan).start === 'number';

export class ModuleSource {
  readonly tree: readonly SyntaxNode[];
  readonly #bytes: Buffer;

  constructor(text: string) {
    this.tree = parseSync(text, { syntax: 'typescript', target: 'es2024' }).body as unknown as SyntaxNode[];
    this.#bytes = Buffer.from(text);
  }

  textOf({ start, end }: TextSpan): string {
    return this.#bytes.toString('utf8', start, end);
  }

  /** From 1. */
  lineOf({ start }: TextSpan): number {
    return this.textOf({ start: 0, end: start }).split('\n').length;
  }

  with({ start, end }: TextSpan, replacement: string): string {
    return `${this.textOf({ start: 0, end: start })}${replacement}${this.#bytes.toString('utf8', end)}`;
  }

  /** The place of a piece of text within another one; undefined where it is not. */
  find(snippet: string, within: TextSpan): TextSpan | undefined {
    const at = this.#bytes.indexOf(snippet, within.start);
    const end = at + Buffer.byteLength(snippet);
    return at < 0 || end > within.end ? undefined : { start: at, end };
  }

  /** The specifiers of the relative modules that are imported or re-exported, types left out. */
  get imports(): readonly string[] {
    return this.tree.flatMap((node) => {
      const { source } = node as { source?: { value?: unknown } };
      const specifier = node.typeOnly === true ? undefined : source?.value;
      return typeof specifier === 'string' && specifier.startsWith('.') ? [specifier] : [];
    });
  }
}

/** Returns whether a node exists only for the compiler, so that a mutation of it changes nothing. */
const isErased = ({ type }: SyntaxNode): boolean =>
  (type.startsWith('Ts') && !/Ts(As|Satisfies|NonNull)Expression|TsConstAssertion/.test(type)) ||
  type === 'ImportDeclaration';

/** Every node that runs, parents first. */
export function* runningNodes(tree: unknown): Generator<SyntaxNode> {
  if (Array.isArray(tree)) {
    for (const element of tree) yield* runningNodes(element);
  } else if (typeof tree === 'object' && tree !== null) {
    if (isNode(tree)) {
      if (isErased(tree)) return;
      yield tree;
    }
    for (const value of Object.values(tree)) if (typeof value === 'object') yield* runningNodes(value);
  }
}
