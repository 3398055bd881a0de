/** The operations of an operator on a deployment. The command line and the local seed both use them. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { changeKey } from '../lambdas/access/core/keys/api-keys.ts';
import type { KeyState } from '../lambdas/access/core/keys/key-state.ts';
import type { Policy } from '../lambdas/access/core/keys/policy.ts';
import { LONGEST_SESSION_SECONDS } from '../lambdas/access/core/sessions/session.ts';
import { identityKey, type ProviderIdentity } from '../lambdas/access/core/sessions/sign-in.ts';
import {
  createAccounts,
  createKeyIssuer,
  createKeyRegistry,
} from '../lambdas/access/store/create-accounts.ts';
import { createSecrets } from '../lambdas/access/store/keys/create-secrets.ts';
import { createSessions } from '../lambdas/access/store/sessions/session-tokens.ts';
import { createEarnings } from '../lambdas/app/handlers/registered.ts';
import { auditAll } from '../lambdas/ledger/core/audit/run.ts';
import type { Wallet, WalletStore } from '../lambdas/ledger/core/ports.ts';
import { sweep } from '../lambdas/ledger/core/sweep.ts';
import type { UsageRecord } from '../lambdas/ledger/core/usage-record.ts';
import { createAccountPages, createAuditStore } from '../lambdas/ledger/store/audit-reader.ts';
import { createLedger } from '../lambdas/ledger/store/create-ledger.ts';
import { createCredits } from '../lambdas/ledger/store/credit-store.ts';
import { readWalletPage } from '../lambdas/ledger/store/ledger-scan.ts';
import { DynamoUnbilledStore } from '../lambdas/ledger/store/usage/unbilled-store.ts';
import { WalletMaintenance } from '../lambdas/ledger/store/wallet/maintenance.ts';
import { createSmokeAccess } from '../lambdas/operations/store/smoke-test/access.ts';
import {
  createDynamoClients,
  createQueueClient,
  createSecretsClient,
  type DynamoClients,
} from '../lambdas/platform/aws/clients.ts';
import { createEventPublisher } from '../lambdas/platform/aws/event-publisher.ts';
import { DEFAULT_HOLD_TTL_SECONDS, VARIABLES } from '../lambdas/platform/contract/environment.ts';
import { requireTable, type TableName } from '../lambdas/platform/contract/tables.ts';
import type { NanoUsd } from '../lambdas/platform/core/money.ts';
import type { Log } from '../lambdas/platform/core/ports.ts';
import { systemClock } from '../lambdas/platform/system/system.ts';
import type { PublishedEvent } from '../lambdas/webhooks/core/event.ts';
import { addressesOf } from './addresses.ts';
import { operatorIdentity } from './aws-account.ts';
import { createRouteAccess } from './calls/route-access.ts';
import { scanUsage, type TimeSpan, type UsageScan, usageOfAccount } from './calls/usage-records.ts';
import { createCustomers } from './customers/customers.ts';
import { createOperatorAccounts } from './customers/operator-accounts.ts';
import { type RedriveResult, redrive } from './redrive.ts';
import { copyBack } from './restore/copy-back.ts';
import { restore } from './restore/restore.ts';
import { checkTables } from './restore/table-checks.ts';
import { catalogOf } from './service/catalog.ts';
import { createMaintenance } from './service/maintenance.ts';
import { createMarket } from './service/market.ts';
import { createPayments } from './service/payments.ts';
import { createSealed } from './service/sealed.ts';
import type { OperatorTarget } from './target.ts';

/** The operations of the command line, the smoke test and the local seed. */
export type Operator = ReturnType<typeof createOperator>;

const walletOf =
  (wallets: Pick<WalletStore, 'read'>) =>
  async (accountId: string): Promise<Wallet> => {
    const wallet = await wallets.read(accountId);
    if (wallet === undefined) throw new Error(`there is no account ${accountId}`);
    return wallet;
  };

