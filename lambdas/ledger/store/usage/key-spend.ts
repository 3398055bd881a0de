/** The spend of one key, from the tables that the environment names. */
import { requireTable } from '../../../platform/contract/tables.ts';
import type { KeySpend } from '../../core/cap-repair.ts';
import { ReadingBudget } from '../../core/usage/key-reading.ts';
import { ofOneKey, spendByKey } from '../../core/usage/key-spend.ts';
import type { AccountUsageOptions } from './create-account-usage.ts';
import { createCallPages, createRollupStore } from './rollup-store.ts';

/** The caller of a rejected call waits for this; a key with more unread records is left to the nightly pass. */
const MAX_PAGES = 10;

/** Reads, and needs to write nothing. Throws an error that names a variable that is not set. */
export function createKeySpend({ clients: { client }, environment }: AccountUsageOptions): KeySpend {
  const sources = {
    calls: createCallPages(client, requireTable(environment, 'usage')),
    store: createRollupStore(client, requireTable(environment, 'accounts')),
  };
  return ({ accountId, keyId }, nowMs) =>
    spendByKey({ ...ofOneKey(sources, keyId), nowMs, budget: new ReadingBudget(MAX_PAGES) }, accountId);
}
