import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SEED } from '../../tools/test-kit/seed.ts';
import { Owner } from '../system/owner.ts';
import { type Belongings, makeBelongings, RECEIVER } from '../system/platform/reaches.ts';
import { Service } from '../system/service.ts';
import { runTool } from './tools.ts';

const THOROUGH = Number(process.env.THOROUGH ?? 1);
const isThorough = THOROUGH > 1;

/** To each operation. Those of a thorough run are besides the ones at the limits of each field. */
const EXAMPLES = { Inference: 5, others: 3 };

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

const service = new Service({ COMPUTE: 'host', WEBHOOK_ALLOW_LOOPBACK: '1' });
const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
/** In a file: Schemathesis passes over the address that it reads the description from. */
const document = join(folder, 'openapi.json');
let callers: Readonly<Record<string, unknown>>;
let owner: Owner;
let key: string;

/**
 * Creates the objects and credentials that `hooks.py` puts into the requests, so that not all requests are rejected for
 * unknown ids.
 */
async function makeCallers() {
  owner = await Owner.open(service);
  const calling = await owner.createKey({ name: 'calls', policy: { rpm: 100_000 } });
  ({ key } = calling);
  const spares: Belongings[] = [];
  while (spares.length < 3) spares.push(await makeBelongings(service, owner, 20));
  const body = { model: 'sim/chat', messages: [{ role: 'user', content: 'Hi' }] };
  const call = await service.chat(body, { key });
  const chat = ['sim/chat', 'sim/chat-anthropic', 'sim/chat-bedrock'];
  const listings = (collection: string) => ({
    id: spares.map(({ listingIds }) => listingIds[collection]),
    version: ['1.0.0', '2.0.0'],
  });
  return {
    key,
    session: owner.session,
    leaver: (await Owner.open(service)).session,
    kept: calling.id,
    receiver: RECEIVER,
    models: {
      '/v1/chat/completions': chat,
      '/v1/messages': chat,
      '/v1/messages/count_tokens': chat,
      '/v1/responses': chat,
      '/v1/responses/input_tokens': chat,
      '/v1/embeddings': ['sim/embed'],
      '/v1/images/generations': ['sim/image'],
      '/v1/audio/speech': ['sim/speech'],
    },
    ids: {
      '/api-keys/': { id: spares.map(({ keyId }) => keyId) },
      '/credits/': { api_key: [key] },
      '/v1/usage/': { request_id: [call.headers.get('x-request-id')] },
      '/v1/models/': { model: chat },
      '/api/orders/': { order_id: spares.slice(0, 1).map(({ orderId }) => orderId) },
      '/api/v1/webhooks/': {
        id: spares.map(({ webhookId }) => webhookId),
        delivery_id: spares.map(({ deliveryId }) => deliveryId),
      },
      '/apps/': listings('apps'),
      '/ai-agents/': listings('ai-agents'),
    },
  };
}

beforeAll(async () => {
  await service.start();
  callers = await makeCallers();
  writeFileSync(document, await (await service.fetch('/openapi.json')).text());
});
afterAll(async () => {
  await service.dispose();
  rmSync(folder, { recursive: true, force: true });
});

interface Report {
  readonly operations: { readonly selected: number; readonly tested: number };
  readonly test_cases: { readonly generated: number };
  readonly warnings: { readonly unsupported_regex: readonly unknown[] };
}

async function draw(name: string, filter: readonly string[], examples: number, description = document) {
  const file = join(folder, `${name}-report.json`);
  const { exitCode, output } = await runTool(
    'schemathesis',
    [
      'run',
      description,
      '--url',
      service.session.base_url,
      ...filter,
      '--checks',
      CHECKS.join(','),
      '--mode',
      'all',
      '--seed',
      String(SEED),
      '--phases',
      isThorough ? 'coverage,fuzzing' : 'fuzzing',
      '--no-shrink',
      '--continue-on-failure',
      '--max-examples',
      String(Math.ceil(examples * THOROUGH)),
      // One worker: CPython 3.11 cannot parse in two threads at a time (its issue 106905).
      '--workers',
      '1',
      '--request-timeout',
      '30',
      '--suppress-health-check',
      'all',
      '--report',
      'json',
      '--report-json-path',
      file,
    ],
    {
      cwd: folder,
      environment: {
        SCHEMATHESIS_HOOKS: 'hooks',
        PYTHONPATH: import.meta.dirname,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONHASHSEED: '0',
        SCHEMA_CALLERS: JSON.stringify(callers),
      },
    },
  );
  return { exitCode, output, report: () => JSON.parse(readFileSync(file, 'utf8')) as Report };
}

describe('requests drawn from openapi.json', () => {
  it(`receive the described responses, and no 5xx error (SEED=${SEED})`, async () => {
    const drawn = await Promise.all([
      draw('inference', ['--include-tag', 'Inference'], EXAMPLES.Inference),
      draw('others', ['--exclude-tag', 'Inference'], EXAMPLES.others),
    ]);
    for (const { exitCode, output } of drawn) expect([exitCode, output]).toEqual([0, output]);
    const reports = drawn.map(({ report }) => report());
    for (const { operations, warnings } of reports) {
      expect(operations.tested).toBe(operations.selected);
      expect(warnings.unsupported_regex).toEqual([]);
    }
    const { paths } = JSON.parse(readFileSync(document, 'utf8')) as { readonly paths: object };
    const described = Object.values(paths).reduce((sum, path: object) => sum + Object.keys(path).length, 0);
    const count = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
    expect(count(reports.map(({ operations }) => operations.selected))).toBe(described);
    const cases = count(reports.map(({ test_cases: { generated } }) => generated));
    expect(cases).toBeGreaterThan(described);
  }, 900_000);

  it('detect a response that does not match its description', async () => {
    const path = '/health';
    const described = JSON.parse(readFileSync(document, 'utf8')) as {
      readonly paths: Readonly<Record<string, { readonly get: { responses: object } }>>;
    };
    const operation = described.paths[path]?.get;
    if (operation === undefined) throw new Error(`${path} is not described`);
    operation.responses = { 418: { description: 'A teapot.' } };
    const untrue = join(folder, 'untrue-openapi.json');
    writeFileSync(untrue, JSON.stringify(described));
    const { exitCode, output } = await draw('untrue', ['--include-path', path], 1, untrue);
    expect([exitCode, output]).toEqual([1, expect.stringContaining('Undocumented status code')]);
  });

  it('leave no hold, and an exact ledger', async () => {
    const response = await service.fetch(`/credits/${key}`, { key });
    expect(await response.json()).toMatchObject({ object: 'credit_balance', held: 0 });
    expect(await service.admin('audit')).toMatchObject({ exact: true, drift: 0, held: 0 });
  });
});
