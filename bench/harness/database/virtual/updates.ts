/** Update and projection expressions, parsed once for each text. An update makes a new item and leaves the old one as it is. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../../lambdas/adapters/dynamodb/attribute-values.ts';
import {
  InvalidExpression,
  nameOf,
  type Operand,
  type Path,
  parseAssigned,
  parseOperand,
  parsePath,
  type Scope,
  Tokens,
  valueAt,
} from './syntax.ts';
import { stored, sum } from './values.ts';

interface Action {
  readonly path: Path;
  /** The new value; undefined removes the attribute. */
  readonly value: Operand | undefined;
}

const CLAUSES = /^(SET|REMOVE|ADD)$/;

const updates = new Map<string, readonly Action[]>();
const projections = new Map<string, readonly Path[]>();

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
  const added = parseOperand(tokens);
  return { path, value: (scope) => add(valueAt(path, scope), added(scope)) };
}

/** `ADD` of a number. */
function add(before: AttributeValue | undefined, added: AttributeValue | undefined): AttributeValue {
  const number = before === undefined ? '0' : before.N;
  if (added?.N === undefined || number === undefined) throw new InvalidExpression('ADD needs numbers');
  return { N: sum(number, added.N, 1) };
}

/** The item after the update; every operand has its value as before it. Throws `InvalidExpression`. */
export function update(expression: string, scope: Scope): Item {
  let item = scope.item;
  const actions = cached(updates, expression, parseUpdate).map(({ path, value }) => ({
    names: path.map((part) => nameOf(part, scope.names)),
    value: value === undefined ? undefined : stored(value(scope) ?? { NULL: true }),
  }));
  for (const { names, value } of actions) item = replace(item, names, value);
  return item;
}

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
export const updatedPaths = (expression: string): readonly Path[] =>
  cached(updates, expression, parseUpdate).map(({ path }) => path);

/** The paths of a projection expression. */
export const projectedPaths = (expression: string): readonly Path[] =>
  cached(projections, expression, (text) => {
    const tokens = new Tokens(text);
    return tokens.list(() => parsePath(tokens));
  });

/** The part of an item that the paths lead to, as far as it has them. */
export function project(paths: readonly Path[], scope: Scope): Item {
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
