import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { systemUlid } from '../../platform/system/system.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import {
  callOf,
  ledgerOf,
  openAccount,
  outcomeOf,
  SILENT,
  type TestAccount,
} from '../testing/running-ledger.ts';
import { createLeasedCalls } from './create-leases.ts';
import { createLedger } from './create-ledger.ts';

const database = fileDatabase();

/** A process of the shared host. */
function openHost() {
  const options = {
    clients: database,
    environment: { ...database.environment, HOLD_TTL_SECONDS: '1200' },
    log: SILENT,
    measure: () => {},
  };
  const leased = createLeasedCalls(options);
  return { ...createLedger({ ...options, leased: () => leased }), leased };
}

const newCall = ({ keys: [key] }: TestAccount, amount: bigint) => ({
  ...callOf(key, amount),
  requestId: `req_${systemUlid()}`,
});

describe('leases on the real engine', () => {
  it('admit as many calls as the wallet affords, over several processes, and leave nothing held', async () => {
    const account = await openAccount(database.client, 1_000n, { rpm: 10_000 });
    const hosts = [openHost(), openHost(), openHost()];
    const attempts = Array.from({ length: 60 }, async (_, at) => {
      const admission = await hosts[at % 3]?.ledger.admit(newCall(account, 50n));
      return admission?.settle(outcomeOf(50n));
    });
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    await Promise.all(hosts.map(({ leased }) => leased.leases.stop(5_000)));
    const { wallet, audit } = await ledgerOf(database.client, account);
    expect(wallet).toMatchObject({ balance: 0n, holds: [] });
    expect(audit).toMatchObject({ exact: true });
  });

  it('admit the calls of a key in steady use without a request', async () => {
    const account = await openAccount(database.client, 1_000_000n, { rpm: 10_000 });
    const { ledger, leased } = openHost();
    for (let at = 0; at < 40; at += 1) {
      const admission = await ledger.admit(newCall(account, 50n));
      await admission.settle(outcomeOf(30n));
      await sleep(20);
    }
    await leased.leases.stop(5_000);
    const { wallet, audit } = await ledgerOf(database.client, account);
    expect(wallet).toMatchObject({ balance: 1_000_000n - 1_200n, holds: [] });
    expect(audit).toMatchObject({ exact: true });
  });
});
