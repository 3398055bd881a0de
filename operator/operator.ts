/** What an operator can do to a deployment; the command line and the local seed both work through this. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  createAccounts,
  createKeyIssuer,
  createKeyRegistry,
} from '../lambdas/adapters/access/create-accounts.ts';
import { createSecrets } from '../lambdas/adapters/access/create-secrets.ts';
import { createSessions } from '../lambdas/adapters/access/session-tokens.ts';
import {
  createDynamoClients,
  createEventClient,
  createQueueClient,
  createSecretsClient,
} from '../lambdas/adapters/aws/clients.ts';
import type { AppliedVersion } from '../lambdas/adapters/inference/catalog-history.ts';
import type { StoredCatalog } from '../lambdas/adapters/inference/catalog-store.ts';
import { createSmokeAccess, type StoredSmokeAccess } from '../lambdas/adapters/inference/smoke/access.ts';
import { catalogOf } from '../lambdas/adapters/inference/stored-catalog.ts';
import { createAccountPages, createAuditStore } from '../lambdas/adapters/ledger/audit-reader.ts';
import { createLedger } from '../lambdas/adapters/ledger/create-ledger.ts';
import { readWalletPage } from '../lambdas/adapters/ledger/ledger-scan.ts';
import { DynamoUnbilledStore } from '../lambdas/adapters/ledger/usage/unbilled-store.ts';
import { WalletUpkeep } from '../lambdas/adapters/ledger/wallet/upkeep.ts';
import { systemClock } from '../lambdas/adapters/system/system.ts';
import { createPublisher } from '../lambdas/adapters/webhooks/event-publisher.ts';
import { DEFAULT_HOLD_TTL_SECONDS, requireVariable, VARIABLES } from '../lambdas/contract/environment.ts';
import { requireTable, type TableName } from '../lambdas/contract/tables.ts';
import { verifyKey } from '../lambdas/core/access/api-key.ts';
import { changeKey, type KeyRegistry } from '../lambdas/core/access/api-keys.ts';
import type { KeyState } from '../lambdas/core/access/key-state.ts';
import type { Policy } from '../lambdas/core/access/policy.ts';
import { LONGEST_SESSION_SECONDS } from '../lambdas/core/access/session.ts';
import { type Identity, identityKey } from '../lambdas/core/access/sign-in.ts';
import type { Books } from '../lambdas/core/ledger/audit/books.ts';
import { auditAll } from '../lambdas/core/ledger/audit/run.ts';
import type { UnbilledOfRoute, Wallet, WalletStore } from '../lambdas/core/ledger/ports.ts';
import type { RecoveryCount } from '../lambdas/core/ledger/recovery.ts';
import { sweep } from '../lambdas/core/ledger/upkeep.ts';
import type { UsageRecord } from '../lambdas/core/ledger/usage-record.ts';
import type { NanoUsd } from '../lambdas/core/money.ts';
import type { Log } from '../lambdas/core/ports.ts';
import type { PublishedEvent } from '../lambdas/core/webhooks/event.ts';
import { type Addresses, addressesOf } from './addresses.ts';

import { createOperatorMarks, type OperatorMarks } from './operator-marks.ts';
import { type Redriven, redrive } from './redrive.ts';
import { type RestoredTables, restoreTables } from './restore.ts';
import { createRouteAccess, type RouteAccess } from './route-access.ts';
import type { Target } from './target.ts';
import { scanUsage, type TimeSpan, type UsageScan, usageOfAccount } from './usage-records.ts';

export interface Operator {
  openAccount(email?: string): Promise<string>;
  /** Has an identity that has opened no account sign in to this one. */
  bindIdentity(accountId: string, identity: Identity): Promise<void>;
  /** A session of the account, good for a day: an operator has no identity provider to sign in with again. */
  issueSession(accountId: string): Promise<string>;
  /** Which accounts may see the operator's view. */
  readonly operators: OperatorMarks;
  /** The account of an API key; undefined when this deployment has not issued it. */
  accountOf(key: string): Promise<string | undefined>;
  /** Refuses an account that does not exist. */
  createKey(
    accountId: string,
    name: string,
    policy: Policy,
  ): Promise<{ readonly keyId: string; readonly key: string }>;
  /** Replaces a key's policy from the next call on. */
  setPolicy(keyId: string, policy: Policy): Promise<void>;
  /** Ends a key for good. */
  revoke(keyId: string): Promise<void>;
  /** Returns the new balance. */
  grant(accountId: string, amount: NanoUsd): Promise<NanoUsd>;
  /** Takes credit back, as a refund in the books. */
  takeBack(accountId: string, amount: NanoUsd): Promise<unknown>;
  wallet(accountId: string): Promise<Wallet>;
  /** Settles or releases every expired hold of every wallet. */
  sweep(): Promise<RecoveryCount>;
  /** The books of every account; `whole` reads the usage records of proven days again too. */
  audit(whole?: boolean): Promise<Books>;
  /** Puts an event on the platform's bus. */
  publish(event: PublishedEvent): Promise<void>;
  /** Brings the tables back as they were then, beside the present ones. Refused on the local service, which keeps no past. */
  restore(at: Date): Promise<RestoredTables>;
  /** Brings every dead letter of that kind back; returns how many. */
  redrive(what: Redriven): Promise<number>;
  applyCatalog(json: string): Promise<string>;
  /** The current document, undefined when there is none. */
  catalog(): Promise<StoredCatalog | undefined>;
  /** Every version that was the current one, the oldest first. */
  catalogVersions(): Promise<readonly AppliedVersion[]>;
  /** The document of such a version; undefined when it never was the current one. */
  catalogVersion(version: string): Promise<StoredCatalog | undefined>;
  /** The usage records of all accounts. */
  usageScan: UsageScan;
  /** The usage records of an account, of calls that began from `fromMs` to before `toMs`. */
  usageOf(accountId: string, span: TimeSpan): AsyncIterable<UsageRecord>;
  /** Of a service that `npm start` runs: there is no AWS account behind it. */
  readonly isLocal: boolean;
  /** What the scheduled smoke test calls with. */
  readonly smokeAccess: StoredSmokeAccess;
  /** Where the service answers its callers. Throws when that is not known. */
  addresses(): Promise<Addresses>;
  /** What the providers of routes are asked with. */
  readonly routes: RouteAccess;
  /** Usage that routes reported beyond the bounds of their calls, of the last month. */
  unbilled(): Promise<readonly UnbilledOfRoute[]>;
  /** Has the catalog compared with these reference prices from now on, or with none; returns their version. */
  watchPrices(json: string | undefined): Promise<string | undefined>;
  close(): void;
}

