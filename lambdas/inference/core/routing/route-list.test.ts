import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import type { UnbilledOfRoute } from '../../../ledger/core/ports.ts';
import { usdJson } from '../../../platform/core/money.ts';
import { modelDocument } from '../../testing/catalog/models.ts';
import { parseCatalog } from '../catalog/catalog-document.ts';
import { catalogView } from '../catalog/catalog-view.ts';
import { type Circuit, COOLDOWN_MS } from '../circuit/circuit.ts';
import { routesPage, routesQuery } from './route-list.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);

/** A value that no answer may contain. Nothing else has the prefix. */
const hidden = fc.stringMatching(/^[a-z0-9]{6,12}$/).map((text) => `hidden-${text}`);

const route = fc.record({
  base_url: hidden.map((host) => `https://${host}.example/${host}/v1`),
  upstream_model: hidden,
  secret: hidden.map((name) => `secretsmanager:prod/providers/${name}#${name}`),
  protocol: fc.constantFrom('openai', 'openai-responses', 'anthropic'),
  priority: fc.integer({ min: 0, max: 9 }),
  cost: fc.option(
    fc.record({
      unit: fc.constant('per_million_tokens'),
      input: fc.constant(0.123456789),
      output: fc.constant(0.987654321),
    }),
    { nil: undefined },
  ),
});

/** Documents with up to 30 routes, whose ids are their places. */
const documents = fc
  .array(
    fc.record({
      price: fc.integer({ min: 1, max: 99 }),
      routes: fc.array(route, { minLength: 1, maxLength: 5 }),
    }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((models) => ({
    models: models.map(({ price, routes }, model) =>
      modelDocument({
        id: `model-${model}`,
        price_source: { url: 'https://hidden-source.example', as_of: '2026-01-01' },
        price: { unit: 'per_million_tokens', input: price, output: price },
        routes: routes.map((each, at) => JSON.parse(JSON.stringify({ id: `route-${model}-${at}`, ...each }))),
      }),
    ),
  }));

const page = (
  document: object,
  query: object,
  circuits: Readonly<Record<string, Circuit>> = {},
  unbilled: readonly UnbilledOfRoute[] = [],
) =>
  routesPage(
    parseCatalog(document).models,
    { circuits: new Map(Object.entries(circuits)), unbilled },
    routesQuery.parse(query),
    NOW_MS,
  );

const asCursor = (id: string) => Buffer.from(id).toString('base64url');

const openedAt = (atMs: number): Circuit => ({ open_until: atMs + COOLDOWN_MS, opened_at: atMs });

const [ONE] = fc.sample(
  documents.filter(({ models }) => models.length > 2),
  { numRuns: 1, seed: 1 },
);

describe('the operator’s view of routes', () => {
  it('shows the usage that a route reported beyond the bounds of its calls, and null for all others', () => {
    const document = ONE ?? { models: [] };
    const routes = document.models.flatMap((model) => model.routes.map(({ id }) => id));
    const [route = ''] = routes;
    expect(routes.length).toBeGreaterThan(2);
    const loss = { route, calls: 3, amount: 1_500_000n, factor: 2.5 };
    const { entries } = page(document, { limit: '100' }, {}, [loss, { ...loss, route: 'gone' }]);
    expect(entries.map(({ id, unbilled }) => [id, unbilled])).toEqual(
      routes.map((id) => [id, id === route ? { calls: 3, amount: usdJson(1_500_000n), factor: 2.5 } : null]),
    );
  });

  it('shows no address, secret, upstream model or cost, whatever the catalog', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const shown = JSON.stringify(page(document, { limit: '100' }));
        expect(shown).not.toMatch(/hidden|secretsmanager|https?:|0\.123456789|0\.987654321/);
        const applied = (version: string, json: string) => ({ version, json, appliedMs: 0 });
        const before = structuredClone(document);
        for (const model of before.models) model.price.input += 1;
        const view = catalogView(
          applied('b', JSON.stringify(document)),
          applied('a', JSON.stringify(before)),
        );
        expect(view.diff).toMatchObject({ changed_count: document.models.length });
        expect(JSON.stringify(view)).not.toMatch(/hidden|secretsmanager|https?:|0\.123456789|0\.987654321/);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('comes page by page to every route once, in the order of the catalog', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 7 }), (document, limit) => {
        const leaks: string[] = [];
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const { entries, next } = page(document, {
            limit: String(limit),
            ...(cursor === undefined ? {} : { cursor: asCursor(cursor) }),
          });
          expect(entries.length).toBeLessThanOrEqual(limit);
          leaks.push(...entries.map(({ id }) => id));
          cursor = next;
        }
        expect(leaks).toEqual(document.models.flatMap(({ routes }) => routes.map(({ id }) => id)));
      }),
      { numRuns: rounds(100) },
    );
  });

  it('reports that the catalog has changed if the cursor’s route no longer exists', () => {
    expect(() => page(ONE ?? {}, { cursor: asCursor('route-99-9') })).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'cursor' }),
    );
  });

  it('shows since when a circuit is open, and filters by open circuits', () => {
    const circuits = {
      'route-1-0': openedAt(NOW_MS - 5_000),
      'route-2-0': openedAt(NOW_MS - COOLDOWN_MS - 1_000),
    };
    const of = (query: object) => page(ONE ?? {}, query, circuits).entries;
    expect(of({ circuit: 'open' })).toMatchObject([
      { id: 'route-1-0', circuit: 'open', since: NOW_MS / 1000 - 5 },
    ]);
    expect(of({ circuit: 'half_open' })).toMatchObject([
      { id: 'route-2-0', circuit: 'half_open', since: (NOW_MS - COOLDOWN_MS) / 1000 - 1 },
    ]);
    expect(of({ circuit: 'closed' })[0]).toMatchObject({
      id: 'route-0-0',
      circuit: 'closed',
      since: null,
      accounts_affected: 0,
    });
  });

  it.each([
    ['nothing, where the cost is not known', undefined, null],
    [
      'the rest of each rate',
      { input: 1.5, output: 8 },
      [
        { rate: 'input', percent: '25.0' },
        { rate: 'output', percent: '0.0' },
      ],
    ],
    [
      'a loss',
      { input: 3, output: 7.999 },
      [
        { rate: 'input', percent: '-50.0' },
        { rate: 'output', percent: '0.0' },
      ],
    ],
    [
      'only rates that both have',
      { input: 1, output: 2, cached_input: 0.1 },
      [
        { rate: 'input', percent: '50.0' },
        { rate: 'output', percent: '75.0' },
      ],
    ],
  ])('shows the margin of a price: %s', (_what, cost, margins) => {
    const unit = 'per_million_tokens';
    const [model] = ONE?.models ?? [];
    const route = { ...model?.routes[0], cost: cost === undefined ? undefined : { unit, ...cost } };
    const price = { unit, input: 2, output: 8 };
    const document = JSON.parse(JSON.stringify({ models: [{ ...model, price, routes: [route] }] }));
    expect(page(document, {}).entries[0]?.margins).toEqual(margins);
  });

  it('counts the accounts that a route has throttled', () => {
    const circuits = {
      'route-0-0~a': { cool_until: NOW_MS + 1 },
      'route-0-0~b': { cool_until: NOW_MS },
      'route-0-0~c': { open_until: NOW_MS + 1 },
      'route-1-0~a': { open_until: NOW_MS + 1 },
    };
    expect(page(ONE ?? {}, {}, circuits).entries[0]).toMatchObject({
      circuit: 'closed',
      accounts_affected: 2,
    });
  });
});

