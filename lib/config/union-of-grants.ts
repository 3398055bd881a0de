/** The permissions of one role that replaces the roles of several functions. */

import type { DynamoAction, Grants } from '../../lambdas/platform/contract/grants.ts';
import type { TableName } from '../../lambdas/platform/contract/tables.ts';

/** The grants that are one flag each. */
type Flag = {
  [Name in keyof Grants]-?: Grants[Name] extends true | undefined ? Name : never;
}[keyof Grants];

/** Every flag by its name, so that the compiler rejects a grant that the union would omit. */
const FLAGS: Readonly<Record<Flag, Flag>> = {
  keyPepper: 'keyPepper',
  sessionKey: 'sessionKey',
  identityProviders: 'identityProviders',
  serviceName: 'serviceName',
  identitySecret: 'identitySecret',
  payments: 'payments',
  checkouts: 'checkouts',
  marketFee: 'marketFee',
  buildScan: 'buildScan',
  uploadOrigin: 'uploadOrigin',
  payouts: 'payouts',
  payoutProvider: 'payoutProvider',
  providerSecrets: 'providerSecrets',
  bedrockModels: 'bedrockModels',
  signedModels: 'signedModels',
  speech: 'speech',
  guardrails: 'guardrails',
  settlements: 'settlements',
  recordings: 'recordings',
  recordingSweep: 'recordingSweep',
  holds: 'holds',
  smokeAccess: 'smokeAccess',
  webhookKey: 'webhookKey',
  schedules: 'schedules',
  publishes: 'publishes',
  mails: 'mails',
};

/**
 * Returns everything that any of `all` grants, each once, and nothing else. Throws if one follows the changes of a
 * table: Lambda reads a stream for one function, which no host can replace.
 */
export function unionOf(all: readonly Grants[]): Grants {
  if (all.some(({ follows }) => follows !== undefined))
    throw new Error('a function that follows the changes of a table cannot be served by a host');
  const indexes = once(all.flatMap((grants) => grants.indexes ?? []));
  const sends = once(all.flatMap((grants) => grants.sends ?? []));
  const counts = once(all.flatMap((grants) => grants.counts ?? []));
  const builds = once(all.flatMap((grants) => grants.builds ?? []));
  const flags = Object.values(FLAGS).filter((flag) => all.some((grants) => grants[flag] === true));
  return {
    tables: tablesOf(all),
    ...(indexes.length === 0 ? {} : { indexes }),
    ...(sends.length === 0 ? {} : { sends }),
    ...(counts.length === 0 ? {} : { counts }),
    ...(builds.length === 0 ? {} : { builds }),
    ...Object.fromEntries(flags.map((flag) => [flag, true])),
  };
}

function tablesOf(all: readonly Grants[]): Grants['tables'] & object {
  const tables: Partial<Record<TableName, readonly DynamoAction[]>> = {};
  for (const grants of all) {
    for (const [name, actions] of Object.entries(grants.tables ?? {}))
      tables[name as TableName] = once([...(tables[name as TableName] ?? []), ...actions]);
  }
  return tables;
}

/** Returns each value once, compared by content. */
const once = <T>(values: readonly T[]): readonly T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];