const walletOf =
  (wallets: Pick<WalletStore, 'read'>) =>
  async (accountId: string): Promise<Wallet> => {
    const found = await wallets.read(accountId);
    if (found === undefined) throw new Error(`there is no account ${accountId}`);
    return found;
  };

export function createOperator(target: Target, log: Log): Operator {
  const clients = createDynamoClients(target.client);
  const secrets = createSecretsClient(target.client);
  const messages = createMessages(target);
  const { client } = clients;
  const table = (name: TableName) => requireTable(target.environment, name);
  const [accountsTable, keysTable] = [table('accounts'), table('keys')];
  const tables = {
    accounts: accountsTable,
    keys: keysTable,
    wallets: table('wallets'),
    usage: table('usage'),
  };
  const environment = { [VARIABLES.holdTtlSeconds]: String(DEFAULT_HOLD_TTL_SECONDS), ...target.environment };
  const { wallets, recovery } = createLedger({ clients, environment, log });
  const { peppers } = createSecrets({ environment, log, client: secrets });
  // The operator is bound by no quota: a local service begins one at each start.
  const { sessions } = createSessions({ clients, environment, log, secrets, most: Number.MAX_SAFE_INTEGER });
  const accounts = createAccounts({ clients, environment });
  const registry = createKeyRegistry({ clients, environment });
  const issuer = createKeyIssuer({ clients, environment, peppers });
  const pages = (after?: string) => readWalletPage(client, tables.wallets, after);
  const upkeep = new WalletUpkeep(client, tables.wallets);
  const auditStore = createAuditStore(client, tables);
  const wallet = walletOf(wallets);

  return {
    openAccount: (email) => accounts.open(email),
    bindIdentity: (accountId, identity) => accounts.bind(identityKey(identity), accountId),
    issueSession: (accountId) => sessions.begin(accountId, LONGEST_SESSION_SECONDS),
    operators: createOperatorMarks(client, accountsTable, systemClock),
    accountOf: async (key) => verifyKey(key, await peppers())?.accountId,
    ...keysOf(registry, issuer, wallet),
    async grant(accountId, amount) {
      await accounts.topUp({ accountId, amount, source: 'grant' });
      return (await wallet(accountId)).balance;
    },
    takeBack: (accountId, amount) => accounts.takeBack({ accountId, amount, source: 'grant' }),
    wallet,
    sweep: () => sweep(pages, recovery, (accountId) => upkeep.tidy(accountId)),
    audit: (whole = false) =>
      auditAll(
        { pages: createAccountPages(client, tables.wallets), store: auditStore, clock: systemClock, log },
        whole,
      ),
    publish: messages.publish,
    redrive: messages.redrive,
    restore: (at) => restoreTables(client, target, at),
    ...catalogOf(client, table('catalog')),
    ...usageRecords(client, tables, wallet),
    smokeAccess: createSmokeAccess(secrets, target.environment),
    addresses: () => addressesOf(target),
    isLocal: target.client.endpoint !== undefined,
    routes: createRouteAccess(target, secrets, log),
    unbilled: () => new DynamoUnbilledStore(client, table('circuits'), systemClock).list(),
    close() {
      for (const each of [client, clients.onceClient, secrets, messages]) each.destroy();
    },
  };
}

