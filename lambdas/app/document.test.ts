import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type Listing, listingEntry } from '../marketplace/core/listings/listing.ts';
import { RELEASE } from '../platform/contract/release.ts';
import type { Route } from '../platform/contract/route.ts';
import { COMPONENTS } from './components.ts';
import { openApiDocument } from './document.ts';
import { describeService, OPERATIONS } from './operations.ts';
import { ROUTES } from './routes.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');

interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}
const document = describeService() as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};
const described = ({ method, path }: Route): DescribedOperation | undefined =>
  document.paths[path.replace('+}', '}')]?.[method.toLowerCase()];

const routes: readonly (readonly [string, Route])[] = ROUTES.map((route) => [
  `${route.method} ${route.path}`,
  route,
]);

describe('the description of the service', () => {
  it.each(routes)(
    'lists the route with its purpose, parameters, responses and authentication: %s',
    (_name, route) => {
      const operation = described(route);
      expect(operation?.summary.toLowerCase()).toBe(route.purpose.toLowerCase());
      const named = [...route.path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name);
      const inPath = operation?.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
      expect(inPath.map(({ name }) => name)).toEqual(named);
      expect(operation?.security.length === 0).toBe(route.authentication === 'none');
      expect(Object.keys(operation?.responses ?? {}).some((status) => status.startsWith('2'))).toBe(true);
      expect(Object.keys(operation?.responses ?? {})).toEqual(expect.arrayContaining(['429', '500']));
    },
  );

  it.each([
    ['api-key', ['apiKey', 'apiKeyHeader']],
    ['session', ['session']],
    ['api-key-or-session', ['apiKey', 'apiKeyHeader', 'session']],
  ] as const)('lists each way to send %s, if a route accepts it', (authentication, schemes) => {
    const taking = routes.filter(([, route]) => route.authentication === authentication);
    expect(taking.length).toBeGreaterThan(10);
    for (const [name, route] of taking) {
      const named = described(route)?.security.flatMap((one) => Object.keys(one));
      expect([name, named]).toEqual([name, expect.arrayContaining([...schemes])]);
      // Each is enough by itself: a key is never asked for beside a session.
      const security = described(route)?.security.filter((one) => 'apiKey' in one || 'session' in one) ?? [];
      for (const one of security) expect(Object.keys(one)).toHaveLength(1);
    }
  });

  it('contains only the routes of the route table, each with a unique operation id', () => {
    const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(all).toHaveLength(ROUTES.length);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  });

  it('fails to build if a route lacks its description', () => {
    const extra = { ...routes[0]?.[1], endpoint: 'not-described' } as Route;
    const options = { operations: OPERATIONS, title: 't', version: '1', release: '1' };
    expect(() => openApiDocument({ ...options, routes: [extra] })).toThrow(
      'the endpoint not-described has no description',
    );
  });

  it('states the release next to the version of the interface', () => {
    expect(describeService()).toMatchObject({ info: { version: '1.1.0', 'x-release': RELEASE } });
  });

  it('marks deprecated operations alone', () => {
    const health = ROUTES.filter(({ endpoint }) => endpoint === 'get-health');
    const operations = {
      ...OPERATIONS,
      'get-health': { ...OPERATIONS['get-health'], deprecated: true as const },
    };
    const options = { routes: health, title: 't', version: '1', release: '1' };
    const marks = [OPERATIONS, operations].map((each) => openApiDocument({ ...options, operations: each }));
    expect(marks).toEqual([
      { ...marks[0], paths: { '/health': { get: expect.not.objectContaining({ deprecated: true }) } } },
      { ...marks[0], paths: { '/health': { get: expect.objectContaining({ deprecated: true }) } } },
    ]);
  });

  it.each(
    Object.entries(OPERATIONS).filter(([, { body, form }]) => body !== undefined || form !== undefined),
  )(
    'contains an example of the body that its endpoint accepts: %s',
    (_name, { body, form, example, exampleKind: kind }) => {
      const named = kind === undefined ? example : { model: 'a', ...example };
      expect((body ?? form?.fields)?.safeParse(named)).toMatchObject({ success: true });
    },
  );

  it('leaves out examples that name a model if there is no default model of their kind', () => {
    const exampleAt = (models: Readonly<Record<string, string>>, path: string) => {
      const { paths } = describeService({ models }) as unknown as typeof document;
      return Object.values(paths[path]?.post?.requestBody?.content ?? {}).map((media) =>
        'example' in media ? media.example : undefined,
      );
    };
    expect(exampleAt({ chat: 'acme/one' }, '/v1/embeddings')).toEqual([undefined]);
    expect(exampleAt({ embeddings: 'acme/two' }, '/v1/embeddings')).toEqual([
      expect.objectContaining({ model: 'acme/two' }),
    ]);
  });

  it.each([
    [
      '/v1/chat/completions',
      '200',
      ['x-cost-usd', 'x-balance-usd', 'x-max-tokens', 'x-ratelimit-limit-requests'],
    ],
    ['/v1/messages', '200', ['x-cost-usd', 'x-max-tokens', 'idempotent-replayed', 'x-request-id']],
    ['/v1/embeddings', '200', ['x-cost-usd', 'x-balance-usd', 'x-route']],
    ['/v1/responses', '429', ['retry-after', 'x-request-id']],
  ])('describes the headers of %s with status %s', (path, status, names) => {
    const response = document.paths[path]?.post?.responses[status] as
      | { readonly headers?: object }
      | undefined;
    expect(Object.keys(response?.headers ?? {})).toEqual(expect.arrayContaining(names));
  });

  it('contains a request body for every PUT and PATCH route', () => {
    const without = routes
      .filter(([, { method }]) => method === 'PUT' || method === 'PATCH')
      .filter(([, route]) => described(route)?.requestBody === undefined);
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('takes its bodies from the schemas that the endpoints validate with', () => {
    const chat = document.paths['/v1/chat/completions']?.post?.requestBody?.content['application/json'];
    expect(chat?.schema).toMatchObject({
      required: ['model', 'messages'],
      properties: { temperature: { anyOf: [{ type: 'number', minimum: 0, maximum: 2 }, { type: 'null' }] } },
    });
    const listing = document.paths['/apps']?.post?.requestBody?.content['application/json'];
    expect(listing?.schema).toMatchObject({
      required: ['name', 'summary', 'category'],
      properties: { tags: { type: 'array', maxItems: 20 }, version: { default: '1.0.0' } },
    });
  });

  it('states the object type of every response about an object of the service', () => {
    interface Schema {
      readonly $ref?: string;
      readonly required?: readonly string[];
      readonly properties?: Readonly<Record<string, unknown>>;
    }
    const resolved = (schema: Schema): Schema =>
      schema.$ref === undefined
        ? schema
        : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema);
    const things = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses as Readonly<Record<string, { readonly content?: object }>>)
          .filter(([status]) => status.startsWith('2'))
          .flatMap(([, { content = {} }]) => {
            const json = (content as Readonly<Record<string, { readonly schema: Schema }>>)[
              'application/json'
            ];
            return json === undefined ? [] : [{ name: `${method} ${path}`, schema: resolved(json.schema) }];
          })
          .filter(({ schema }) => schema.properties?.id !== undefined),
      ),
    );
    const mentioned = things.filter(
      ({ schema: { required = [], properties = {} } }) =>
        properties.object !== undefined && required.includes('object'),
    );
    expect(mentioned.length).toBeGreaterThan(15);
    // A message has a type; a record of usage and a listing are of one kind at each address.
    const unmentioned = new Set(
      things.filter((schemaType) => !mentioned.includes(schemaType)).map(({ name }) => name),
    );
    expect(
      [...unmentioned].filter((name) => !/ \/(v1\/messages|v1\/usage|apps|ai-agents)/.test(name)),
    ).toEqual([]);
  });

  it('describes a listing as the service returns it', () => {
    const listing: Listing = {
      id: 'lst_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      kind: 'app',
      name: 'Name',
      slug: 'name',
      summary: 'Summary.',
      description: '',
      category: 'tools',
      tags: ['one'],
      version: '1.0.0',
      price: { amount: 1, currency: 'USD' },
      plans: [{ id: 'pro', name: 'Pro', interval: 'month', amount: 499, currency: 'USD', trial_days: 14 }],
      url: null,
      iconUrl: 'https://example.com/icon.png',
      seller: 'Ada & Co.',
      contact: 'help@example.com',
      ownerId: 'acc_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      installs: 0,
      releases: 1,
      ratings: { sum: 9, count: 2 },
      created: 1,
      updated: 1,
      revision: 1,
    };
    const entry = listingEntry(listing);
    expect(COMPONENTS.Listing.parse(entry)).toEqual(entry);
    expect(Object.keys(COMPONENTS.Listing.shape).sort()).toEqual(Object.keys(entry).sort());
  });

  it('passes the linter without an error', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
    try {
      const file = join(folder, 'openapi.json');
      writeFileSync(file, JSON.stringify(document));
      const cli = join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
      const lint = await run(process.execPath, [cli, 'lint', '--format=json', file], {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        maxBuffer: 1 << 26,
      }).catch((failure: { readonly stdout: string }) => failure);
      const report = JSON.parse(lint.stdout) as { problems: readonly { readonly severity: string }[] };
      expect(report.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
