/** Update and projection expressions, parsed once for each text. An update makes a new item and leaves the old one as it is. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../../../lambdas/platform/dynamodb/attribute-values.ts';
import {
  type AttributePath,
  type ExpressionScope,
  InvalidExpression,
  nameOf,
  type Operand,
  parseAssigned,
  parseOperand,
  parsePath,
  Tokens,
  valueAt,
} from './syntax.ts';
import { stored, sum } from './values.ts';

interface Action {
  readonly path: AttributePath;
  /** The new value; undefined removes the attribute. */
  readonly value: Operand | undefined;
}

const CLAUSES = /^(SET|REMOVE|ADD|DELETE)$/;

const updates = new Map<string, readonly Action[]>();
const projections = new Map<string, readonly AttributePath[]>();

function parseUpdate(expression: string): readonly Action[] {
  const tokens = new Tokens(expression);
  const actions: Action[] = [];
  while (tokens.next !== '') {
    const clause = tokens.take().toUpperCase();
    if (!CLAUSES.test(clause)) throw new InvalidExpression(`${clause} is not supported`);
    actions.push(...tokens.list(() => parseAction(clause, tokens)));
  }
  return actions;
}

function parseAction(clause: string, tokens: Tokens): Action {
  const path = parsePath(tokens);
  if (clause === 'REMOVE') return { path, value: undefined };
  if (clause === 'SET') {
    tokens.expect('=');
    const assigned = parseAssigned(tokens);
    return {
      path,
      value: (scope) => {
        const value = assigned(scope);
        if (value === undefined) throw new InvalidExpression('an operand is not in the item');
        return value;
      },
    };
  }
  const operand = parseOperand(tokens);
  const combine = clause === 'ADD' ? add : without;
  return { path, value: (scope) => combine(valueAt(path, scope), operand(scope)) };
}

/** `ADD` of a number, or of a set's elements. */
function add(before: AttributeValue | undefined, added: AttributeValue | undefined): AttributeValue {
  const [set, number] = before === undefined ? [[], '0'] : [before.SS, before.N];
  if (added?.SS !== undefined && set !== undefined) return { SS: [...new Set([...set, ...added.SS])] };
  if (added?.N === undefined || number === undefined)
    throw new InvalidExpression('ADD needs numbers or sets');
  return { N: sum(number, added.N, 1) };
}

/** `DELETE` of a set's elements; a set without any is removed. */
function without(
  before: AttributeValue | undefined,
  removed: AttributeValue | undefined,
): AttributeValue | undefined {
  if (before === undefined) return undefined;
  const elements = removed?.SS;
  if (elements === undefined || before.SS === undefined) throw new InvalidExpression('DELETE needs sets');
  const rest = before.SS.filter((element) => !elements.includes(element));
  return rest.length === 0 ? undefined : { SS: rest };
}

/** The item after the update; every operand has its value as before it. Throws `InvalidExpression`. */
export function update(expression: string, scope: ExpressionScope): Item {
  let item = scope.item;
  const actions = cached(updates, expression, parseUpdate).map(({ path, value }) => ({
    names: path.map((part) => nameOf(part, scope.names)),
    value: storedOptional(value?.(scope)),
  }));
  for (const { names, value } of actions) item = replace(item, names, value);
  return item;
}

const storedOptional = (value: AttributeValue | undefined): AttributeValue | undefined =>
  value === undefined ? undefined : stored(value);

function replace(
  item: Item,
  [name = '', ...rest]: readonly string[],
  value: AttributeValue | undefined,
): Item {
  if (rest.length === 0) {
    if (value !== undefined) return { ...item, [name]: value };
    const { [name]: _removed, ...others } = item;
    return others;
  }
  const inner = item[name]?.M;
  if (inner === undefined && value === undefined) return item;
  if (inner === undefined) throw new InvalidExpression('the path is not in the item');
  return { ...item, [name]: { M: replace(inner, rest, value) } };
}

/** The paths that an update expression sets or removes. */
export const updatedPaths = (expression: string): readonly AttributePath[] =>
  cached(updates, expression, parseUpdate).map(({ path }) => path);

/** The paths of a projection expression. */
export const projectedPaths = (expression: string): readonly AttributePath[] =>
  cached(projections, expression, (text) => {
    const tokens = new Tokens(text);
    return tokens.list(() => parsePath(tokens));
  });

/** The part of an item that the paths lead to, as far as it has them. */
export function project(paths: readonly AttributePath[], scope: ExpressionScope): Item {
  let projected: Item = {};
  for (const path of paths) {
    const value = valueAt(path, scope);
    if (value !== undefined)
      projected = insert(
        projected,
        path.map((part) => nameOf(part, scope.names)),
        value,
      );
  }
  return projected;
}

const insert = (item: Item, [name = '', ...rest]: readonly string[], value: AttributeValue): Item => ({
  ...item,
  [name]: rest.length === 0 ? value : { M: insert(item[name]?.M ?? {}, rest, value) },
});

function cached<T>(cache: Map<string, T>, text: string, parse: (text: string) => T): T {
  let parsed = cache.get(text);
  if (parsed === undefined) {
    parsed = parse(text);
    cache.set(text, parsed);
  }
  return parsed;
}
