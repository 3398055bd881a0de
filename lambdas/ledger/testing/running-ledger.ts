/** A ledger on the real engine under a clock of the test's own, accounts for it, and the books of one account. */

import { createHash } from 'node:crypto';
import { BatchWriteItemCommand, type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { ulid } from 'ulid';
import { DATABASE_TABLES as TABLES } from '../../../tools/test-kit/engine.ts';
import { hashSecret, SECRET_BYTES, type VerifiedKey } from '../../access/core/keys/api-key.ts';
import { byWindow } from '../../access/core/keys/caps.ts';
import { KeyGate } from '../../access/core/keys/key-gate.ts';
import type { Policy } from '../../access/core/keys/policy.ts';
import { windowsAt } from '../../access/core/keys/windows.ts';
import { encodeNewKey } from '../../access/store/keys/key-item.ts';
import { createKeyStore } from '../../access/store/keys/key-store.ts';
import type { DynamoClients } from '../../platform/aws/clients.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock, Log } from '../../platform/core/ports.ts';
import { type Item, number, readInteger, text } from '../../platform/dynamodb/attribute-values.ts';
import { emptyWallet } from '../../platform/dynamodb/empty-wallet.ts';
import { systemAfter, systemUlid } from '../../platform/system/system.ts';
import { Ledger } from '../core/admission.ts';
import { auditAccount } from '../core/audit/account.ts';
import type { LedgerTotals } from '../core/audit/ledger-totals.ts';
import { NO_EARNINGS } from '../core/audit/no-earnings.ts';
import { auditAll as auditEvery } from '../core/audit/run.ts';
import { type Call, NO_OUTPUT } from '../core/call.ts';
import { type KeySpend, repairCaps, type Spend, type Spends } from '../core/cap-repair.ts';
import { KeyCheck } from '../core/key-check.ts';
import type { UnbilledStore, Wallet } from '../core/ports.ts';
import { Recovery } from '../core/recovery.ts';
import { sweep as sweepAll } from '../core/sweep.ts';
import type { CallOutcome, UsageRecord } from '../core/usage-record.ts';
import { createAccountPages, createAuditStore } from '../store/audit-reader.ts';
import { readWalletPage } from '../store/ledger-scan.ts';
import { createUsageStore, decodeRecord } from '../store/usage-store.ts';
import { WalletMaintenance } from '../store/wallet/maintenance.ts';
import { createWalletStore } from '../store/wallet/store.ts';

export const HOLD_TTL_SECONDS = 1200;

/** Noon of a day in the middle of a month, at the first millisecond of a minute. */
export const NOON_MS = Date.UTC(2026, 6, 15, 12);

/** Keys are older than any call of the tests. */
const KEYS_MS = Date.UTC(2026, 5, 1);

export const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };

export interface LedgerSetup {
  readonly clients: DynamoClients;
  readonly clock: Clock;
  readonly log?: Log;
  readonly onSettled?: (record: UsageRecord) => void;
  readonly unbilled?: UnbilledStore;
  readonly spend?: KeySpend;
}

/** One process's ledger, composed as the service composes it. */
export function openLedger({ clients, clock, log = SILENT, onSettled = () => {}, ...setup }: LedgerSetup) {
  const { client } = clients;
  const { unbilled, spend = (key, nowMs) => spendOf(client, key, nowMs) } = setup;
  const keys = createKeyStore({ clients, table: TABLES.keys, clock });
  const wallets = createWalletStore(clients, TABLES.wallets, { clock });
  const usage = createUsageStore(client, TABLES.usage);
  const gate = new KeyGate(keys, clock);
  const keyCheck = new KeyCheck({ keys, wallets, clock });
  const recovery = new Recovery({ keys, wallets, usage, clock, log });
  const ledger = new Ledger({
    keys,
    keyCheck,
    wallets,
    usage,
    unbilled,
    recovery,
    spend,
    clock,
    after: systemAfter,
    log,
    onSettled,
    holdTtlSeconds: HOLD_TTL_SECONDS,
  });
  const maintenance = new WalletMaintenance(client, TABLES.wallets);
  return { ledger, gate, keys, keyCheck, wallets, usage, recovery, maintenance };
}

/**
 * Returns the cost of a key's records by a separate query of the test. The ids of the test have the time of the
 * machine, and rollups are read by the time in ids.
 */
async function spendOf(
  client: DynamoDBClient,
  { keyId }: Pick<VerifiedKey, 'accountId' | 'keyId'>,
  nowMs: number,
): Promise<Spends> {
  const now = windowsAt(nowMs);
  let spend: Spend = byWindow(() => 0n);
  for await (const item of query(client, TABLES.usage, 'key_id', keyId)) {
    const { created, cost } = decodeRecord(item);
    const then = windowsAt(created * 1000);
    const before = spend;
    spend = byWindow(({ window }) => before[window] + (then[window] === now[window] ? cost : 0n));
  }
  return new Map([[keyId, spend]]);
}

/** Repairs the account's keys, as the nightly pass does; returns how many. */
export async function repairAll(
  { keys, wallets, recovery }: Pick<TestLedger, 'keys' | 'wallets' | 'recovery'>,
  client: DynamoDBClient,
  account: TestAccount,
  clock: Clock,
): Promise<number> {
  const spend = async (_accountId: string, nowMs: number) => {
    const each = await Promise.all(account.keys.map((key) => spendOf(client, key, nowMs)));
    return new Map(each.flatMap((spends) => [...(spends ?? [])]));
  };
  const holds = async (accountId: string) => (await wallets.read(accountId))?.holds ?? [];
  const ids = account.keys.map(({ keyId }) => keyId);
  const recoverKey = recovery.recoverKey.bind(recovery);
  return repairCaps({ keys, holds, spend, recoverKey, clock }, account.accountId, ids);
}

