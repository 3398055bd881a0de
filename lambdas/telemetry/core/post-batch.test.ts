import { gunzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';
import type { SendRequest, SendResult } from '../../webhooks/core/ports.ts';
import { EVENT } from '../../webhooks/testing/memory-deliveries.ts';
import { CALL } from '../testing/calls.ts';
import { newDestination, settingsText } from './destination.ts';
import { createBatchPost } from './post-batch.ts';

const service = { name: 'unified-inference', version: '1.0.0' };
const secrets = [settingsText({ headers: { authorization: 'Bearer t' }, attribute_names: 'stable' })];
const OK: SendResult = { outcome: 'delivered', status: 200, body: '' };
const status = (status: number, retryAfter?: string): SendResult => ({
  outcome: 'status',
  status,
  body: 'Bearer t',
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

/** Posts one call to a receiver that answers so. */
async function post(...results: readonly SendResult[]) {
  const sent: SendRequest[] = [];
  const send = async (request: SendRequest) => results[sent.push(request) - 1] ?? OK;
  const subscription = newDestination('acc_1', 'https://otlp.example.com/otlp/', 0);
  const event = { ...EVENT, data: { calls: [{}] } };
  const result = await createBatchPost({ send, decode: () => CALL, service })(
    { subscription, secrets },
    event,
  );
  return { sent, result };
}

it('a batch is posted as spans and then as metrics, compressed, with the headers of its destination', async () => {
  const { sent, result } = await post();
  expect(result).toEqual({ outcome: 'delivered', status: 200 });
  expect(sent.map(({ url }) => url)).toEqual([
    'https://otlp.example.com/otlp/v1/traces',
    'https://otlp.example.com/otlp/v1/metrics',
  ]);
  for (const { headers, body } of sent) {
    expect(headers).toEqual({
      authorization: 'Bearer t',
      'content-type': 'application/x-protobuf',
      'content-encoding': 'gzip',
      'user-agent': 'unified-inference/1.0.0',
    });
    expect(gunzipSync(body as Uint8Array).includes('unified-inference')).toBe(true);
  }
});

it.each([
  ['a lost connection is retried', [{ outcome: 'timeout' }], 1, { outcome: 'timeout' }],
  ...[429, 502, 503, 504].map(
    (code) =>
      [
        `${code} is retried after its pause`,
        [status(code, '7')],
        1,
        { outcome: 'status', status: code, retryAfter: '7' },
      ] as const,
  ),
  ...[301, 400, 401, 404, 413, 500].map(
    (code) =>
      [
        `${code} is final, and metrics still go`,
        [status(code)],
        2,
        { outcome: 'status', status: code, isFinal: true },
      ] as const,
  ),
  ['metrics are retried', [OK, status(503)], 2, { outcome: 'status', status: 503 }],
  ['metrics alone may be rejected', [OK, status(404)], 2, { outcome: 'status', status: 404, isFinal: true }],
  [
    'a part that is rejected is not sent again',
    [{ ...OK, body: '\n\u0004\b\u0002\u0012\u0000' }],
    2,
    { outcome: 'status', status: 200, isFinal: true },
  ],
  [
    'a warning is a success',
    [{ ...OK, body: '\n\u0003\u0012\u0001\b' }],
    2,
    { outcome: 'delivered', status: 200 },
  ],
] as readonly (readonly [string, readonly SendResult[], number, SendResult])[])(
  'the result follows the protocol, and repeats no body: %s',
  async (_title, results, posts, expected) => {
    const { sent, result } = await post(...results);
    expect(result).toEqual(expected);
    expect(sent).toHaveLength(posts);
  },
);
