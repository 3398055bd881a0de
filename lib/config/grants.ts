/**
 * What each function may touch besides what recognizes its callers, and nothing more: the stacks turn a row into IAM statements and into the
 * variables the function needs, so a function cannot know a table that it may not reach.
 */

import { type EndpointName, ROUTES } from '../../lambdas/app/routes.ts';
import { LISTING_GRANTS } from '../../lambdas/marketplace/grants.ts';
import type { ConsumerName } from '../../lambdas/platform/contract/consumers.ts';
import type { Grants } from '../../lambdas/platform/contract/grants.ts';
import { COUNTED_QUEUES } from '../../lambdas/platform/contract/queues.ts';
import type { Authentication } from '../../lambdas/platform/contract/route.ts';
import { unionOf } from './union-of-grants.ts';

export type FunctionName = EndpointName | ConsumerName;

const webhookLists = { webhooks: ['GetItem'], deliveries: ['Query'], keys: ['UpdateItem'] } as const;
const lanes = ['deliveries', 'retries'] as const;

/** What moves money in a wallet, which lies in as many parts as its load needs. */
const WALLETS = ['GetItem', 'BatchGetItem', 'UpdateItem'] as const;

/** What takes holds makes shards. */
const HOLDS = [...WALLETS, 'PutItem'] as const;

/** A call to a model: what pays for it, the sums that a cap is repaired by, the catalog and secrets that route it. */
const PAID_CALL: Grants = {
  tables: {
    accounts: ['GetItem', 'Query'],
    keys: ['GetItem', 'UpdateItem'],
    wallets: HOLDS,
    usage: ['PutItem', 'GetItem', 'UpdateItem', 'Query'],
    catalog: ['GetItem'],
    replays: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    circuits: ['BatchGetItem', 'UpdateItem'],
  },
  providerSecrets: true,
  bedrockModels: true,
  holds: true,
};

/** A conversation, whose routes may be any signed endpoint of AWS. */
const CHAT_CALL: Grants = { ...PAID_CALL, signedModels: true };

/** A paid call to models that no Bedrock route serves. */
const { bedrockModels: _bedrockModels, ...PAID_HTTP_CALL } = PAID_CALL;

const TOKEN_COUNT: Grants = { tables: { catalog: ['GetItem'] } };

/** The keys that an account has or had, for its owner. */
const ACCOUNT_USAGE = {
  tables: { accounts: ['GetItem'], keys: [] },
  indexes: [{ table: 'keys', name: 'by-account' }],
} as const satisfies Grants;

const OPERATOR_GRANTS = {
  'list-operator-accounts': {
    tables: { accounts: ['GetItem', 'BatchGetItem'], wallets: ['Scan', 'GetItem', 'BatchGetItem'] },
  },
  'list-operator-routes': { tables: { catalog: ['GetItem'], circuits: ['Scan'] } },
  'get-operator-catalog': { tables: { catalog: ['GetItem'] } },
  'get-operator-audit': {},
  'list-dead-letters': { counts: COUNTED_QUEUES },
  'delete-operator-session': { tables: { sessions: ['GetItem', 'UpdateItem'] } },
} as const satisfies Readonly<Record<string, Grants>>;

