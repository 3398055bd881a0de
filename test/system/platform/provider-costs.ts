import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import type { Route } from '../../../lambdas/platform/contract/route.ts';
import { form, wav } from '../../../tools/test-kit/recordings.ts';
import { LeftoverTexts } from '../left-texts.ts';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

/** The provider's cost of each call below. No other value contains these digits, wherever the decimal point is. */
const DIGITS = '31337424242';
const PER_REQUEST = '31337.424242';

/** A cost in the unit of the price that comes to these digits. */
function costIn(unit: string): object {
  switch (unit) {
    case 'per_million_tokens':
      return { unit, input: 0, output: 0, request: PER_REQUEST };
    case 'per_image':
      return { unit, image: PER_REQUEST };
    case 'per_million_characters':
      // Ten characters are sent.
      return { unit, character: PER_REQUEST };
    case 'per_minute':
      // Twelve seconds are sent.
      return { unit, minute: '156687.12121' };
    default:
      throw new Error(`no cost in ${unit}`);
  }
}

interface Document {
  readonly models: readonly {
    readonly id: string;
    readonly price: { readonly unit: string };
    readonly routes: readonly object[];
  }[];
}

let payer: Payer;
let applied: Document;

beforeAll(async () => {
  const { document } = await service.admin<{ readonly document: Document }>('catalog', 'show');
  const models = document.models.map((model) => ({
    ...model,
    routes: model.routes.map((route) => ({ ...route, cost: costIn(model.price.unit) })),
  }));
  applied = { ...document, models };
  // Applied before any function has read a catalog.
  const file = join(service.directory, 'costs.json');
  writeFileSync(file, JSON.stringify(applied));
  await service.admin('catalog', 'apply', file, '--remove');
  payer = await Payer.open(service, '5');
});

const chat = (stream: boolean) => ({
  model: 'sim/chat',
  messages: [{ role: 'user', content: 'hi' }],
  max_tokens: 20,
  stream,
});

const CALLS: readonly (readonly [string, () => Promise<Response>])[] = [
  ...[false, true].flatMap((stream) => [
    [`chat, stream: ${stream}`, () => payer.post('/v1/chat/completions', chat(stream))] as const,
    [`messages, stream: ${stream}`, () => payer.post('/v1/messages', chat(stream))] as const,
  ]),
  ['embeddings', () => payer.post('/v1/embeddings', { model: 'sim/embed', input: 'a' })],
  ['images', () => payer.post('/v1/images/generations', { model: 'sim/image', prompt: 'a' })],
  ['speech', () => payer.post('/v1/audio/speech', { model: 'sim/tts', input: 'ten chars.' })],
  ['a transcription', () => payer.post('/v1/audio/transcriptions', form(wav(12), 'a.wav'))],
];

const send = (api: Route['api'], path: string): Promise<Response> => {
  const { base_url: inference, platform_url: platform } = service.session;
  return fetch(`${api === 'inference' ? inference : platform}${path}`, {
    headers: { authorization: `Bearer ${payer.key}` },
  });
};

/** Everything of an answer that its caller sees, without decimal points. */
const shownTextOf = async (response: Response): Promise<string> =>
  `${JSON.stringify([...response.headers])}${await response.text()}`.replaceAll('.', '');

const amountsIn = (shownText: string): string[] =>
  [DIGITS.slice(0, 8), '15668712', 'provider_cost', 'providerCost', 'margin'].filter((value) =>
    shownText.includes(value),
  );

describe('the cost of a provider', () => {
  it.each(CALLS)('appears neither in the response of a call nor in its receipt: %s', async (_name, call) => {
    const response = await call();
    expect(response.status).toBe(200);
    const id = response.headers.get('x-request-id');
    expect(amountsIn(await shownTextOf(response))).toEqual([]);
    const receipt = await send('inference', `/v1/usage/${id}`);
    expect(receipt.status).toBe(200);
    const shownText = await shownTextOf(receipt);
    expect(shownText).toContain('"status":"completed"');
    expect(amountsIn(shownText)).toEqual([]);
  });

  it.each(
    ROUTES.filter(
      ({ method, path, authentication }) =>
        method === 'GET' &&
        !path.includes('{') &&
        authentication !== 'session' &&
        authentication !== 'operator',
    ).map(({ api, path }) => [path, api] as const),
  )('appears in no response of GET %s', async (path, api) => {
    const needed = path.startsWith('/v1/organization/') ? '?start_time=0' : '';
    const response = await send(api, `${path}${needed}`);
    expect(response.status).toBeLessThan(400);
    const shownText = await shownTextOf(response);
    // What an operator may see is described to everybody, by name.
    const theirs = path === '/openapi.json' ? ['provider_cost', 'margin'] : [];
    expect(amountsIn(shownText)).toEqual(theirs);
  });

  it('appears in the records of these calls', () => {
    const leftoverTexts = new LeftoverTexts(service);
    for (const text of ['provider_cost', DIGITS]) expect(leftoverTexts.find(text).files).not.toEqual([]);
  });
});

describe('catalog watch', () => {
  const watch = (document: object) => {
    const file = join(service.directory, 'newer.json');
    writeFileSync(file, JSON.stringify(document));
    return service.admin<{ readonly findings: readonly unknown[] }>('catalog', 'watch', file);
  };

  it('names model, route, rate and both values if a provider charges more', async () => {
    const dearer = { unit: 'per_million_tokens', input: 0, output: 0.125, request: PER_REQUEST };
    const models = applied.models.map((model) =>
      model.id === 'sim/chat'
        ? { ...model, routes: model.routes.map((route) => ({ ...route, cost: dearer })) }
        : model,
    );
    const { findings } = await watch({ ...applied, models });
    expect(findings).toContainEqual(
      expect.objectContaining({
        model: 'sim/chat',
        route: 'sim-chat',
        costs_outdated: [
          { rate: 'output', catalog: 0, per: 1_000_000, reference: 0.125, reference_per: 1_000_000 },
        ],
      }),
    );
  });

  it('rejects an invalid catalog with the field’s name, and ends with --none', async () => {
    await expect(watch({ models: [{ id: 'a' }] })).rejects.toThrow('type');
    await expect(service.admin('catalog', 'watch')).rejects.toThrow('--none');
    expect(await service.admin('catalog', 'watch', '--none')).toEqual({ reference: null });
  });
});
