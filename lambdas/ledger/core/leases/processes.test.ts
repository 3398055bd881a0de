import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { ForkedProcesses } from '../../../../tools/test-kit/forked-processes.ts';
import { it } from '../../../../tools/test-kit/search.ts';
import { drawsOf } from '../../../../tools/test-kit/seed.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { withinOneMinute } from '../../../../tools/test-kit/waiting.ts';
import type { Policy } from '../../../access/core/policy.ts';
import { fileDatabase } from '../../../platform/testing/file-database.ts';
import type { Race, RaceResult } from '../../testing/admission-process.ts';
import { ledgerOf, openAccount } from '../../testing/running-ledger.ts';
import { splitWallet } from '../../testing/split-wallet.ts';

const PROCESSES = 4;
const CALLS = 200;
const AMOUNT = 1_000;
const PLENTY = 10n ** 15n;
const RACES = rounds(1);
/** The leases of slow machines close late. */
const MAX_MS = 240_000;

const database = fileDatabase();
let processes: ForkedProcesses;

beforeAll(async () => {
  const script = join(import.meta.dirname, '..', '..', 'testing', 'admission-process.ts');
  processes = await ForkedProcesses.start(script, PROCESSES);
}, 60_000);
afterAll(() => processes.end());

interface Edge {
  readonly balance?: bigint;
  readonly policy?: Policy;
  /** The calls that it affords. Slack would be less than one call, so that no refusal waits for it. */
  readonly affords: number;
  readonly shards?: number;
}

const usd = (calls: number) => BigInt(calls * AMOUNT);

const EDGES: Readonly<Record<string, Edge>> = {
  'a wallet': { balance: usd(37) + 999n, affords: 37 },
  'a wallet in five shards': { balance: usd(37) + 999n, affords: 37, shards: 5 },
  'a daily cap': { policy: { daily_usd: usd(12) + 500n }, affords: 12 },
  'a monthly cap': { policy: { monthly_usd: usd(12) }, affords: 12 },
  'a limit of requests a minute': { policy: { rpm: 7 }, affords: 7 },
};

const draw = drawsOf('shares of leased wallets');

async function race({ balance = PLENTY, policy = {}, shards = 1 }: Edge) {
  const account = await openAccount(database.client, balance, { rpm: 100_000, ...policy });
  const shares = Array.from({ length: shards - 1 }, () => (balance * BigInt(Math.floor(draw() * 25))) / 100n);
  await splitWallet(database, account.accountId, shares);
  const { endpoint } = database;
  const [key] = account.keys;
  const results = await processes.ask<RaceResult>(
    () => ({ endpoint, key, calls: CALLS / PROCESSES, amount: AMOUNT, cost: AMOUNT }) satisfies Race,
  );
  return { account, granted: results.reduce((sum, each) => sum + each.granted, 0) };
}

describe(`${CALLS} calls over ${PROCESSES} processes with leases`, () => {
  it.each(Object.keys(EDGES))(
    'pass exactly as far as %s affords them, and hold nothing afterward',
    async (name) => {
      const edge = EDGES[name] as Edge;
      for (let at = 0; at < RACES; at += 1) {
        const { account, granted } = await withinOneMinute(() => race(edge));
        expect(granted).toBe(edge.affords);
        const { wallet, audit, records } = await ledgerOf(database.client, account);
        expect(records).toHaveLength(granted);
        expect(wallet).toMatchObject({ balance: (edge.balance ?? PLENTY) - usd(granted), holds: [] });
        expect(audit).toMatchObject({ exact: true, usage: usd(granted) });
      }
    },
    MAX_MS,
  );
});
