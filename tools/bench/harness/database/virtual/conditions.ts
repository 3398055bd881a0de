/** Condition, filter and key-condition expressions, parsed once for each text. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type ExpressionScope,
  InvalidExpression,
  type Operand,
  parseOperand,
  parsePath,
  parseSize,
  Tokens,
  valueAt,
} from './syntax.ts';
import { compare, contains, equal } from './values.ts';

type Condition = (scope: ExpressionScope) => boolean;

const parsed = new Map<string, Condition>();

/** Returns whether the item meets the condition; throws `InvalidExpression`. */
export function isMet(expression: string, scope: ExpressionScope): boolean {
  let condition = parsed.get(expression);
  if (condition === undefined) {
    const tokens = new Tokens(expression);
    condition = parseOr(tokens);
    if (tokens.next !== '') throw new InvalidExpression(`not understood: ${tokens.next}`);
    parsed.set(expression, condition);
  }
  return condition(scope);
}

function parseOr(tokens: Tokens): Condition {
  const either = [parseAnd(tokens)];
  while (tokens.accept('OR')) either.push(parseAnd(tokens));
  return (scope) => either.some((condition) => condition(scope));
}

function parseAnd(tokens: Tokens): Condition {
  const all = [parseNot(tokens)];
  while (tokens.accept('AND')) all.push(parseNot(tokens));
  return (scope) => all.every((condition) => condition(scope));
}

function parseNot(tokens: Tokens): Condition {
  if (tokens.accept('NOT')) {
    const condition = parseNot(tokens);
    return (scope) => !condition(scope);
  }
  if (tokens.accept('(')) {
    const condition = parseOr(tokens);
    tokens.expect(')');
    return condition;
  }
  return tokens.isFollowedBy('(') && tokens.next.toUpperCase() !== 'SIZE'
    ? parseFunction(tokens)
    : parseComparison(tokens);
}

function parseFunction(tokens: Tokens): Condition {
  const name = tokens.take().toLowerCase();
  tokens.expect('(');
  const path = parsePath(tokens);
  const argument = tokens.accept(',') ? parseOperand(tokens) : () => undefined;
  tokens.expect(')');
  if (name === 'attribute_exists') return (scope) => valueAt(path, scope) !== undefined;
  if (name === 'attribute_not_exists') return (scope) => valueAt(path, scope) === undefined;
  const test = { contains, begins_with: beginsWith }[name];
  if (test === undefined) throw new InvalidExpression(`${name} is not supported`);
  return (scope) => {
    const [whole, part] = [valueAt(path, scope), argument(scope)];
    return whole !== undefined && part !== undefined && test(whole, part);
  };
}

const beginsWith = (whole: AttributeValue, start: AttributeValue): boolean =>
  start.S !== undefined && whole.S?.startsWith(start.S) === true;

const COMPARISONS: Readonly<Record<string, (a: AttributeValue, b: AttributeValue) => boolean>> = {
  '=': equal,
  '<>': (a, b) => !equal(a, b),
  '<': (a, b) => (compare(a, b) ?? 0) < 0,
  '<=': (a, b) => (compare(a, b) ?? 1) <= 0,
  '>': (a, b) => (compare(a, b) ?? 0) > 0,
  '>=': (a, b) => (compare(a, b) ?? -1) >= 0,
};

const parseSide = (tokens: Tokens): Operand =>
  tokens.isFollowedBy('(') ? parseSize(tokens) : parseOperand(tokens);

function parseComparison(tokens: Tokens): Condition {
  const left = parseSide(tokens);
  if (tokens.accept('BETWEEN')) {
    const operand = parseSide(tokens);
    tokens.expect('AND');
    return both(test(left, '>=', operand), test(left, '<=', parseSide(tokens)));
  }
  if (tokens.accept('IN')) {
    tokens.expect('(');
    const any = tokens.list(() => test(left, '=', parseSide(tokens)));
    tokens.expect(')');
    return (scope) => any.some((condition) => condition(scope));
  }
  return test(left, tokens.take(), parseSide(tokens));
}

const both =
  (a: Condition, b: Condition): Condition =>
  (scope) =>
    a(scope) && b(scope);

/** Nothing is equal to an attribute that is absent, or less or more than it. */
function test(left: Operand, sign: string, right: Operand): Condition {
  const compares = COMPARISONS[sign];
  if (compares === undefined) throw new InvalidExpression(`${sign} is not supported`);
  return (scope) => {
    const [a, b] = [left(scope), right(scope)];
    return a === undefined || b === undefined ? sign === '<>' : compares(a, b);
  };
}