const ROWS: Readonly<Record<FunctionName, Grants>> = {
  'create-chat-completion': CHAT_CALL,
  'create-message': CHAT_CALL,
  'create-response': CHAT_CALL,
  'create-embeddings': PAID_CALL,
  'create-images': PAID_CALL,
  'create-speech': PAID_HTTP_CALL,
  'create-transcription': { ...PAID_HTTP_CALL, settlements: true },
  'count-message-tokens': TOKEN_COUNT,
  'count-response-tokens': TOKEN_COUNT,
  'list-models': { tables: { catalog: ['GetItem'] } },
  'get-model': { tables: { catalog: ['GetItem'] } },
  'list-prices': { tables: { catalog: ['GetItem'] } },
  'list-usage': { tables: { usage: ['Query'] } },
  'get-usage': { tables: { usage: ['GetItem'] } },
  'create-session': {
    tables: {
      accounts: ['GetItem', 'PutItem'],
      wallets: ['PutItem'],
      identities: ['GetItem', 'PutItem'],
      sessions: ['UpdateItem'],
    },
    sessionKey: true,
    identityProviders: true,
    identitySecret: true,
  },
  'list-identity-providers': { identityProviders: true },
  'renew-session': { tables: { sessions: ['GetItem', 'UpdateItem'] } },
  'delete-session': { tables: { sessions: ['GetItem', 'UpdateItem'] } },
  'get-account': { tables: { accounts: ['GetItem'] } },
  'create-key': { tables: { accounts: ['GetItem', 'UpdateItem'], keys: ['PutItem'] }, keyPepper: true },
  'list-keys': { tables: { accounts: ['GetItem', 'UpdateItem'], keys: ['BatchGetItem'] } },
  'update-key': { tables: { accounts: [], keys: ['GetItem', 'UpdateItem'] } },
  'delete-key': { tables: { accounts: ['UpdateItem'], keys: ['GetItem', 'UpdateItem'] } },
  'rotate-key': { tables: { accounts: [], keys: ['GetItem', 'UpdateItem'] }, keyPepper: true },
  'create-order': { tables: { accounts: ['GetItem', 'UpdateItem'], wallets: [] }, payments: true },
  'list-orders': { tables: { accounts: ['Query'], wallets: [] } },
  'get-order': { tables: { accounts: ['GetItem'], wallets: [] } },
  'receive-payment-event': {
    tables: { accounts: ['GetItem', 'PutItem', 'UpdateItem'], wallets: WALLETS },
    payments: true,
  },
  'get-credits': {
    tables: { keys: ['GetItem', 'UpdateItem'], wallets: WALLETS, usage: ['GetItem', 'PutItem'] },
    holds: true,
  },
  'get-balance': { tables: { keys: [], wallets: WALLETS, usage: ['PutItem'] }, holds: true },
  'list-account-usage': { ...ACCOUNT_USAGE, tables: { ...ACCOUNT_USAGE.tables, usage: ['Query'] } },
  'sum-account-usage': {
    ...ACCOUNT_USAGE,
    tables: {
      accounts: ['GetItem', 'Query', 'PutItem', 'UpdateItem'],
      keys: [],
      usage: ['Query'],
    },
  },
  'get-account-usage': { ...ACCOUNT_USAGE, tables: { ...ACCOUNT_USAGE.tables, usage: ['BatchGetItem'] } },
  ...LISTING_GRANTS,
  'create-webhook': { tables: { webhooks: ['PutItem', 'UpdateItem'] }, webhookKey: true },
  'list-webhooks': { tables: { webhooks: ['Query'] } },
  'get-webhook': { tables: webhookLists },
  'update-webhook': { tables: { webhooks: ['GetItem', 'UpdateItem'] } },
  'delete-webhook': { tables: { webhooks: ['DeleteItem', 'UpdateItem'] } },
  'rotate-webhook-secret': { tables: { webhooks: ['GetItem', 'UpdateItem'] }, webhookKey: true },
  'test-webhook': {
    tables: { webhooks: ['GetItem'], events: ['PutItem'], deliveries: ['PutItem'] },
    webhookKey: true,
    sends: lanes,
  },
  'list-deliveries': { tables: webhookLists },
  'redeliver-webhook': { tables: { webhooks: ['GetItem'], deliveries: ['GetItem'] }, sends: lanes },
  'recover-webhook': { tables: webhookLists, sends: lanes },
  ...OPERATOR_GRANTS,
  'get-health': { tables: { catalog: ['GetItem'] } },
  'get-index': {},
  'get-openapi': {},
  'get-docs': {},
  'get-docs-asset': {},
  'get-console': {},
  'get-console-asset': {},
  'unknown-route': {},
  'settle-transcription': {
    tables: { keys: ['GetItem', 'UpdateItem'], wallets: WALLETS, usage: ['PutItem'] },
    holds: true,
  },
  'sweep-holds': {
    tables: {
      keys: [],
      wallets: [...WALLETS, 'Scan', 'DeleteItem'],
      usage: ['PutItem'],
    },
    holds: true,
  },
  'audit-books': {
    tables: {
      accounts: ['Query', 'GetItem', 'PutItem', 'UpdateItem'],
      keys: ['GetItem', 'UpdateItem'],
      wallets: ['Scan', 'GetItem', 'BatchGetItem', 'UpdateItem'],
      usage: ['Query', 'BatchGetItem'],
    },
    indexes: [{ table: 'keys', name: 'by-account' }],
  },
  'watch-prices': { tables: { catalog: ['GetItem'] } },
  'run-smoke': { tables: { catalog: ['GetItem'] }, smokeAccess: true },
  'fan-out-events': {
    tables: { webhooks: ['Query'], events: ['PutItem', 'UpdateItem'], deliveries: ['PutItem'] },
    webhookKey: true,
    sends: lanes,
  },
  'deliver-webhooks': {
    tables: { webhooks: ['GetItem', 'UpdateItem'], events: ['GetItem'], deliveries: ['UpdateItem'] },
    webhookKey: true,
    sends: [...lanes, 'exhaustedDeliveries'],
    schedules: true,
    publishes: true,
  },
};

const SESSION: Grants = { tables: { sessions: ['GetItem'] }, sessionKey: true };

/** A request with a key counts against it. */
const API_KEY: Grants = { tables: { keys: ['UpdateItem'] }, keyPepper: true };

/** What each kind of caller is recognized by. */
const CALLERS: Readonly<Record<Authentication, readonly Grants[]>> = {
  none: [],
  session: [SESSION],
  'api-key': [API_KEY],
  'api-key-or-session': [API_KEY, SESSION],
  // Every request reads whether its account is still an operator's.
  operator: [SESSION, { tables: { accounts: ['GetItem'] } }],
};

const callersOf = (name: string): readonly Grants[] =>
  CALLERS[ROUTES.find(({ endpoint }) => endpoint === name)?.authentication ?? 'none'];

export const GRANTS = Object.fromEntries(
  Object.entries(ROWS).map(([name, grants]) => {
    const callers = callersOf(name);
    return [name, callers.length === 0 ? grants : unionOf([...callers, grants])];
  }),
) as Readonly<Record<FunctionName, Grants>>;
