import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { startDatabase, type TestDatabase } from '../../../tools/test-kit/engine.ts';
import { ForkedProcesses } from '../../../tools/test-kit/forked-processes.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { drawsOf } from '../../../tools/test-kit/seed.ts';
import { rounds } from '../../../tools/test-kit/thorough.ts';
import { withinOneMinute } from '../../../tools/test-kit/waiting.ts';
import type { Policy } from '../../access/core/keys/policy.ts';
import { WalletReads } from '../store/wallet/reads.ts';
import type { Race, RaceResult } from '../testing/admission-process.ts';
import { ledgerOf, NOON_MS, openAccount, openLedger } from '../testing/running-ledger.ts';
import { splitWallet } from '../testing/split-wallet.ts';
import { brokenShard } from '../testing/stored-shards.ts';

const PROCESSES = 4;
const CALLS = 200;
const AMOUNT = 1_000;
const PLENTY = 10n ** 15n;
/** The leases of slow machines close late. */
const MAX_MS = rounds(240_000);

let folder: string;
let database: TestDatabase;
let processes: ForkedProcesses;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledger-'));
  const script = join(import.meta.dirname, '..', 'testing', 'admission-process.ts');
  [processes, database] = await Promise.all([
    ForkedProcesses.start(script, PROCESSES),
    startDatabase(join(folder, 'ledger.sqlite')),
  ]);
});

afterAll(async () => {
  await processes.end();
  await database.stop();
  await rm(folder, { recursive: true });
});

interface Edge {
  readonly balance?: bigint;
  /** Shares of the balance that lie in further shards, of a hundred. */
  readonly shares?: readonly number[];
  readonly policy?: Policy;
  /** The calls that it affords. Slack would be less than one call, so that no refusal waits for it. */
  readonly affords: number;
  readonly code: string;
}

const usd = (calls: number) => BigInt(calls * AMOUNT);
const draw = drawsOf('shares of wallets');

/** A wallet that affords 0 to 60 calls and a part of one, in at most 25 shards. */
function splitEdge(): Edge {
  const affords = Math.floor(draw() * 61);
  const shards = 1 + Math.floor(draw() * 24);
  const shares = Array.from({ length: shards }, () => Math.floor((draw() * 100) / shards));
  const balance = usd(affords) + BigInt(Math.floor(draw() * AMOUNT));
  return { balance, shares, affords, code: 'insufficient_credit' };
}

const EDGES: Readonly<Record<string, () => Edge>> = {
  'a wallet': () => ({ balance: usd(37) + 999n, affords: 37, code: 'insufficient_credit' }),
  'a wallet in several shards': splitEdge,
  'a daily cap': () => ({ policy: { daily_usd: usd(12) + 500n }, affords: 12, code: 'daily_usd_exceeded' }),
  'a monthly cap': () => ({ policy: { monthly_usd: usd(12) }, affords: 12, code: 'monthly_usd_exceeded' }),
  'a limit of requests a minute': () => ({ policy: { rpm: 7 }, affords: 7, code: 'requests_per_minute' }),
};

/** Shares the calls out over the processes, which begin together, and returns what is left of the account. */
async function race({ balance = PLENTY, shares = [], policy = {} }: Edge, isHost: boolean, cost: number) {
  const account = await openAccount(database.client, balance, { rpm: 100_000, ...policy });
  const { accountId, keys } = account;
  const amounts = shares.map((share) => (balance * BigInt(share)) / 100n);
  await splitWallet(database, accountId, amounts);
  const { endpoint, client, tables } = database;
  const time = isHost ? {} : { nowMs: NOON_MS };
  const results = await processes.ask<RaceResult>(
    () =>
      ({ endpoint, key: keys[0], ...time, calls: CALLS / PROCESSES, amount: AMOUNT, cost }) satisfies Race,
  );
  const rejections: Record<string, number> = {};
  for (const [code, count] of results.flatMap((result) => Object.entries(result.rejections)))
    rejections[code] = (rejections[code] ?? 0) + count;
  const granted = results.reduce((sum, result) => sum + result.granted, 0);
  const ledger = openLedger({ clients: database, clock: () => time.nowMs ?? Date.now() });
  const { dayLeft } = (await ledger.keys.read(keys[0].keyId)) ?? {};
  const shards = await new WalletReads(client, tables.wallets).readAll(accountId);
  const broken = shards.flatMap(brokenShard);
  return { granted, rejections, dayLeft, broken, ...(await ledgerOf(client, account)) };
}

describe.each([
  ['functions', false, 6],
  ['shared hosts, which have leases', true, 1],
] as const)(`${CALLS} calls over ${PROCESSES} processes of %s`, (_kind, isHost, splits) => {
  it.each(Object.keys(EDGES))(
    'pass exactly as far as %s affords them, and hold nothing afterward',
    async (name) => {
      const times = rounds(EDGES[name] === splitEdge ? splits : 1);
      for (let at = 0; at < times; at += 1) {
        const edge = EDGES[name]?.() ?? splitEdge();
        const { affords, code, balance = PLENTY, policy } = edge;
        const left = await withinOneMinute(() => race(edge, isHost, AMOUNT));
        expect(left).toMatchObject({ granted: affords, rejections: { [code]: CALLS - affords }, broken: [] });
        expect(Object.keys(left.rejections)).toEqual([code]);
        expect(left.records).toHaveLength(affords);
        expect(left.wallet).toMatchObject({ balance: balance - usd(affords), holds: [] });
        expect(left.audit).toMatchObject({ exact: true, usage: usd(affords) });
        const cap = policy?.daily_usd;
        if (cap !== undefined) expect(left.dayLeft).toBe(cap - usd(affords));
      }
    },
    MAX_MS,
  );

  it('leave an exact ledger, cap and wallet if they cost less than they hold', async () => {
    const edge = { balance: usd(50), policy: { daily_usd: usd(1_000) }, affords: 50, code: '' };
    const { granted, rejections, ...left } = await withinOneMinute(() => race(edge, isHost, 900));
    expect(Object.keys(rejections)).toEqual(granted === CALLS ? [] : ['insufficient_credit']);
    expect(granted).toBeGreaterThanOrEqual(edge.affords);
    const spent = BigInt(granted) * 900n;
    expect(left.records).toHaveLength(granted);
    expect(left.wallet).toMatchObject({ balance: usd(50) - spent, holds: [] });
    expect(left).toMatchObject({
      broken: [],
      dayLeft: usd(1_000) - spent,
      audit: { exact: true, usage: spent },
    });
  });
});