export function createOperator(target: OperatorTarget, log: Log) {
  const clients = createDynamoClients(target.client);
  const secrets = createSecretsClient(target.client);
  const messages = createMessages(target, clients);
  const { client } = clients;
  const table = (name: TableName) => requireTable(target.environment, name);
  const tables = {
    accounts: table('accounts'),
    keys: table('keys'),
    wallets: table('wallets'),
    usage: table('usage'),
  };
  const environment = { [VARIABLES.holdTtlSeconds]: String(DEFAULT_HOLD_TTL_SECONDS), ...target.environment };
  const { wallets, recovery } = createLedger({ clients, environment, log });
  const { peppers } = createSecrets({ environment, log, client: secrets });
  // The operator has no quota: a local service starts a session at each start.
  const { sessions } = createSessions({
    clients,
    environment,
    log,
    secrets,
    maxSessions: Number.MAX_SAFE_INTEGER,
  });
  const accounts = createAccounts({ clients, environment });
  const credits = createCredits({ clients, environment });
  const registry = createKeyRegistry({ clients, environment });
  const issuer = createKeyIssuer({ clients, environment, peppers });
  const pages = (after?: string) => readWalletPage(client, tables.wallets, after);
  const walletMaintenance = new WalletMaintenance(client, tables.wallets);
  const auditStore = createAuditStore(client, tables, createEarnings({ client, environment }));
  const wallet = walletOf(wallets);

  return {
    openAccount: (email?: string) => accounts.open(email),
    /** Returns the one account of an identity, which the first call opens. */
    openAccountFor: async (identity: ProviderIdentity) =>
      (await accounts.openFor(await identityKey(identity))).id,
    /** Has an identity that has opened no account sign in to this one. */
    bindIdentity: async (accountId: string, identity: ProviderIdentity) =>
      accounts.bind(await identityKey(identity), accountId),
    /** Creates a session that is valid for a day: an operator has no identity provider to sign in with again. */
    issueSession: (accountId: string) => sessions.start(accountId, LONGEST_SESSION_SECONDS),
    /** The accounts that may access the operator's view. */
    operators: createOperatorAccounts(client, tables.accounts, systemClock),
    /** Searches for accounts and keys. */
    customers: createCustomers({ client, tables, registry, peppers, wallet, clock: systemClock }),
    ...keysOf(registry, issuer, wallet),
    ...creditsOf(credits, wallet, () => operatorIdentity(target)),
    /** Returns the wallet of an account. Throws if there is no such account. */
    wallet,
    /** Settles or releases every expired hold of every wallet. */
    sweep: () => sweep(pages, recovery, (accountId) => walletMaintenance.tidy(accountId)),
    /** Audits the ledger of every account; `whole` also reads the usage records of verified days again. */
    audit: (whole = false) =>
      auditAll(
        { pages: createAccountPages(client, tables.wallets), store: auditStore, clock: systemClock, log },
        whole,
      ),
    ...createSealed({ clients, environment, log, secrets }, target),
    payments: createPayments({ clients, secrets, environment, log }),
    /** Throws an error if the deployment has no market. */
    get market() {
      return createMarket({ target, clients, secrets, environment, log });
    },
    publish: messages.publish,
    redrive: messages.redrive,
    ...maintenanceOf(target, client),
    ...catalogOf(target, client),
    ...usageRecords(client, tables, wallet),
    smokeAccess: createSmokeAccess(secrets, target.environment),
    addresses: () => addressesOf(target),
    /** True for a service that `npm start` runs: it has no AWS account. */
    isLocal: target.client.endpoint !== undefined,
    routes: createRouteAccess(target, secrets, log),
    /** Usage that routes reported beyond the bounds of their calls, of the last month. */
    unbilled: () => new DynamoUnbilledStore(client, table('circuits'), systemClock).list(),
    close() {
      for (const each of [client, clients.onceClient, secrets, messages]) each.destroy();
    },
  };
}

