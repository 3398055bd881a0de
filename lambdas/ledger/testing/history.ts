/** A history of calls, crashes and lost answers on one account, what is left of it after recovery, and what is wrong. */
import { isDeepStrictEqual } from 'node:util';
import type { TestDatabase } from '../../../tools/test-kit/engine.ts';
import { CAPS } from '../../access/core/keys/caps.ts';
import { type KeyState, spendOf } from '../../access/core/keys/key-state.ts';
import type { Policy } from '../../access/core/keys/policy.ts';
import { type Windows, windowsAt } from '../../access/core/keys/windows.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Admission } from '../core/call.ts';
import { REST_SECONDS } from '../core/key-rest.ts';
import type { UsageRecord } from '../core/usage-record.ts';
import { WalletReads } from '../store/wallet/reads.ts';
import { keyState } from './attempts.ts';
import { FailingProcess, type FaultPlan } from './failing-process.ts';
import {
  type AccountLedger,
  callOf,
  HOLD_TTL_SECONDS,
  ledgerOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  repairAll,
  type TestAccount,
  type TestLedger,
} from './running-ledger.ts';
import { splitWallet } from './split-wallet.ts';
import { brokenShard } from './stored-shards.ts';
import { type VersionMutation, type VersionStep, Versions } from './versions.ts';

export interface CallPlan {
  readonly process: 0 | 1;
  readonly key: 0 | 1;
  readonly amount: NanoUsd;
  readonly cost: NanoUsd;
  /** `late`: only after its hold has expired and a sweeper has been. */
  readonly settles: 'at-once' | 'late' | 'never';
  /** Time since the call before. */
  readonly pauseSeconds: number;
  /** Calls like it at once: more than one shard of a wallet has places for makes shards. */
  readonly copies: number;
  /** Its process tidies the wallet before it, once with the time that has passed: idle shards are merged. */
  readonly tidies: boolean;
  /** The changes of its process and of its key before it. */
  readonly steps?: readonly VersionStep[];
}

export interface History {
  readonly startMs: number;
  /** The lag of the second process's clock. */
  readonly lagSeconds: number;
  readonly balance: NanoUsd;
  /** Shards that the wallet lies in. */
  readonly shards: number;
  readonly policies: readonly [Policy, Policy];
  readonly calls: readonly CallPlan[];
  /** All calls at once, not one after the other. */
  readonly overlapping: boolean;
  /** The faults of each process. `sweeperFaults` are those of a sweeper that runs before the last one. */
  readonly faults: readonly [FaultPlan, FaultPlan];
  readonly sweeperFaults: FaultPlan;
  /** The time at which requests that hung in the network reach the database: before or after the first sweeper. */
  readonly lateLands: 'before' | 'after';
}

/** A call that is settled at once for less than it holds. */
export const PLAN: CallPlan = {
  process: 0,
  key: 0,
  amount: 500n,
  cost: 200n,
  settles: 'at-once',
  pauseSeconds: 0,
  copies: 1,
  tidies: false,
};

/** A history on one shard without faults, but for what is given. */
export const historyOf = (
  fields: Pick<History, 'balance' | 'policies' | 'calls'> & Partial<History>,
): History => ({
  startMs: NOON_MS,
  lagSeconds: 0,
  shards: 1,
  overlapping: false,
  faults: [new Map(), new Map()],
  sweeperFaults: new Map(),
  lateLands: 'before',
  ...fields,
});

interface CallResult {
  readonly plan: CallPlan;
  readonly requestId: string;
  readonly keyId: string;
  readonly windows: Windows;
  admission?: Admission;
  /** The error the caller got instead. */
  failure?: unknown;
  /** The record of a settlement whose caller was still alive to receive it. */
  returned?: UsageRecord;
}

export interface Aftermath {
  readonly account: TestAccount;
  readonly results: readonly CallResult[];
  readonly books: AccountLedger;
  /** The errors of single shards of the wallet after any step. */
  readonly brokenShards: readonly string[];
  /** The laws of versions that were broken after any step. */
  readonly brokenVersions: readonly string[];
  /** The most shards that the wallet lay in after any step. */
  readonly maxShards: number;
  readonly keys: readonly KeyState[];
  readonly policies: readonly Policy[];
  /** The time of the last recovery pass. */
  readonly endMs: number;
  /** The keys at rest, after a pass that repairs caps, and when that was. */
  readonly repaired: readonly KeyState[];
  readonly repairedMs: number;
  /** Database calls the processes and sweepers made. */
  readonly databaseCalls: number;
}