export type TestLedger = ReturnType<typeof openLedger>;

export interface TestAccount {
  readonly accountId: string;
  readonly keys: readonly [VerifiedKey, ...VerifiedKey[]];
}

/** The secret of a key that was opened here. */
export const secretOf = (keyId: string): string =>
  createHash('sha1')
    .update(keyId)
    .digest('hex')
    .slice(0, 2 * SECRET_BYTES);

/** Opens an account with one top-up and a key for each policy, in one write: the stores' own items, no history. */
export async function openAccount(
  client: DynamoDBClient,
  balance: NanoUsd,
  ...policies: [Policy, ...Policy[]]
): Promise<TestAccount> {
  const accountId = `acc_${systemUlid()}`;
  const newKey = (): VerifiedKey => {
    const keyId = `key_${ulid(KEYS_MS)}`;
    return { accountId, keyId, secretHash: hashSecret(secretOf(keyId)) };
  };
  const put = (item: Item) => ({ PutRequest: { Item: item } });
  const topUp = {
    account_id: text(accountId),
    item: text('top_up#first'),
    amount: number(balance),
    created: number(0),
    source: text('test'),
  };
  const [first, ...rest] = policies;
  const keys = [newKey(), ...rest.map(newKey)] as const;
  await client.send(
    new BatchWriteItemCommand({
      RequestItems: {
        [TABLES.accounts]: [put(topUp)],
        [TABLES.wallets]: [
          put({ ...emptyWallet(accountId), balance: number(balance), received: number(balance) }),
        ],
        [TABLES.keys]: [first, ...rest].map((policy, index) =>
          put(encodeNewKey({ ...(keys[index] ?? keys[0]), name: 'test', policy, created: 0 })),
        ),
      },
    }),
  );
  return { accountId, keys };
}

interface CallChanges extends Partial<Omit<Call, 'tokens'>> {
  readonly tokens?: number | Call['tokens'];
  /** The time of the request. Usage is rolled up by the time in its id. */
  readonly atMs?: number;
}

/** A call of that cost, whatever its output. */
export function callOf(
  key: VerifiedKey,
  amount: NanoUsd,
  { tokens = 10, atMs = NOON_MS, ...changes }: CallChanges = {},
): Call {
  return {
    requestId: `req_${ulid(atMs)}`,
    key,
    scope: { kind: 'chat', models: [['sim/chat', 'sim/alias']] },
    output: NO_OUTPUT,
    tokens: typeof tokens === 'number' ? () => tokens : tokens,
    cost: () => amount,
    ...changes,
  };
}

export function outcomeOf(amount: NanoUsd, changes: Partial<CallOutcome> = {}): CallOutcome {
  return {
    model: 'sim/chat',
    inputUnits: 4,
    cachedUnits: 1,
    outputUnits: 2,
    unit: 'token',
    amount,
    estimated: false,
    route: 'sim-a',
    status: 'completed',
    tokens: 6,
    ...changes,
  };
}

export interface AccountLedger {
  readonly wallet: Wallet;
  readonly records: readonly UsageRecord[];
  readonly topUps: NanoUsd;
  /** The service's own audit, of this account alone. */
  readonly audit: LedgerTotals;
}

async function* query(client: DynamoDBClient, table: string, name: string, value: string) {
  const input = {
    TableName: table,
    KeyConditionExpression: `${name} = :value`,
    ExpressionAttributeValues: { ':value': text(value) },
    ConsistentRead: true,
  };
  for await (const { Items: items = [] } of paginateQuery({ client }, input)) yield* items;
}

/** Reads one account's books with queries of the test's own, and lets the service's audit judge them. */
export async function ledgerOf(
  client: DynamoDBClient,
  { accountId, keys }: TestAccount,
): Promise<AccountLedger> {
  const wallet = await createWalletStore({ client, onceClient: client }, TABLES.wallets).read(accountId);
  if (wallet === undefined) throw new Error('the account has no wallet');
  const records: UsageRecord[] = [];
  for (const { keyId } of keys) {
    for await (const item of query(client, TABLES.usage, 'key_id', keyId)) records.push(decodeRecord(item));
  }
  let topUps = 0n;
  for await (const item of query(client, TABLES.accounts, 'account_id', accountId))
    if (item.item?.S?.startsWith('top_up#')) topUps += readInteger(item, 'amount');
  const { totals: audit } = await auditAccount(createAuditStore(client, TABLES, NO_EARNINGS), accountId, {
    // Some ledgers run by the clock of the machine.
    clock: () => Math.max(NOON_MS, ...records.map(({ created }) => created * 1000)),
  });
  return { wallet, records, topUps, audit };
}

/** The service's own audit, of everything in the database. */
export const auditAll = (client: DynamoDBClient, clock: Clock = () => NOON_MS): Promise<LedgerTotals> =>
  auditEvery({
    pages: createAccountPages(client, TABLES.wallets),
    store: createAuditStore(client, TABLES, NO_EARNINGS),
    clock,
    log: SILENT,
  });

const pagesOf = (client: DynamoDBClient) => (after?: string) => readWalletPage(client, TABLES.wallets, after);

/** One recovery pass over every wallet, as the sweeper makes it. */
export const sweep = ({ recovery, maintenance }: TestLedger, client: DynamoDBClient) =>
  sweepAll(pagesOf(client), recovery, (accountId) => maintenance.tidy(accountId));
