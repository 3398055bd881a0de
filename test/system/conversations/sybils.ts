import { afterEach, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { Payer } from '../payer.ts';
import { service } from './service.ts';

/** The number of accounts that may close a route for all, if they have paid (decision of 2026-11-25 on circuits). */
const ACCOUNTS = 3;
/** More than any circuit needs, of each account. */
const CALLS = 8;

/** Four images of 0.04 USD each: together the calls make an account one that has paid. */
const IMAGES = { model: 'sim/image', prompt: 'a fox', size: '512x512', n: 4 };
const IMAGE_CALLS = 7;

const CHAT = { model: 'sim/chat-plain', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 };

const call = (payer: Payer) => payer.post('/v1/chat/completions', CHAT);

async function failAll(payers: readonly Payer[], fault: object): Promise<void> {
  await service.fault(fault, {}, 0);
  const responses = await Promise.all(
    payers.map(async (payer) => {
      const statuses: number[] = [];
      for (let at = 0; at < CALLS; at += 1) statuses.push((await call(payer)).status);
      return statuses;
    }),
  );
  expect(responses.flat()).not.toContain(200);
  await service.endFaults();
}

const open = (credits: string) =>
  Promise.all(Array.from({ length: ACCOUNTS }, () => Payer.open(service, credits)));

afterEach(() => service.endFaults());

describe('three accounts with a cent each', () => {
  it.each([
    ['that the route limits', { status: 429, headers: { 'retry-after': '60' } }],
    ['that the route forbids', { status: 403 }],
    ['that the route does not find', { status: 404 }],
    ['at which the route fails', { status: 500 }],
  ])('close no route for others by calls %s', async (_what, fault) => {
    await failAll(await open('0.01'), fault);
    const other = await Payer.open(service, '0.01');
    expect((await call(other)).status).toBe(200);
  });
});

it('three accounts that have paid a dollar each close a route that fails them', async () => {
  const payers = await open('3');
  // One after the other: simultaneous calls would divide the wallet, and each part knows its own payments.
  for (const payer of payers) {
    for (let at = 0; at < IMAGE_CALLS; at += 1)
      expect((await payer.post('/v1/images/generations', IMAGES)).status).toBe(200);
    await payer.wallet();
  }
  const other = await Payer.open(service, '0.01');
  const closed = async () => {
    await failAll(payers, { status: 500 });
    return (await call(other)).status;
  };
  // A process reads circuits every two seconds.
  expect(await until(closed, (status) => status === 503)).toBe(503);
});