/** Plays a history and ends it with one undisturbed recovery pass after every hold has expired. */
export async function play(
  database: TestDatabase,
  history: History,
  mutation?: VersionMutation,
): Promise<Aftermath> {
  const account = await openAccount(database.client, history.balance, ...history.policies);
  const shares = Array.from({ length: history.shards - 1 }, () => history.balance / BigInt(history.shards));
  await splitWallet(database, account.accountId, shares);
  const inspection = new Inspection(database, account.accountId);
  let nowMs = history.startMs;
  const clocks = [() => nowMs, () => nowMs - history.lagSeconds * 1000];
  const { policies } = history;
  const versions = new Versions({ database, account, policies, clocks, mutation });
  const processes = history.faults.map((plan) => new FailingProcess(database, plan));
  const ledgers = processes.map(({ clients }, at) => openLedger({ clients, clock: clocks[at] ?? Date.now }));
  // A process that has not met the shards keeps to the first one.
  if (history.shards > 1)
    for (const { wallets } of ledgers) await wallets.read(account.accountId).catch(() => {});
  const results: CallResult[] = [];

  async function settle(result: CallResult): Promise<void> {
    const settlement = await result.admission?.settle(outcomeOf(result.plan.cost)).catch(() => undefined);
    if (processes[result.plan.process]?.dead === false && settlement !== undefined)
      result.returned = settlement.record;
  }

  async function run(plan: CallPlan): Promise<void> {
    const { keyId } = account.keys[plan.key] ?? account.keys[0];
    for (const step of plan.steps ?? []) await versions.take(step, plan.process, keyId);
    if (plan.tidies) await ledgers[plan.process]?.maintenance.tidy(account.accountId).catch(() => {});
    await Promise.all(Array.from({ length: plan.copies }, () => runOne(plan)));
  }

  async function runOne(plan: CallPlan): Promise<void> {
    const key = account.keys[plan.key] ?? account.keys[0];
    const atMs = clocks[plan.process]?.() ?? nowMs;
    const call = callOf(key, plan.amount, { atMs });
    const windows = windowsAt(atMs);
    const result: CallResult = { plan, requestId: call.requestId, keyId: key.keyId, windows };
    results.push(result);
    try {
      await versions.serve(plan.process);
      const admission = await ledgers[plan.process]?.ledger.admit(call);
      if (admission !== undefined) result.admission = admission;
    } catch (failure) {
      result.failure = failure;
    }
    await inspection.inspect();
    if (plan.settles === 'at-once') await settle(result);
    await inspection.inspect();
  }

  const running: Promise<void>[] = [];
  for (const plan of history.calls) {
    nowMs += plan.pauseSeconds * 1000;
    const call = run(plan);
    if (history.overlapping) running.push(call);
    else await call;
  }
  await Promise.all(running);
  nowMs += (HOLD_TTL_SECONDS + history.lagSeconds + 1) * 1000;
  const landLate = async () => {
    for (const process of processes) await process.landLate();
    await inspection.inspect();
  };
  if (history.lateLands === 'before') await landLate();
  const sweeper = new FailingProcess(database, history.sweeperFaults);
  if (history.sweeperFaults.size > 0) {
    await recover(openLedger({ clients: sweeper.clients, clock: () => nowMs }), account).catch(() => {});
  }
  await inspection.inspect();
  for (const result of results) if (result.plan.settles === 'late') await settle(result);
  await landLate();
  await sweeper.landLate();
  const last = openLedger({ clients: database, clock: () => nowMs });
  await recover(last, account);
  await inspection.inspect();
  await versions.check();
  const keysNow = () => Promise.all(account.keys.map(({ keyId }) => keyState(last, keyId)));
  const [keys, endMs] = [await keysNow(), nowMs];
  nowMs += REST_SECONDS * 1000;
  await repairAll(last, database.client, account, () => nowMs);
  return {
    account,
    results,
    books: await ledgerOf(database.client, account),
    brokenShards: inspection.broken,
    brokenVersions: versions.broken,
    maxShards: inspection.maxShards,
    keys,
    policies: history.policies,
    endMs,
    repaired: await keysNow(),
    repairedMs: nowMs,
    databaseCalls: processes.reduce((sum, { calls }) => sum + calls, sweeper.calls),
  };
}

/** Looks at every part of a wallet by itself, which is whole at every instant, whatever goes on beside. */
class Inspection {
  readonly broken: string[] = [];
  maxShards = 0;
  readonly #database: TestDatabase;
  readonly #accountId: string;

  constructor(database: TestDatabase, accountId: string) {
    this.#database = database;
    this.#accountId = accountId;
  }

