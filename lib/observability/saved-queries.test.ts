import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../lambdas/app/routes.ts';
import { measuredCall } from '../../lambdas/ledger/store/create-ledger.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import { createRequestHandler } from '../../lambdas/platform/http/request-handler.ts';
import { embedded } from '../../lambdas/platform/system/metrics.ts';
import { webResponse } from '../../lambdas/platform/testing/web-response.ts';
import { nodes, parse, type SyntaxNode } from '../../test/architecture/syntax.ts';
import type { ConfigurationName } from '../../test/template/configurations.ts';
import { SERVICE_STACKS, type StackName, SynthesizedApp } from '../../test/template/synthesized-app.ts';
import { QUERIES } from './queries.ts';

const app = new SynthesizedApp();

interface SavedQuery {
  readonly name: string;
  readonly text: string;
  readonly groups: readonly { readonly Ref?: string }[];
}

const savedIn = (queries: SynthesizedApp, stack: StackName): readonly SavedQuery[] =>
  queries.resources(stack, 'AWS::Logs::QueryDefinition').map(([, { Properties }]) => ({
    name: String(Properties.Name),
    text: String(Properties.QueryString),
    groups: Properties.LogGroupNames as readonly { readonly Ref?: string }[],
  }));

/**
 * The fields that Logs Insights discovers in any line and in those of Lambda (CloudWatch user guide, discovered
 * fields).
 */
const DISCOVERED = [
  '@timestamp',
  '@message',
  '@log',
  '@logStream',
  '@type',
  '@requestId',
  '@duration',
  '@initDuration',
  '@memorySize',
  '@maxMemoryUsed',
];

/** The fields of the lines of AWS WAF (developer guide, log fields for protection packs). */
const OF_FIREWALL = ['action', 'httpRequest.clientIp', 'httpRequest.country', 'terminatingRuleId'];

/** The fields that Powertools adds to each line (user guide of the logger, standard structured keys). */
const OF_LOGGER = ['level', 'message'];

/** The fields of the access logs, as the APIs write them. */
const ofAccessLogs = SERVICE_STACKS.flatMap((stack) => {
  const { AccessLogSetting: setting } = app.only(stack, 'AWS::ApiGateway::Stage').Properties;
  return Object.keys(JSON.parse(Object(setting).Format));
});

/** Returns the fields that handlers log for calls that succeed, fail and break off. */
async function responseHeaderNames(): Promise<readonly string[]> {
  const logged: string[] = [];
  const note = (_message: string, fields = {}) => void logged.push(...Object.keys(fields));
  const run = async (endpoint: Parameters<typeof createRequestHandler>[0]) => {
    const log = { info: note, warn: note, error: note };
    const streamEnds: Promise<void>[] = [];
    const after = (work: Promise<void>) => void streamEnds.push(work);
    const dependencies = { clock: () => 0, ulid: () => 'U', after, log } as never;
    const handler = createRequestHandler(endpoint, 'openai' as never, dependencies);
    const host = { functionRequestId: 'f', pathParameters: {}, remainingTimeMs: () => 1_000 } as never;
    const response = await handler(new Request('https://example.com/'), host);
    // A stream that breaks off is no text.
    await webResponse(response)
      .text()
      .catch(() => '');
    await Promise.allSettled(streamEnds);
  };
  await run(async () => ({ headers: {}, text: 'ok' }));
  await run(() => Promise.reject(new Error('unexpected')));
  await run(
    async () =>
      ({
        headers: {},
        body: (async function* () {
          yield* [];
          throw new Error('broken');
        })(),
      }) as never,
  );
  return logged;
}

/** The message of the line that has the notes, as the parser gives a string. */
const NOTE = { type: 'StringLiteral', value: 'notes' } as SyntaxNode;

