/** The audit of accounts, on the tables that the environment names. */

import { createKeyStore } from '../../access/store/keys/key-store.ts';
import { requireTable, type TableName } from '../../platform/contract/tables.ts';
import type { EarningsCheck } from '../core/audit/ports.ts';
import type { AuditDependencies } from '../core/audit/run.ts';
import { repairCaps } from '../core/cap-repair.ts';
import { Recovery } from '../core/recovery.ts';
import { ReadingBudget } from '../core/usage/key-reading.ts';
import { spendByKey } from '../core/usage/key-spend.ts';
import { createAccountPages, createAuditStore } from './audit-reader.ts';
import type { AccountUsageOptions } from './usage/create-account-usage.ts';
import { createUsageStore } from './usage-store.ts';
import { createWalletStore } from './wallet/store.ts';

export interface AuditSetup extends AccountUsageOptions, Pick<AuditDependencies, 'clock' | 'log'> {
  readonly earnings: EarningsCheck;
}

/** Opens what an audit reads, and the repair of caps that follows it. Throws an error that names a variable that is not set. */
export function createAudit({ clients, environment, earnings, ...rest }: AuditSetup): AuditDependencies {
  const { client } = clients;
  const table = (name: TableName) => requireTable(environment, name);
  const tables = {
    accounts: table('accounts'),
    keys: table('keys'),
    usage: table('usage'),
  };
  const wallets = table('wallets');
  const store = createAuditStore(client, { ...tables, wallets }, earnings);
  const holders = createWalletStore(clients, wallets);
  const keys = createKeyStore({ clients, table: tables.keys, clock: rest.clock });
  const recovery = new Recovery({
    ...rest,
    keys,
    wallets: holders,
    usage: createUsageStore(client, tables.usage),
  });
  return {
    ...rest,
    pages: createAccountPages(client, wallets),
    store,
    async repairCaps(accountId, stopMs) {
      const { clock } = rest;
      const budget = new ReadingBudget(Number.POSITIVE_INFINITY, () => clock() > stopMs);
      const repair = {
        keys,
        clock,
        holds: async (id: string) => (await holders.read(id))?.holds ?? [],
        recoverKey: recovery.recoverKey.bind(recovery),
        spend: (id: string, nowMs: number) => spendByKey({ ...store.rollups, nowMs, budget }, id),
      };
      await repairCaps(repair, accountId, (await store.rollups.keys.since(accountId, '', 1)).live);
    },
  };
}
