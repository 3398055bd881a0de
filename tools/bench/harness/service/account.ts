/** An account with credit and a key, opened as the operator opens one, and the proof of its books. */

import { randomBytes } from 'node:crypto';
import {
  type Peppers,
  SECRET_BYTES,
  type VerifiedKey,
  verifyKey,
} from '../../../../lambdas/access/core/keys/api-key.ts';
import type { Policy } from '../../../../lambdas/access/core/keys/policy.ts';
import { createAccounts, createKeyIssuer } from '../../../../lambdas/access/store/create-accounts.ts';
import { createEarnings } from '../../../../lambdas/app/handlers/registered.ts';
import { auditAccount } from '../../../../lambdas/ledger/core/audit/account.ts';
import type { LedgerTotals } from '../../../../lambdas/ledger/core/audit/ledger-totals.ts';
import { createAudit } from '../../../../lambdas/ledger/store/create-audit.ts';
import { createCredits } from '../../../../lambdas/ledger/store/credit-store.ts';
import type { DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';
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

export async function openAccount(
  clients: DynamoClients,
  environment: Environment,
  policy: Policy = UNLIMITED,
  credit: NanoUsd = 1_000n * NANO_PER_USD,
): Promise<BenchAccount> {
  const accounts = createAccounts({ clients, environment });
  const accountId = await accounts.open();
  await createCredits({ clients, environment }).topUp({ accountId, amount: credit, source: 'bench' });
  const keys = createKeyIssuer({ clients, environment, peppers: async () => PEPPERS });
  const { key: credential } = await keys.create(accountId, 'bench', policy);
  return accountOfKey(accountId, credential);
}

/** Returns an account with a key that its holder sends. */
export function accountOfKey(accountId: string, credential: string): BenchAccount {
  const key = verifyKey(credential, PEPPERS);
  if (key === undefined) throw new Error('a new key does not verify');
  return { accountId, key, credential };
}

/** The service's own audit of one account, with each usage record; throws when it cannot verify the account. */
export async function auditOf(
  clients: DynamoClients,
  environment: Environment,
  accountId: string,
): Promise<LedgerTotals> {
  const { store, clock } = createAudit({
    clients,
    environment,
    clock: Date.now,
    log: SILENT,
    earnings: createEarnings({ client: clients.client, environment }),
  });
  const audit = await auditAccount(store, accountId, { clock, includesRecords: true });
  if (audit.totals.unproven > 0) throw new Error(`${accountId} could not be audited: ${audit.reason}`);
  return audit.totals;
}
