import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { PaymentLedger } from '../books.ts';
import type { Courier } from '../courier.ts';
import { Connect } from './connect.ts';
import { noConnectRecords, type PayoutRecord } from './records.ts';

const payout = (id: string, status: PayoutRecord['status']): PayoutRecord => ({
  id,
  object: 'payout',
  account: 'acct_1',
  amount: 500,
  currency: 'usd',
  metadata: {},
  status,
  failure_code: null,
  arrival_date: 0,
  created: 0,
});

it('pays the payouts on whose way the last process ended, once', async () => {
  const timers: (() => void)[] = [];
  const sent: unknown[] = [];
  const after = (_ms: number, run: () => void) => {
    timers.push(run);
    return () => {};
  };
  const time = { clock: () => 0, after };
  const records = noConnectRecords();
  for (const status of ['pending', 'paid', 'failed'] as const)
    records.payouts[status] = payout(status, status);
  const courier = { send: async (...event: unknown[]) => void sent.push(event) } as unknown as Courier;
  const connect = new Connect(new PaymentLedger(join(tmpdir(), 'no-such-file'), records, time), courier);
  for (const run of timers) run();
  expect(connect.payouts.map(({ status }) => status)).toEqual(['paid', 'paid', 'failed']);
  expect(sent).toMatchObject([['payout.paid', { id: 'pending' }, 'acct_1']]);
});
