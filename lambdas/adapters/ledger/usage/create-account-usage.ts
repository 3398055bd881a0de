/** The usage of accounts and their audit, from the tables that the environment names. */
import { requireTable, type TableName } from '../../../contract/tables.ts';
import type { AuditDependencies } from '../../../core/ledger/audit/run.ts';
import { repairCaps } from '../../../core/ledger/cap-repair.ts';
import { updateSums } from '../../../core/ledger/usage/account-sums.ts';
import { ReadingBudget } from '../../../core/ledger/usage/key-reading.ts';
import { spendByKey } from '../../../core/ledger/usage/key-spend.ts';
import type { DynamoClients } from '../../aws/clients.ts';
import { createAccountPages, createAuditStore } from '../audit-reader.ts';
import { createKeyStore } from '../key-store.ts';
import { createCallFinder, createUsageStore } from '../usage-store.ts';
import { createWalletStore } from '../wallet/store.ts';
import { createAccountKeys } from './account-keys.ts';
import { createCallPages, createSumStore } from './sum-store.ts';

/** What the sums of accounts are read from and stored in. */
export function createSums({ clients: { client }, environment }: AccountUsageOptions) {
  const accounts = requireTable(environment, 'accounts');
  return {
    keys: createAccountKeys(client, { accounts, keys: requireTable(environment, 'keys') }),
    calls: createCallPages(client, requireTable(environment, 'usage')),
    store: createSumStore(client, accounts),
  };
}

export interface AccountUsageOptions {
  readonly clients: DynamoClients;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The keys and the calls of accounts. Throws an error that names a variable that is not set. */
export function createAccountCalls({ clients: { client }, environment }: AccountUsageOptions) {
  const table = requireTable(environment, 'usage');
  return {
    keys: createAccountKeys(client, {
      accounts: requireTable(environment, 'accounts'),
      keys: requireTable(environment, 'keys'),
    }),
    usage: { ...createUsageStore(client, table), ...createCallFinder(client, table) },
  };
}

/**
 * What an audit of accounts reads. After an account's audit its sums are stored through the last closed day, or as much of
 * them as can be read before the run's time is over; then the caps of its keys are repaired.
 */
export function createAudit({
  clock,
  log,
  ...options
}: AccountUsageOptions & Pick<AuditDependencies, 'clock' | 'log'>): AuditDependencies {
  const { client } = options.clients;
  const table = (name: TableName) => requireTable(options.environment, name);
  const tables = { accounts: table('accounts'), keys: table('keys'), usage: table('usage') };
  const wallets = table('wallets');
  const sums = createSums(options);
  const holders = createWalletStore(options.clients, wallets);
  const keys = createKeyStore({ clients: options.clients, table: tables.keys, clock });
  return {
    pages: createAccountPages(client, wallets),
    store: createAuditStore(client, { ...tables, wallets }),
    async afterAccount(accountId, stopMs) {
      const budget = new ReadingBudget(Number.POSITIVE_INFINITY, () => clock() > stopMs);
      await updateSums({ ...sums, nowMs: clock(), budget }, accountId);
      const repair = {
        ...{ keys, clock },
        holds: async (id: string) => (await holders.read(id))?.holds ?? [],
        spend: (id: string, nowMs: number) => spendByKey({ ...sums, nowMs, budget }, id),
      };
      await repairCaps(repair, accountId, (await sums.keys.since(accountId, '', 1)).live);
    },
    clock,
    log,
  };
}
