import { describe, expect, it } from '@jest/globals';
import { validate } from '../../platform/core/json/json-body.ts';
import { deliveryWith } from '../../webhooks/testing/memory-deliveries.ts';
import {
  destinationEntry,
  destinationRequest,
  newDestination,
  requireBase,
  requireTelemetry,
  settingsText,
} from './destination.ts';

const URL = 'https://otlp.example.com';
const SECRET = 'canary-of-a-header';
const parse = (fields: object) => validate(destinationRequest, { url: URL, ...fields });

describe('a request for a destination', () => {
  it('needs an address alone, and names headers in lower case', () => {
    expect(parse({})).toEqual({ url: URL, headers: {}, attribute_names: 'stable' });
    expect(parse({ headers: { 'X-Api-Key': 'k' } }).headers).toEqual({ 'x-api-key': 'k' });
  });

  it.each([
    [{ url: undefined }, 'url'],
    [{ url: 'x'.repeat(2_001) }, 'url'],
    [{ attribute_names: 'old' }, 'attribute_names'],
    [{ headers: [] }, 'headers'],
    [{ headers: { 'a b': SECRET } }, 'headers.a b'],
    [{ headers: { a: `${SECRET}\r\nb: c` } }, 'headers.a'],
    [{ headers: { a: '' } }, 'headers.a'],
    [{ headers: { a: SECRET.repeat(200) } }, 'headers.a'],
    [{ headers: { 'Content-Type': SECRET } }, 'headers.content-type'],
    [{ headers: { host: SECRET } }, 'headers.host'],
    [{ headers: Object.fromEntries([...Array(17).keys()].map((n) => [`h${n}`, SECRET])) }, 'headers'],
    [
      { headers: Object.fromEntries([...Array(4).keys()].map((n) => [`h${n}`, 'x'.repeat(2_000)])) },
      'headers',
    ],
  ])('fails by the name of its field, without a value of a header (%#)', (fields, param) => {
    const failure = expect.objectContaining({
      status: 400,
      param,
      message: expect.not.stringContaining(SECRET),
    });
    expect(() => parse(fields)).toThrow(failure as unknown as Error);
  });

  it('needs an address to which paths can be appended', () => {
    for (const path of ['?a=b', '/x#y'])
      expect(() => requireBase(URL + path)).toThrow('url: must have no query');
    requireBase(`${URL}/otlp/`);
  });

  it('waits for the end of the upgrade', () => {
    expect(() => requireTelemetry(1)).toThrow(
      expect.objectContaining({ code: 'upgrade_unfinished' }) as never,
    );
    requireTelemetry(2);
  });
});

describe('the entry of a destination', () => {
  const created = 1_784_116_800;
  const subscription = newDestination('acc_1', URL, created * 1000);
  const secrets = [settingsText({ headers: { authorization: SECRET }, attribute_names: 'both' })];
  const attempt = { number: 1, durationMs: 5, outcome: 'status', status: 503 } as const;

  it('shows names of headers and the results of its own batches, and no value', () => {
    const latest = [
      deliveryWith({ createdMs: created * 1000 - 1, status: 'dead' }),
      deliveryWith({
        createdMs: created * 1000,
        status: 'delivered',
        log: [
          { ...attempt, atMs: 1_000 },
          { ...attempt, atMs: 2_000, outcome: 'delivered', status: 200 },
        ],
      }),
    ];
    const entry = destinationEntry(
      { subscription: { ...subscription, failingSinceMs: 1_000 }, secrets },
      latest,
    );
    expect(entry).toMatchObject({
      url: URL,
      header_names: ['authorization'],
      attribute_names: 'both',
      status: 'failing',
      last_success: '1970-01-01T00:00:02.000Z',
      last_error: { outcome: 'status', response_status: 503 },
      batches: { delivered: 1, pending: 0, dropped: 0 },
    });
    expect(JSON.stringify(entry)).not.toContain(SECRET);
  });
});