const creditsOf = (
  credits: ReturnType<typeof createCredits>,
  wallet: ReturnType<typeof walletOf>,
  caller: () => Promise<string>,
) => ({
  /** Adds credit: under an id once, as the same id again adds nothing. */
  grant: (accountId: string, amount: NanoUsd, id?: string) =>
    credits.topUp({ accountId, amount, source: 'grant', ...(id !== undefined && { id }) }),
  /** Adds credit under an id, and records the caller's identity and the reason. */
  async grantNoted(accountId: string, amount: NanoUsd, { id, reason }: { id: string; reason: string }) {
    const by = await caller();
    const note = { by, reason };
    const result = await credits.topUp({ accountId, amount, id: `grant_${id}`, source: 'grant', note });
    return { by, result, wallet: await wallet(accountId) };
  },
  /** Removes free credit, all of the amount or nothing, and records the caller's identity and the reason. */
  async takeFree(accountId: string, amount: NanoUsd, { id, reason }: { id: string; reason: string }) {
    const by = await caller();
    const note = { by, reason };
    const result = await credits.takeFree({ accountId, amount, id: `take_${id}`, source: 'grant', note });
    return { by, result, wallet: await wallet(accountId) };
  },
});

function keysOf(
  registry: ReturnType<typeof createKeyRegistry>,
  issuer: ReturnType<typeof createKeyIssuer>,
  wallet: ReturnType<typeof walletOf>,
) {
  async function keyOf(keyId: string): Promise<KeyState> {
    const keyState = await registry.find(keyId);
    if (keyState === undefined)
      throw new Error('there is no key with this id: "key find" finds the id by the text of a key');
    return keyState;
  }
  return {
    /** Creates a key. Throws for an account that does not exist, and for an id that a key has. */
    async createKey(accountId: string, name: string, policy: Policy, keyId?: string) {
      await wallet(accountId);
      const { state, key } = await issuer.create(accountId, name, policy, keyId);
      return { keyId: state.keyId, key };
    },
    /** Undefined if there is no such key. */
    findKey: (keyId: string) => registry.find(keyId),
    /** Gives a key another secret, and ends the present one. */
    replaceSecret: async (accountId: string, keyId: string) => (await issuer.rotate(accountId, keyId, 0)).key,
    renameKey: (accountId: string, keyId: string, name: string) =>
      changeKey(registry, accountId, keyId, { name }),
    /** Replaces a key's policy from the next call on. */
    async setPolicy(keyId: string, policy: Policy): Promise<void> {
      const { accountId } = await keyOf(keyId);
      await changeKey(registry, accountId, keyId, { policy });
    },
    /** Ends a key for good. */
    async revoke(keyId: string): Promise<void> {
      await registry.revoke(await keyOf(keyId));
    },
  };
}

const usageRecords = (
  client: DynamoDBClient,
  tables: { readonly keys: string; readonly usage: string },
  wallet: ReturnType<typeof walletOf>,
) => ({
  /** The usage records of all accounts. */
  usageScan: (...args: Parameters<UsageScan>) => scanUsage({ client, table: tables.usage }, ...args),
  /** Returns the usage records of an account, for calls that started within the span. */
  async *usageOf(accountId: string, span: TimeSpan): AsyncIterable<UsageRecord> {
    await wallet(accountId);
    yield* usageOfAccount(client, tables, accountId, span);
  },
});

function maintenanceOf(target: OperatorTarget, client: DynamoDBClient) {
  const maintenance = createMaintenance(target, client, systemClock);
  const dependencies = { client, target, maintenance, clock: systemClock, sleep };
  return {
    maintenance,
    /** False for the local service. */
    isDeployed: target.client.endpoint === undefined,
    /** Returns the tables in use that differ from what the code needs. */
    checkTables: () => checkTables(client, target),
    /**
     * Closes the service, and restores the tables as of that time, next to the current ones. Rejected on the local
     * service, which stores no history.
     */
    restore: (at: Date) => restore(dependencies, at),
    /** Closes the service, and gives the tables of the stack the items of the restored ones in use. */
    copyBack: () => copyBack(dependencies),
  };
}

/** The bus and the queues. */
function createMessages({ client, environment }: OperatorTarget, clients: DynamoClients) {
  const AWS_ENDPOINT_URL = client.endpoint ?? process.env.AWS_ENDPOINT_URL;
  const queues = createQueueClient(client);
  return {
    publish: (event: PublishedEvent) =>
      createEventPublisher(clients.client, { ...environment, AWS_ENDPOINT_URL })(event),
    /** Brings every dead letter of that kind back; returns how many. */
    redrive: (what: RedriveResult) => redrive(queues, environment, what),
    destroy: () => queues.destroy(),
  };
}
