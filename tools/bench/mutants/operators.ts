/**
 * The mistakes that are made in a module, one at a time. Each is something that a reader could have written: another
 * comparison, a constant that is one off, a call or a condition left out. Texts for people are left alone, and so is
 * what the compiler refuses wherever it stands, such as `?.` without its question mark.
 */
import { isNode, ModuleSource, placeOf, runningNodes, type SyntaxNode, type TextSpan } from './source.ts';

export interface Mutant {
  /** The operator that made it, such as `comparison`. */
  readonly operator: string;
  readonly span: TextSpan;
  /** From 1. */
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
}

type Edit = readonly [operator: string, place: TextSpan, replacement: string];

const BINARY: Readonly<Record<string, readonly [operator: string, ...replacements: string[]]>> = {
  '<': ['comparison', '<=', '>='],
  '<=': ['comparison', '<', '>'],
  '>': ['comparison', '>=', '<='],
  '>=': ['comparison', '>', '<'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '&&': ['logic', '||'],
  '||': ['logic', '&&'],
  '+': ['arithmetic', '-'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
  '/': ['arithmetic', '*'],
  '%': ['arithmetic', '*'],
};

const METHODS: Readonly<Record<string, string>> = { min: 'max', max: 'min', some: 'every', every: 'some' };

/** Every mutant of a module, in the order of its text. */
export function mutantsOf(text: string): Mutant[] {
  const source = new ModuleSource(text);
  return [...runningNodes(source.tree)]
    .flatMap((node) => editsOf(node, source))
    .map(([operator, span, replacement]) => ({
      operator,
      span,
      line: source.lineOf(span),
      original: source.textOf(span),
      replacement,
    }))
    .filter(({ original, replacement }) => original !== replacement)
    .sort((a, b) => a.span.start - b.span.start);
}

/** The module with the mistake in it. */
export const mutate = (text: string, { span, replacement }: Mutant): string =>
  new ModuleSource(text).with(span, replacement);

function editsOf(node: SyntaxNode, source: ModuleSource): Edit[] {
  const span = placeOf(node);
  switch (node.type) {
    case 'BinaryExpression':
      return binaryEdits(node, source);
    case 'NumericLiteral':
      return [['constant', span, String(another(Number(node.value)))]];
    case 'BigIntLiteral':
      return [['constant', span, `${BigInt(source.textOf(span).replace(/[n_]/g, '')) + 1n}n`]];
    case 'BooleanLiteral':
      return [['boolean', span, String(node.value !== true)]];
    case 'UnaryExpression':
      return node.operator === '!' ? [['negation', span, textOf(node.argument, source)]] : [];
    case 'IfStatement':
    case 'ConditionalExpression':
      // A test that sees both of these sees the negated condition too.
      return ['true', 'false'].map((value): Edit => ['condition', placeOf(node.test as SyntaxNode), value]);
    case 'ExpressionStatement':
      return [['statement', span, ';']];
    case 'AwaitExpression':
      return [['await', span, textOf(node.argument, source)]];
    case 'ArrayExpression':
      return elementEdits('element', elementsOf(node.elements), source);
    case 'ObjectExpression':
      return elementEdits('property', (node.properties as SyntaxNode[]).map(placeOf), source);
    case 'StringLiteral':
    case 'TemplateLiteral':
      return clauseEdits(span, source);
    case 'CallExpression':
      return methodEdits(node);
    case 'FunctionDeclaration':
    case 'ClassMethod':
    case 'PrivateMethod':
      return emptied(node, source);
    default:
      return [];
  }
}

/** A long time or a large size that is one off is no mistake; twice as much is. */
const another = (value: number): number => (value > 100 ? value * 2 : value + 1);

const textOf = (node: unknown, source: ModuleSource): string => source.textOf(placeOf(node as SyntaxNode));

function binaryEdits(node: SyntaxNode, source: ModuleSource): Edit[] {
  const [left, right] = [placeOf(node.left as SyntaxNode), placeOf(node.right as SyntaxNode)];
  const operator = String(node.operator);
  if (operator === '??') return [['default', placeOf(node), `(${source.textOf(right)})`]];
  const between = source.find(operator, { start: left.end, end: right.start });
  const [name, ...replacements] = BINARY[operator] ?? [];
  if (between === undefined || name === undefined) return [];
  return replacements.map((replacement): Edit => [name, between, replacement]);
}

const elementsOf = (elements: unknown): TextSpan[] =>
  (elements as ({ spread: TextSpan | null; expression: SyntaxNode } | null)[]).flatMap((element) => {
    if (element === null) return [];
    const span = placeOf(element.expression);
    return [{ ...span, start: element.spread === null ? span.start : element.spread.start - 1 }];
  });

/** Each of the members left out, with the comma after it. */
const elementEdits = (operator: string, spans: readonly TextSpan[], source: ModuleSource): Edit[] =>
  spans.map((span) => {
    const [comma = ''] = /^\s*,/.exec(source.textOf({ start: span.end, end: span.end + 200 })) ?? [];
    return [operator, { ...span, end: span.end + comma.length }, ''];
  });

/** A condition of the database without one of its clauses. */
function clauseEdits(span: TextSpan, source: ModuleSource): Edit[] {
  const text = source.textOf(span);
  const clauses = text.slice(1, -1).split(' AND ');
  if (clauses.length < 2 || text.slice(1, -1).includes('`')) return [];
  return clauses.map((_clause, left): Edit => {
    const rest = clauses.filter((_other, index) => index !== left).join(' AND ');
    return ['clause', span, `${text.at(0)}${rest}${text.at(-1)}`];
  });
}

function methodEdits({ callee }: SyntaxNode): Edit[] {
  if (!isNode(callee) || callee.type !== 'MemberExpression' || !isNode(callee.property)) return [];
  const name = String(callee.property.value);
  return Object.hasOwn(METHODS, name) ? [['method', placeOf(callee.property), METHODS[name] ?? name]] : [];
}

/** A procedure that does nothing; what returns a value is left alone, since the compiler refuses that. */
function emptied(node: SyntaxNode, source: ModuleSource): Edit[] {
  const { body } = (node.function ?? node) as { body?: SyntaxNode };
  if (!isNode(body) || (body.stmts as unknown[]).length < 2) return [];
  const returns = [...runningNodes(body.stmts)].some(
    ({ type, argument }) => type === 'ReturnStatement' && isNode(argument),
  );
  return returns || source.textOf(placeOf(body)) === '{}' ? [] : [['body', placeOf(body), '{}']];
}
