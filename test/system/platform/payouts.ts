/** Payouts through the service's own routes, to an account at the simulator; the event arrives at a receiver that verifies it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../../tools/test-kit/waiting.ts';
import { Owner } from '../owner.ts';
import { errorOf } from '../payer.ts';
import { service } from './service.ts';
import { type EventReceiver, receiveEvents } from './verified-events.ts';

/** Each operator's command is a process: on a busy machine it takes seconds. */
let seller: Owner;
let receiver: EventReceiver;

beforeAll(async () => {
  seller = await Owner.open(service);
  receiver = await receiveEvents(seller, ['payout.paid']);
});

afterAll(() => receiver.close());

/** Runs the worker until the request has another result. */
const runUntil = <T>(read: () => Promise<T>, isReached: (value: T) => boolean) =>
  until(async () => {
    expect(await service.admin('market', 'run')).toMatchObject({ failed: 0 });
    return read();
  }, isReached);

const earnings = () => seller.json('/api/v1/earnings');

describe('a payout', () => {
  it('goes from a sale to the bank, and its event is verified at the receiver of the seller', async () => {
    const buyer = await Owner.open(service);
    await buyer.buy(20);
    await seller.sellTo(buyer, 2_000);
    await runUntil(earnings, ({ available }) => available === 20);

    expect(await errorOf(await seller.send('POST', '/api/v1/payouts', {}))).toMatchObject({
      status: 403,
      code: 'payouts_disabled',
    });
    const opened = await seller.send('POST', '/api/v1/payout-account', { country: 'DE' });
    const account = (await opened.json()) as { readonly status: string; readonly onboarding_url: string };
    expect([opened.status, account.status]).toEqual([200, 'onboarding']);
    const finished = await fetch(`${account.onboarding_url}/finish`, { method: 'POST', redirect: 'manual' });
    expect([finished.status, finished.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/\/console\?returned=payout_account$/),
    ]);
    expect(await earnings()).toMatchObject({ payouts: { status: 'active' } });

    // The first payout waits for twice the maturity.
    const requested = await until(
      () => seller.send('POST', '/api/v1/payouts', {}),
      ({ status }) => status !== 409,
    );
    const payout = (await requested.json()) as { readonly id: string; readonly created: number };
    expect([requested.status, payout]).toMatchObject([201, { amount: 2_000, status: 'pending' }]);
    expect(await errorOf(await seller.send('POST', '/api/v1/payouts', {}))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
    const paid = await runUntil(
      () => seller.json(`/api/v1/payouts/${payout.id}`),
      ({ status }) => status === 'paid',
    );
    expect(await earnings()).toMatchObject({ available: 0, in_transit: 0, paid_out: 20 });
    const events = await until(
      async () => receiver.events,
      ({ length }) => length > 0,
    );
    expect(events).toEqual([
      expect.objectContaining({
        type: 'payout.paid',
        data: {
          payout_id: payout.id,
          amount: 2_000,
          currency: 'USD',
          arrival_date: paid.arrival_date,
          created: payout.created,
        },
      }),
    ]);
    expect(await service.admin('market', 'run')).toMatchObject({ failed: 0, payouts: { advanced: 0 } });
    expect(receiver.events).toHaveLength(1);
    expect(await service.admin('audit', '--whole')).toMatchObject({ exact: true, drift: 0 });
  });
});