function keysOf(
  registry: KeyRegistry,
  issuer: ReturnType<typeof createKeyIssuer>,
  wallet: Operator['wallet'],
): Pick<Operator, 'createKey' | 'setPolicy' | 'revoke'> {
  async function keyOf(keyId: string): Promise<KeyState> {
    const found = await registry.find(keyId);
    if (found === undefined) throw new Error(`there is no key ${keyId}`);
    return found;
  }
  return {
    async createKey(accountId, name, policy) {
      await wallet(accountId);
      const { state, key } = await issuer.create(accountId, name, policy);
      return { keyId: state.keyId, key };
    },
    async setPolicy(keyId, policy) {
      const { accountId } = await keyOf(keyId);
      await changeKey(registry, accountId, keyId, { policy });
    },
    async revoke(keyId) {
      await registry.revoke(await keyOf(keyId));
    },
  };
}

const usageRecords = (
  client: DynamoDBClient,
  tables: { readonly keys: string; readonly usage: string },
  wallet: Operator['wallet'],
): Pick<Operator, 'usageScan' | 'usageOf'> => ({
  usageScan: (most, visit) => scanUsage({ client, table: tables.usage }, most, visit),
  async *usageOf(accountId, span) {
    await wallet(accountId);
    yield* usageOfAccount(client, tables, accountId, span);
  },
});

/** The bus and the queues. */
function createMessages({ client, environment }: Target) {
  const events = createEventClient(client);
  const queues = createQueueClient(client);
  return {
    publish: (event: Parameters<Operator['publish']>[0]) =>
      createPublisher(events, requireVariable(environment, VARIABLES.eventBus))(event),
    redrive: (what: Redriven) => redrive(queues, environment, what),
    destroy() {
      events.destroy();
      queues.destroy();
    },
  };
}
