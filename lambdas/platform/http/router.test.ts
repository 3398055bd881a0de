import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { ROUTES } from '../../app/routes.ts';
import type { Route } from '../contract/route.ts';
import { decodeSegment } from './pipelines.ts';
import { matchPath, surfaceAt } from './router.ts';

const pathsOf = (paths: readonly string[], path: string): readonly string[] =>
  matchPath(
    paths.map((each) => ({ path: each })),
    path,
  ).map((match) => match.route.path);

/** A value of a path parameter that no fixed segment of the table has. */
const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => `${text}~`);

const named = ROUTES.map((entry) => [`${entry.method} ${entry.path}`, entry as Route] as const);

/** The route's path with a value for each of its parameters. */
const filled = ({ path }: Route) =>
  fc.array(fc.array(value, { minLength: 1, maxLength: 3 }), { minLength: 4, maxLength: 4 }).map((values) => {
    const parameters: Record<string, string> = {};
    const segments = path.split('/').map((segment, index) => {
      if (!segment.startsWith('{')) return segment;
      const segmentTexts = segment.endsWith('+}')
        ? (values[index % 4] ?? [])
        : (values[index % 4] ?? []).slice(0, 1);
      parameters[segment.replace(/[{}+]/g, '')] = segmentTexts.join('/');
      return segmentTexts.map(encodeURIComponent).join('/');
    });
    return { path: segments.join('/'), parameters };
  });

describe('a path of the route table', () => {
  it.each(named)('resolves to its route, with its parameters decoded: %s', (_name, entry) => {
    fc.assert(
      fc.property(filled(entry), ({ path, parameters }) => {
        const matches = matchPath(ROUTES, path);
        expect(matches.map((match) => match.route)).toEqual(
          ROUTES.filter((other) => other.path === entry.path),
        );
        for (const match of matches) expect(match.pathParameters).toEqual(parameters);
      }),
      { numRuns: rounds(25) },
    );
  });
});

describe('the router', () => {
  it.each([
    '/v1',
    '/v2/models',
    '/v1/chat',
    '/v1/usage/a/b',
    '/v1/chat/completions/x',
    '/health/x',
    '/credits',
  ])('returns nothing for a path that is in no route: %s', (path) => {
    expect(matchPath(ROUTES, path)).toEqual([]);
  });

  it.each([
    [['/a/{x}', '/a/b'], '/a/b', '/a/b'],
    [['/a/{x+}', '/a/{x}'], '/a/b', '/a/{x}'],
    [['/a/{x+}', '/a/b'], '/a/b', '/a/b'],
    [['/a/{x+}', '/a/{x}'], '/a/b/c', '/a/{x+}'],
    [['/{x}/b', '/a/{x}'], '/a/b', '/a/{x}'],
    [['/{x+}', '/a/{x+}'], '/a/b', '/a/{x+}'],
    [['/{x+}', '/a/{x}/c'], '/a/b/d', '/{x+}'],
    [['/a/{x+}', '/{x}/b/c'], '/a/b/c', '/a/{x+}'],
    [['/', '/{x+}'], '/', '/'],
    [['/a', '/{x}'], '/a/', '/a'],
    [['/a.b', '/{x}'], '/axb', '/{x}'],
  ])(
    'prefers a fixed segment to a parameter, and a parameter to the rest of the path: %j',
    (paths, path, best) => {
      for (const order of [paths, [...paths].reverse()]) {
        expect(pathsOf(order, path)).toEqual([best]);
      }
    },
  );

  it('treats an encoded slash as part of its segment', () => {
    const [match] = matchPath([{ path: '/a/{x}' }, { path: '/a/{x}/c' }], '/a/b%2Fc');
    expect(match?.route.path).toBe('/a/{x}');
    expect(match?.pathParameters).toEqual({ x: 'b/c' });
  });
});

describe('the surface of a path that no route has', () => {
  it.each([
    ['/v1/messages/nothing', 'messages'],
    ['/v1/messages/count_tokens/more', 'messages'],
    ['/v1/messages', 'messages'],
    ['/v1/messages2', 'platform'],
    ['/v1/chat/completions/nothing', 'openai'],
    ['/nothing', 'platform'],
    ['/', 'platform'],
  ])('matches that of the longest route that the path extends: %s', (path, surface) => {
    expect(surfaceAt(ROUTES, path)).toBe(surface);
  });
});

describe('a segment', () => {
  it.each([
    ['a%2Fb', 'a/b'],
    ['%C3%BC', 'ü'],
    ['a+b', 'a+b'],
    ['%', '%'],
    ['%ff', '%ff'],
    ['%zz', '%zz'],
    ['', ''],
  ])('becomes percent-decoded text, or stays unchanged if it is not well-formed: %s', (segment, decoded) => {
    expect(decodeSegment(segment)).toBe(decoded);
  });
});