/** The names of the fields in every `log.info('...', { ... })` and `note({ ... })` of the source. */
function ofSource(): ReadonlyMap<string, readonly string[]> {
  const root = join(import.meta.dirname, '..', '..', 'lambdas');
  const queries = new Map<string, readonly string[]>();
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts') || /token-table\.ts$|\.test\.ts$|\/testing\//.test(path)) continue;
    const text = readFileSync(join(root, path), 'utf8');
    if (!/\.(warn|info|error)\(|\bnote\(/.test(text)) continue;
    for (const node of nodes(parse(text))) {
      if (node.type !== 'CallExpression') continue;
      const values = (node.arguments as readonly { expression: SyntaxNode }[]).map(
        ({ expression }) => expression,
      );
      const isNote = Object(node.callee).value === 'note';
      const [message, fields] = isNote ? [NOTE, ...values] : values;
      if (message?.type !== 'StringLiteral' || fields?.type !== 'ObjectExpression') continue;
      const names = (fields.properties as readonly SyntaxNode[]).map((property) =>
        String(Object(property.key ?? property).value),
      );
      const known = isNote ? (queries.get(String(message.value)) ?? []) : [];
      queries.set(String(message.value), [...known, ...names]);
    }
  }
  return queries;
}

const WORDS = [
  'fields',
  'filter',
  'stats',
  'sort',
  'by',
  'as',
  'and',
  'or',
  'like',
  'asc',
  'desc',
  'coalesce',
  'ispresent',
  'count',
  'count_distinct',
  'min',
  'max',
  'avg',
  'sum',
  'pct',
  'sortsFirst',
  'sortsLast',
];

/** The fields that a query reads: its names without its words and what it names itself. */
function fieldsOf(text: string): readonly string[] {
  const bare = text.replaceAll(/'[^']*'|like \/.*\//g, ' ').replaceAll(/\b\d+\b/g, ' ');
  const aliases = [...bare.matchAll(/\bas (\w+)/g)].map(([, name = '']) => name);
  const names = bare.match(/@?[A-Za-z_][\w.]*/g) ?? [];
  return [...new Set(names)].filter((name) => ![...WORDS, ...aliases].includes(name));
}

const settled = {
  unit: 'token',
  inputUnits: 1,
  outputUnits: 1,
  cost: 1n,
  unbilled: 1n,
  providerCost: 2n,
  route: 'r',
} as never;

describe('a saved query', () => {
  it('refers only to fields that the logs contain', async () => {
    const fields = new Set([
      ...DISCOVERED,
      ...OF_FIREWALL,
      ...OF_LOGGER,
      ...ofAccessLogs,
      ...(await responseHeaderNames()),
      ...Object.keys(embedded(measuredCall(settled), 0)),
      ...[...ofSource().values()].flat(),
    ]);
    for (const name of ['functionRequestId', 'outcome', 'CostNanoUsd', 'reason', 'integrationLatencyMs'])
      expect([name, fields.has(name)]).toEqual([name, true]);
    expect([...fieldsOf("filter api_key = 'ID' | stats max(tokens) as most by model")]).toEqual([
      'api_key',
      'tokens',
      'model',
    ]);
    expect(fields.has('api_key')).toBe(false);
    for (const [query, { lines }] of Object.entries(QUERIES)) {
      const unknown = fieldsOf(lines.join('\n')).filter((field) => !fields.has(field));
      expect([query, unknown]).toEqual([query, []]);
    }
  });

  it('filters by messages that the code writes, with their fields', () => {
    const messages = ofSource();
    const logGroups = Object.values(QUERIES).flatMap(({ lines }) =>
      [...lines.join('\n').matchAll(/message = '([^']+)'/g)].map(
        ([, message = '']) => [message, fieldsOf(lines.join('\n'))] as const,
      ),
    );
    expect(logGroups.length).toBeGreaterThan(0);
    for (const [message, fields] of logGroups)
      expect([...(messages.get(message) ?? []), 'message']).toEqual(expect.arrayContaining([...fields]));
  });

  it('quotes its search text as a regular expression of the query language', () => {
    const [text = ''] = QUERIES.deaths?.lines ?? [];
    const [, pattern = ''] = /\/(.*)\//.exec(text) ?? [];
    const matcher = new RegExp(pattern);
    for (const line of [
      '2026-11-23T10:00:00.000Z 3f2504e0-4f89-41d3-9a0c-0305e82c3301 Task timed out after 28.00 seconds',
      'REPORT RequestId: 3f2504e0-4f89-41d3-9a0c-0305e82c3301 Status: error Error Type: Runtime.OutOfMemory',
      '{"errorType":"Runtime.ImportModuleError"}',
    ])
      expect(matcher.test(line)).toBe(true);
    expect(matcher.test('REPORT RequestId: 3f25 Duration: 12 ms')).toBe(false);
  });
});

describe('the saved queries of a stack', () => {
  it.each(SERVICE_STACKS)('read every function and the access log, 50 groups at most each: %s', (stack) => {
    const all = new Set(
      app.resources(stack, 'AWS::Lambda::Function').map(([, { Properties }]) => {
        const { LogGroup: group } = Object(Properties.LoggingConfig);
        return app.reference(stack, group)?.id;
      }),
    );
    const [access] = app.resources(stack, 'AWS::Logs::LogGroup').filter(([id]) => /AccessLogs/.test(id));
    const parts = savedIn(app, stack).filter(({ name }) => name.includes('/one-call'));
    const read = parts.flatMap(({ groups }) => groups.map(({ Ref: id }) => id));
    expect(new Set(read)).toEqual(new Set([...all, access?.[0]]));
    for (const { groups } of savedIn(app, stack)) {
      expect(groups.length).toBeGreaterThan(0);
      expect(groups.length).toBeLessThanOrEqual(50);
    }
    for (const { groups } of parts) expect(groups.map(({ Ref: id }) => id)).toContain(access?.[0]);
  });

  it('include each query once, and one in parts if there are more groups than a query reads', () => {
    const names = savedIn(app, 'inference').map(({ name }) => name);
    expect(names.sort()).toEqual(
      Object.keys(QUERIES)
        .map((name) => `prod/inference/${name}`)
        .sort(),
    );
    const ofPlatform = savedIn(app, 'platform').map(({ name }) => name);
    expect(ofPlatform).toContain('prod/platform/one-call-1-of-2');
    expect(new Set(ofPlatform).size).toBe(ofPlatform.length);
    // Nobody pays for a call of this API.
    expect(
      (ROUTES as readonly Route[]).filter(({ api, paid }) => api === 'platform' && paid === true),
    ).toEqual([]);
    expect(ofPlatform.join()).not.toContain('dearest');
  });

  it.each<[ConfigurationName, StackName, string]>([
    ['standard', 'inference', 'prod/inference/refused-addresses'],
    ['fargate', 'ingress', 'prod/host/one-call'],
  ])('belong to the stack of their log group: %s, %s, %s', (configuration, stack, query) => {
    const queries = savedIn(new SynthesizedApp(configuration), stack).find(({ name }) => name === query);
    expect(queries?.groups).toHaveLength(1);
    const [group] = queries?.groups ?? [];
    const { Type: type } =
      new SynthesizedApp(configuration).templates[stack].Resources[group?.Ref ?? ''] ?? {};
    expect(type).toBe('AWS::Logs::LogGroup');
  });
});
