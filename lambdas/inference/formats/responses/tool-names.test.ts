import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { ToolNames } from './tool-names.ts';

const f = (name: string) => ({ type: 'function', name });

/** Names of few letters, so that joined ones are often the same. */
const name = fc.oneof(
  fc.stringMatching(/^[a_]{1,6}$/),
  fc.stringMatching(/^[a-z]{60,64}$/),
  fc.constantFrom('a b', 'a.b', 'ä'),
);
const declarations = fc.tuple(
  fc.uniqueArray(name, { maxLength: 4 }),
  fc.uniqueArray(fc.tuple(name, fc.uniqueArray(name, { maxLength: 4 })), {
    selector: ([namespace]) => namespace,
    maxLength: 4,
  }),
);

describe('names of tools on routes', () => {
  it('satisfy the naming rules, each identify one tool, and lead back to it', () => {
    fc.assert(
      fc.property(declarations, ([plain, namespaces]) => {
        const names = new ToolNames([
          ...namespaces.map(([namespace, inner]) => ({
            type: 'namespace',
            name: namespace,
            tools: inner.map(f),
          })),
          ...plain.map(f),
        ]);
        const all = [
          ...plain.map((each) => [each, undefined] as const),
          ...namespaces.flatMap(([namespace, inner]) => inner.map((each) => [each, namespace] as const)),
        ];
        expect(names.offered.size).toBe(all.length);
        for (const [each, namespace] of all) {
          const sentName = names.routeNameOf(each, namespace);
          expect(sentName).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
          expect(names.called(sentName)).toMatchObject({
            name: each,
            ...(namespace === undefined ? {} : { namespace }),
          });
        }
      }),
    );
  });

  it('equal the caller’s own names where possible, even if a namespace would produce the same name', () => {
    const names = new ToolNames([{ type: 'namespace', name: 'a', tools: [f('b')] }, f('a__b')]);
    expect(names.routeNameOf('a__b')).toBe('a__b');
    expect(names.routeNameOf('b', 'a')).toMatch(/^a__b_.{8}$/);
  });

  it('satisfy the naming rules also for tools that are not declared', () => {
    const names = new ToolNames([]);
    expect(names.routeNameOf('f')).toBe('f');
    expect(names.routeNameOf('f g'.repeat(100), 'n')).toMatch(/^[a-zA-Z0-9_-]{64}$/);
    expect(names.called('f')).toEqual({ type: 'function', name: 'f' });
  });
});
