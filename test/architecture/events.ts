import { describe, expect, it } from '@jest/globals';
import { ENDPOINT_DISABLED, SUBSCRIBABLE_TYPES } from '../../lambdas/webhooks/core/event.ts';
import { type Module, sourceModules } from './source-tree.ts';
import { nodes, parse, type SyntaxNode } from './syntax.ts';

const nameOf = (node: unknown): unknown => (node as SyntaxNode | undefined)?.value;

/** The texts that an expression may be; a constant of the event's own is one. */
const textOf = (node: unknown): readonly string[] => {
  const { type, value } = (node ?? {}) as SyntaxNode;
  if (type === 'StringLiteral') return [String(value)];
  return type === 'Identifier' && value === 'ENDPOINT_DISABLED' ? [ENDPOINT_DISABLED] : [];
};

/** The types that an expression publishes: an event has its type as a property, or as an argument of `ownerEvent`. */
function producedBy(node: SyntaxNode): readonly string[] {
  if (node.type === 'KeyValueProperty') return nameOf(node.key) === 'type' ? textOf(node.value) : [];
  if (node.type !== 'CallExpression' || nameOf(node.callee) !== 'ownerEvent') return [];
  return (node.arguments as readonly { readonly expression: unknown }[]).flatMap(({ expression }) =>
    textOf(expression),
  );
}

/** The types of events that no module produces. */
function unproduced(modules: readonly Pick<Module, 'tree'>[]): readonly string[] {
  const produced = new Set(modules.flatMap(({ tree }) => [...nodes(tree)].flatMap(producedBy)));
  return SUBSCRIBABLE_TYPES.filter((type) => !produced.has(type));
}

describe('a type of events', () => {
  const modules = sourceModules('lambdas');

  it('comes from a module that produces it', () => {
    expect(unproduced(modules)).toEqual([]);
  });

  it('causes a failure without one, also if another module mentions it', () => {
    const others = modules.filter(({ path }) => !path.endsWith('marketplace/core/builds/scans.ts'));
    expect(unproduced(others)).toEqual(['app.build.scanned']);
    const mention = `switch (type) { case 'payout.paid': run(); } const types = ['payout.paid'];`;
    expect(unproduced([{ tree: parse(mention) }])).toEqual(SUBSCRIBABLE_TYPES);
  });
});
