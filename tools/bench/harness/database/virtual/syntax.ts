/** The tokens of DynamoDB's expressions, and the paths and operands that every kind of expression has. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../../../lambdas/platform/dynamodb/attribute-values.ts';
import { sizeOf, sum } from './values.ts';

/** The scope of an expression: an item, and the names and values of its placeholders. */
export interface ExpressionScope {
  readonly item: Item;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Item;
}

/** Names and placeholders of names along maps. */
export type AttributePath = readonly string[];

/** The value of an operand; undefined when the item has no such attribute. */
export type Operand = (scope: ExpressionScope) => AttributeValue | undefined;

/** The request is wrong, whatever the item: DynamoDB's `ValidationException`. */
export class InvalidExpression extends Error {}

const TOKEN = /\s*(<=|>=|<>|[=<>(),.+-]|[#:]?\w+)/y;

export class Tokens {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    const tokens: string[] = [];
    const trimmed = text.trim();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < trimmed.length) {
      const token = TOKEN.exec(trimmed)?.[1];
      if (token === undefined) throw new InvalidExpression(`not understood: ${text}`);
      tokens.push(token);
    }
    this.#tokens = tokens;
  }

  get next(): string {
    return this.#tokens[this.#at] ?? '';
  }

  /** Returns whether the token after the next one equals `token`. */
  isFollowedBy(token: string): boolean {
    return this.#tokens[this.#at + 1] === token;
  }

  take(): string {
    const token = this.next;
    if (token === '') throw new InvalidExpression('an expression ends too soon');
    this.#at += 1;
    return token;
  }

  /** Takes a keyword or a sign, if it is the next token. */
  accept(expected: string): boolean {
    if (this.next.toUpperCase() !== expected) return false;
    this.#at += 1;
    return true;
  }

  expect(expected: string): void {
    if (!this.accept(expected)) throw new InvalidExpression(`${expected} is expected, not ${this.next}`);
  }

  /** Returns the result of `parse`, and another one for each comma that follows. */
  list<T>(parse: () => T): T[] {
    const parsed = [parse()];
    while (this.accept(',')) parsed.push(parse());
    return parsed;
  }
}

export function parsePath(tokens: Tokens): AttributePath {
  const path = [tokens.take()];
  while (tokens.accept('.')) path.push(tokens.take());
  return path;
}

/** The attribute's name that a part of a path stands for. */
export function nameOf(part: string, names: ExpressionScope['names']): string {
  if (!part.startsWith('#')) return part;
  const name = names[part];
  if (name === undefined) throw new InvalidExpression(`${part} is not defined`);
  return name;
}

export function valueAt(path: AttributePath, { item, names }: ExpressionScope): AttributeValue | undefined {
  let value: AttributeValue | undefined = { M: item };
  for (const part of path) value = value?.M?.[nameOf(part, names)];
  return value;
}

/** A path or a placeholder of a value. */
export function parseOperand(tokens: Tokens): Operand {
  if (tokens.next.startsWith(':')) {
    const name = tokens.take();
    return ({ values }) => {
      const value = values[name];
      if (value === undefined) throw new InvalidExpression(`${name} is not defined`);
      return value;
    };
  }
  const path = parsePath(tokens);
  return (scope) => valueAt(path, scope);
}

/** `size(path)`. */
export function parseSize(tokens: Tokens): Operand {
  tokens.take();
  tokens.expect('(');
  const operand = parseOperand(tokens);
  tokens.expect(')');
  return (scope) => {
    const value = operand(scope);
    const size = value === undefined ? undefined : sizeOf(value);
    return size === undefined ? undefined : { N: String(size) };
  };
}

/** Parses the value that `SET` assigns: an operand or `if_not_exists`, alone or as a sum or difference of two. */
export function parseAssigned(tokens: Tokens): Operand {
  const left = parseTerm(tokens);
  if (tokens.next !== '+' && tokens.next !== '-') return left;
  const sign = tokens.take() === '+' ? 1 : -1;
  const right = parseTerm(tokens);
  return (scope) => {
    const [a, b] = [left(scope)?.N, right(scope)?.N];
    if (a === undefined || b === undefined) throw new InvalidExpression('a sum needs two numbers');
    return { N: sum(a, b, sign) };
  };
}

function parseTerm(tokens: Tokens): Operand {
  if (!tokens.isFollowedBy('(')) return parseOperand(tokens);
  tokens.expect('IF_NOT_EXISTS');
  tokens.expect('(');
  const path = parsePath(tokens);
  tokens.expect(',');
  const otherwise = parseOperand(tokens);
  tokens.expect(')');
  return (scope) => valueAt(path, scope) ?? otherwise(scope);
}
