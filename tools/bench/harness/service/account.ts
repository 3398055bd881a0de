/** An account with credit and a key, opened as the operator opens one, and the proof of its books. */

import { randomBytes } from 'node:crypto';
import {
  type Peppers,
  SECRET_BYTES,
  type VerifiedKey,
  verifyKey,
} from '../../../../lambdas/access/core/api-key.ts';
import type { Policy } from '../../../../lambdas/access/core/policy.ts';
import { createAccounts, createKeyIssuer } from '../../../../lambdas/access/store/create-accounts.ts';
import { auditAccount } from '../../../../lambdas/ledger/core/audit/account.ts';
import type { LedgerTotals } from '../../../../lambdas/ledger/core/audit/ledger-totals.ts';
import { createAuditStore } from '../../../../lambdas/ledger/store/audit-reader.ts';
import { createCredits } from '../../../../lambdas/ledger/store/credit-store.ts';
import type { DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';
import { requireVariable } from '../../../../lambdas/platform/contract/environment.ts';
import { TABLES } from '../../../../lambdas/platform/contract/tables.ts';
import { NANO_PER_USD, type NanoUsd } from '../../../../lambdas/platform/core/money.ts';
import type { Log, Measure } from '../../../../lambdas/platform/core/ports.ts';

type Environment = Readonly<Record<string, string>>;

/** The peppers of this process. */
export const PEPPERS: Peppers = { current: randomBytes(SECRET_BYTES).toString('hex') };

/** Limits that no bench reaches. */
export const UNLIMITED: Policy = { rpm: 1_000_000_000, tpm: 1_000_000_000 };

/** Keeps a bench's output to its table. */
export const SILENT: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** Keeps the metrics out of it too. */
export const UNMEASURED: Measure = () => {};

export interface BenchAccount {
  readonly accountId: string;
  readonly key: VerifiedKey;
  /** The key as its holder sends it. */
  readonly credential: string;
}

export interface AccountOptions {
  readonly policy?: Policy;
  /** 0 opens an account without credit. */
  readonly credit?: NanoUsd;
}

const tablesOf = (environment: Environment) => {
  const table = (name: keyof typeof TABLES) => requireVariable(environment, TABLES[name].variable);
  return {
    accounts: table('accounts'),
    keys: table('keys'),
    usage: table('usage'),
    wallets: table('wallets'),
  };
};

export async function openAccount(
  clients: DynamoClients,
  environment: Environment,
  { policy = UNLIMITED, credit = 1_000n * NANO_PER_USD }: AccountOptions = {},
): Promise<BenchAccount> {
  const accounts = createAccounts({ clients, environment });
  const accountId = await accounts.open();
  if (credit > 0n)
    await createCredits({ clients, environment }).topUp({ accountId, amount: credit, source: 'bench' });
  const keys = createKeyIssuer({ clients, environment, peppers: async () => PEPPERS });
  const { key: credential } = await keys.create(accountId, 'bench', policy);
  const key = verifyKey(credential, PEPPERS);
  if (key === undefined) throw new Error('a new key does not verify');
  return { accountId, key, credential };
}

/** The service's own audit, of one account. */
export async function auditOf(
  { client }: DynamoClients,
  environment: Environment,
  accountId: string,
): Promise<LedgerTotals> {
  const store = createAuditStore(client, tablesOf(environment));
  return (await auditAccount(store, accountId, { clock: Date.now })).totals;
}
