import { describe, expect, it } from '@jest/globals';
import { sourceModules } from './source-tree.ts';
import { isGlobal, memberName, parse, runningNodes, type SyntaxNode } from './syntax.ts';

/**
 * Names of amounts. They hold integers of nano-USD, so they may meet neither a fraction nor a conversion that
 * rounds: above 2^53 nano-USD (about 9 million USD) a floating-point number loses nano-dollars.
 */
const AMOUNT =
  /(NanoUsd|amount|balance|cost|credit|price|refund|purchase|sale|topUp|spend|held|owed|drift|unbilled)s?$/i;

/** Wherever an amount may come: a rule for some folders would miss the next one that handles money. */
const modules = sourceModules('lambdas', 'operator');

const nameOf = (node: SyntaxNode): string =>
  node.type === 'MemberExpression'
    ? (memberName(node) ?? '')
    : node.type === 'Identifier'
      ? String(node.value)
      : '';

const mentionsAmount = (tree: unknown): boolean =>
  runningNodes(tree).some((node) => AMOUNT.test(nameOf(node)));

const isFloat = (node: unknown): boolean => (node as SyntaxNode | undefined)?.type === 'NumericLiteral';

/** Conversions to text by way of a floating-point number, and back. */
const FLOAT_METHODS: ReadonlySet<string> = new Set(['toFixed', 'toPrecision', 'toExponential', 'parseFloat']);

/** Every place where an amount could become, or meet, a floating-point number. */
function floats(tree: readonly SyntaxNode[]): string[] {
  return runningNodes(tree).flatMap((node) => {
    if (isGlobal(node, 'parseFloat')) return ['parseFloat'];
    if (node.type === 'MemberExpression' && FLOAT_METHODS.has(memberName(node) ?? ''))
      return [memberName(node) ?? ''];
    if (node.type === 'CallExpression') {
      const callee = node.callee as SyntaxNode;
      const converts =
        isGlobal(callee, 'Number') || (callee.type === 'MemberExpression' && isGlobal(callee.object, 'Math'));
      return converts && mentionsAmount(node.arguments) ? ['a conversion of an amount'] : [];
    }
    if (node.type === 'UnaryExpression' && node.operator === '+') return ['a unary plus'];
    if (node.type !== 'BinaryExpression' || !/^[-+*/%]$|^\*\*$|^[<>]=?$/.test(String(node.operator)))
      return [];
    const { left, right } = node as { left?: SyntaxNode; right?: SyntaxNode };
    const meets = (isFloat(left) && mentionsAmount(right)) || (isFloat(right) && mentionsAmount(left));
    return meets ? ['an amount beside a floating-point literal'] : [];
  });
}

describe('money', () => {
  it('never passes through floating point, except as cents of a payment and as a metric', () => {
    const handling = modules.filter(({ text }) => /\bNanoUsd\b|\/money\.ts'/.test(text));
    expect(handling.map(({ path }) => path.split('/').at(2) ?? path)).toEqual(
      expect.arrayContaining(['core', 'store', 'consumers']),
    );
    const floatUses = modules.flatMap(({ path, tree }) => floats(tree).map((what) => `${path}: ${what}`));
    const conversion = 'lambdas/platform/core/money.ts: a conversion of an amount';
    expect(floatUses).toEqual([conversion, conversion]);
  });

  it('never becomes a number when code reads it from the database', () => {
    const readers = modules.flatMap(({ path, tree }) =>
      runningNodes(tree)
        .filter(
          (node) => node.type === 'CallExpression' && nameOf(node.callee as SyntaxNode) === 'readNumber',
        )
        .flatMap((node) => node.arguments as readonly { readonly expression: SyntaxNode }[])
        .map(({ expression }) => String(expression.value))
        .filter((attribute) => /amount|balance|cost|cap$|(day|month)_left|waived|unbilled$/.test(attribute))
        .map((attribute) => `${path}: ${attribute}`),
    );
    expect(readers).toEqual([]);
  });
});

describe('the check of money', () => {
  it.each([
    'const price = parseFloat(text);',
    'const price = Number.parseFloat(text);',
    'const shown = balance.toFixed(9);',
    'const rounded = Number(wallet.balance);',
    'const rounded = Math.round(Number(hold.amount - cost));',
    'const half = amount * 0.5;',
    'const left = 1 - record.cost;',
    'const coerced = +amountNanoUsd;',
    'const none = balance > 0;',
    'const metric = Number(topUps);',
    'if (unbilled >= 1) refuse();',
  ])('detects %s', (source) => {
    expect(floats(parse(source))).not.toEqual([]);
  });

  it.each([
    'const left = balance - hold.amount;',
    'const places = 9 + Number(exponent);',
    'const none = balance > 0n;',
  ])('accepts %s', (source) => {
    expect(floats(parse(source))).toEqual([]);
  });
});