describe('the operator’s view of the catalog', () => {
  const applied = (version: string, models: readonly object[], appliedMs = 0) => ({
    version,
    json: JSON.stringify({ models }),
    appliedMs,
  });
  const model = (id: string, input: number) =>
    modelDocument({
      id,
      price: { unit: 'per_million_tokens', input, output: 2 },
      routes: [{ id: `r-${id}` }],
    });

  it('contains no difference for the first one', () => {
    expect(catalogView(applied('a', [model('one', 1)]), undefined)).toEqual({
      object: 'catalog',
      version: 'a',
      applied: 0,
      models: 1,
      routes: 1,
      diff: null,
    });
  });

  it('lists what has come, what has gone and what costs another price', () => {
    const before = applied('a', [model('kept', 1), model('gone', 1)], 1_000);
    const view = catalogView(applied('b', [model('kept', 2), model('new', 1)], 2_999), before);
    expect(JSON.parse(JSON.stringify(view))).toEqual({
      object: 'catalog',
      version: 'b',
      applied: 2,
      models: 2,
      routes: 2,
      diff: {
        previous_version: 'a',
        added_count: 1,
        removed_count: 1,
        changed_count: 1,
        added: ['new'],
        removed: ['gone'],
        changed: [
          { model: 'kept', rates: expect.arrayContaining([{ rate: 'input', old: 1, new: 2, large: true }]) },
        ],
      },
    });
  });

  it('bounds its lists, and not its counts', () => {
    const many = Array.from({ length: 450 }, (_, at) => model(`m${at}`, 1));
    const { diff } = catalogView(applied('b', many), applied('a', [model('old', 1)]));
    expect([diff?.added_count, diff?.added.length]).toEqual([450, 200]);
  });

  it('compares with nothing that this version cannot read', () => {
    const view = catalogView(applied('b', [model('one', 1)]), applied('a', [{ id: 'unreadable' }]));
    expect(view.diff).toBeNull();
  });
});
