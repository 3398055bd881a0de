/** The shipped catalog in the service: its default models work. Only the addresses of AWS are local. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CheckResult } from '../../../lambdas/operations/core/smoke-test/check.ts';
import { until } from '../../../tools/test-kit/waiting.ts';
import { ROOT } from '../example-run.ts';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

interface RouteDocument {
  readonly id: string;
  readonly protocol: string;
  readonly auth?: string;
  readonly base_url?: string;
}

interface Document {
  readonly models: readonly { readonly id: string; readonly routes: readonly RouteDocument[] }[];
  readonly defaults: Readonly<Record<string, string>>;
}

const SHIPPED = JSON.parse(readFileSync(join(ROOT, 'catalogs/bedrock.json'), 'utf8')) as Document;

/** Returns a route at the local AWS, whose address names no service. */
function localRoute(route: RouteDocument, origin: string): RouteDocument {
  const { base_url: address, ...fields } = route;
  if (address === undefined || route.auth !== 'sigv4') return fields;
  const { hostname, pathname } = new URL(address);
  const isMantle = hostname.startsWith('bedrock-mantle');
  const base_url = `${origin}${isMantle ? '/bedrock-mantle' : ''}${pathname}`;
  return { ...fields, base_url, ...{ aws_service: isMantle ? 'bedrock-mantle' : 'bedrock' } };
}

const shippedAt = (origin: string): Document => ({
  ...SHIPPED,
  models: SHIPPED.models.map((model) => ({
    ...model,
    routes: model.routes.map((route) => localRoute(route, origin)),
  })),
});

interface SmokeOutput {
  readonly checks: readonly CheckResult[];
}

const payer = Payer.ofTests(service, '1');

/** The names of Claude that both catalogs have, at other prices. */
const ACCEPTED = ['claude-sonnet-4-6', 'claude-haiku-5-5', 'claude-opus-5-5', 'claude-sonnet-5-5'];

async function apply(document: Document, defaultOfChat: string): Promise<void> {
  const file = join(service.directory, 'applied.json');
  writeFileSync(file, JSON.stringify(document));
  const accepted = ACCEPTED.flatMap((name) => ['--accept', name]);
  await service.admin('catalog', 'apply', file, '--remove', ...accepted);
  const listed = async () => {
    const { data } = (await (await service.fetch('/v1/models', { key: payer.key })).json()) as {
      data: { id: string }[];
    };
    return data.map(({ id }) => id);
  };
  await until(listed, (ids) => ids.includes(defaultOfChat));
}

describe('the shipped catalog', () => {
  let before: Document;

  beforeAll(async () => {
    ({ document: before } = await service.admin<{ document: Document }>('catalog', 'show'));
    const signed = before.models.flatMap(({ routes }) => routes).find(({ auth }) => auth === 'sigv4');
    await apply(shippedAt(new URL(signed?.base_url ?? '').origin), String(SHIPPED.defaults.chat));
  });
  afterAll(() => apply(before, 'sim/chat'));

  it('passes the smoke test with its default of every type', async () => {
    // A process that has served calls before reads the catalog again after seconds.
    const smoke = () => service.admin<SmokeOutput>('smoke').catch(() => undefined);
    const { checks = [] } = (await until(smoke, (output) => output !== undefined)) ?? {};
    const passed = checks
      .filter(({ model }) => model !== undefined)
      .map(({ model, result }) => [model, result]);
    expect(new Map(passed as [string, string][])).toEqual(
      new Map(Object.values(SHIPPED.defaults).map((model) => [model, 'ok'])),
    );
  });

  it.each([
    ['tts-1', 'amazon/polly-neural'],
    ['tts-1-hd', 'amazon/polly-generative'],
  ])('lists the model that answers to %s, with its price', async (alias, id) => {
    const listed = async (path: string) => {
      const response = await service.fetch(path, { key: payer.key });
      const { data, models } = (await response.json()) as Record<string, readonly Record<string, unknown>[]>;
      return data ?? models ?? [];
    };
    const has = (entries: readonly object[]) => JSON.stringify(entries).includes(id);
    const [models, prices] = await Promise.all(
      ['/v1/models', '/api/v1/models'].map((path) => until(() => listed(path), has)),
    );
    expect(models?.find((each) => each.id === alias)).toMatchObject({ alias_of: id });
    const { price, unit } = prices?.find(({ model }) => model === alias) ?? {};
    expect([Number(price), unit]).toEqual([alias === 'tts-1' ? 64 : 120, 'per_million_tokens']);
  });
});