  async inspect(): Promise<void> {
    const { client, tables } = this.#database;
    const shards = await new WalletReads(client, tables.wallets).readAll(this.#accountId);
    this.maxShards = Math.max(this.maxShards, shards.length);
    this.broken.push(...shards.flatMap(brokenShard));
  }
}

async function recover({ wallets, recovery, maintenance }: TestLedger, account: TestAccount): Promise<void> {
  const wallet = await wallets.read(account.accountId);
  if (wallet !== undefined) await recovery.recoverWallet(wallet);
  await maintenance.tidy(account.accountId);
}

/** Returns the violated guarantees of the ledger. Empty if every guarantee holds. */
export function ledgerViolations({ books, results, brokenShards, brokenVersions }: Aftermath): string[] {
  const { wallet, records, topUps, audit } = books;
  const broken = [...brokenShards, ...brokenVersions];
  const spentAmount = records.reduce((sum, { cost }) => sum + cost, 0n);
  if (wallet.holds.length > 0) broken.push(`${wallet.holds.length} holds are open`);
  if (!audit.exact) broken.push(`the books are off by ${audit.drift}`);
  if (wallet.balance < 0n) broken.push(`the balance is ${wallet.balance}`);
  if (topUps - wallet.balance !== spentAmount)
    broken.push('the wallet fell by something else than the records cost');
  const byId = new Map(records.map((record) => [record.id, record]));
  if (byId.size !== records.length) broken.push('a call has two records');
  for (const { requestId, plan, admission, returned } of results) {
    const record = byId.get(requestId);
    byId.delete(requestId);
    if (admission === undefined && record !== undefined && record.cost > 0n)
      broken.push('a call that was not admitted was billed');
    if (admission !== undefined && record === undefined) broken.push('an admitted call has no record');
    if (record !== undefined && record.cost > plan.cost) broken.push('a call was billed more than it cost');
    if (plan.settles === 'never' && record !== undefined && record.status !== 'expired')
      broken.push('a call that never settled is not marked as expired');
    if (returned !== undefined && !isDeepStrictEqual(returned, record))
      broken.push(`the caller got ${returned.status} at ${returned.cost}, which is not what was recorded`);
  }
  if (byId.size > 0) broken.push('there is a record of no call');
  return broken;
}

/**
 * Returns the caps that violate a guarantee:
 * - A cap of a running window has more left than the spend in the window allows.
 * - A cap of a key at rest differs from the remainder by the records of its window.
 */
export function brokenCaps(aftermath: Aftermath): string[] {
  const { books, results, keys, policies, endMs } = aftermath;
  const broken = inexactCaps(aftermath);
  const running = windowsAt(endMs);
  keys.forEach((state, at) => {
    const mine = results.filter(({ keyId }) => keyId === state.keyId);
    const spentIn = (window: keyof Windows): NanoUsd =>
      mine
        .filter(({ windows }) => windows[window] === running[window])
        .map(({ requestId }) => books.records.find(({ id }) => id === requestId))
        .reduce((sum, record) => sum + (record?.cost ?? 0n), 0n);
    for (const { window, left, field } of CAPS) {
      const [cap, remaining, spentAmount] = [policies[at]?.[field], state[left], spentIn(window)];
      if (cap !== undefined && remaining > cap - spentAmount)
        broken.push(`a ${window}’s cap of ${cap} has ${remaining} left of which ${spentAmount} is spent`);
    }
  });
  return broken;
}

function inexactCaps({ books, repaired, repairedMs }: Aftermath): string[] {
  const now = windowsAt(repairedMs);
  return repaired.flatMap((state) => {
    const spend = spendOf(state);
    const off = CAPS.map(({ window }) =>
      books.records
        .filter(({ keyId }) => keyId === state.keyId)
        .filter(({ created }) => windowsAt(created * 1000)[window] === now[window])
        .reduce((rest, { cost }) => rest - cost, spend[window]),
    );
    return off.some((amount) => amount !== 0n) ? [`caps at rest miss ${off.join(' and ')}`] : [];
  });
}

/** Failures that are no refusal and no fault of the plan's: bugs, whatever the books say. */
export function unexpectedFailures({ results }: Aftermath): string[] {
  return results.flatMap(({ failure }) => {
    if (failure === undefined) return [];
    if (failure instanceof ServiceError) return failure.status === 500 ? [failure.message] : [];
    const { name, message } = failure as Error;
    return name === 'TimeoutError' || message === 'the process is dead' ? [] : [`${name}: ${message}`];
  });
}
