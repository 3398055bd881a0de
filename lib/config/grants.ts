/**
 * What each function may touch, and nothing more: the stacks turn a row into IAM statements and into the
 * variables the function needs, so a function cannot know a table that it may not reach.
 */
import type { ConsumerName } from '../../lambdas/contract/consumers.ts';
import { COUNTED_QUEUES } from '../../lambdas/contract/queues.ts';
import type { EndpointName } from '../../lambdas/contract/routes.ts';
import type { Grants } from './grant.ts';
import { LISTING_GRANTS } from './listing-grants.ts';

export type FunctionName = EndpointName | ConsumerName;

const webhookLists = { webhooks: ['GetItem'], deliveries: ['Query'], keys: ['UpdateItem'] } as const;
const lanes = ['deliveries', 'retries'] as const;

/** What a route reads that takes an API key or a session. */
const KEY_OR_SESSION = { keyPepper: true, sessionKey: true } as const;

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
  keyPepper: true,
  providerSecrets: true,
  bedrockModels: true,
  holds: true,
};

/** A conversation, whose routes may be any signed endpoint of AWS. */
const CHAT_CALL: Grants = { ...PAID_CALL, signedModels: true };

/** A paid call to models that no Bedrock route serves. */
const { bedrockModels: _bedrockModels, ...PAID_HTTP_CALL } = PAID_CALL;

const TOKEN_COUNT: Grants = { tables: { keys: ['UpdateItem'], catalog: ['GetItem'] }, keyPepper: true };

/** The keys that an account has or had, for its owner. */
const ACCOUNT_USAGE = {
  tables: { accounts: ['GetItem'], keys: [] },
  indexes: [{ table: 'keys', name: 'by-account' }],
  sessionKey: true,
} as const satisfies Grants;

/** Every request of the operator's view reads whether its account is still an operator's. */
const OPERATOR = { accounts: ['GetItem'] } as const;

const OPERATOR_GRANTS = {
  'list-operator-accounts': {
    tables: { accounts: ['GetItem', 'BatchGetItem'], wallets: ['Scan', 'GetItem', 'BatchGetItem'] },
    sessionKey: true,
  },
  'list-operator-routes': {
    tables: { ...OPERATOR, catalog: ['GetItem'], circuits: ['Scan'] },
    sessionKey: true,
  },
  'get-operator-catalog': { tables: { ...OPERATOR, catalog: ['GetItem'] }, sessionKey: true },
  'get-operator-audit': { tables: OPERATOR, sessionKey: true },
  'list-dead-letters': { tables: OPERATOR, sessionKey: true, counts: COUNTED_QUEUES },
  'delete-operator-session': {
    tables: { ...OPERATOR, sessions: ['GetItem', 'UpdateItem'] },
    sessionKey: true,
  },
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
  'list-usage': { tables: { keys: ['UpdateItem'], usage: ['Query'] }, keyPepper: true },
  'get-usage': { tables: { keys: ['UpdateItem'], usage: ['GetItem'] }, keyPepper: true },
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
  'renew-session': { tables: { sessions: ['GetItem', 'UpdateItem'] }, sessionKey: true },
  'delete-session': { tables: { sessions: ['GetItem', 'UpdateItem'] }, sessionKey: true },
  'get-account': { tables: { accounts: ['GetItem'] }, sessionKey: true },
  'create-key': {
    tables: { accounts: ['GetItem', 'UpdateItem'], keys: ['PutItem'] },
    keyPepper: true,
    sessionKey: true,
  },
  'list-keys': {
    tables: { accounts: ['GetItem', 'UpdateItem'], keys: ['BatchGetItem'] },
    sessionKey: true,
  },
  'update-key': { tables: { accounts: [], keys: ['GetItem', 'UpdateItem'] }, sessionKey: true },
  'delete-key': {
    tables: { accounts: ['UpdateItem'], keys: ['GetItem', 'UpdateItem'] },
    sessionKey: true,
  },
  'rotate-key': {
    tables: { accounts: [], keys: ['GetItem', 'UpdateItem'] },
    keyPepper: true,
    sessionKey: true,
  },
  'create-order': {
    tables: { accounts: ['GetItem', 'UpdateItem'], wallets: [] },
    sessionKey: true,
    payments: true,
  },
  'list-orders': { tables: { accounts: ['Query'], wallets: [] }, sessionKey: true },
  'get-order': { tables: { accounts: ['GetItem'], wallets: [] }, sessionKey: true },
  'receive-payment-event': {
    tables: { accounts: ['GetItem', 'PutItem', 'UpdateItem'], wallets: WALLETS },
    payments: true,
  },
  'get-credits': {
    tables: { keys: ['GetItem', 'UpdateItem'], wallets: WALLETS, usage: ['GetItem', 'PutItem'] },
    ...KEY_OR_SESSION,
    holds: true,
  },
  'get-balance': {
    tables: { keys: [], wallets: WALLETS, usage: ['PutItem'] },
    sessionKey: true,
    holds: true,
  },
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
  'create-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['PutItem', 'UpdateItem'] },
    ...KEY_OR_SESSION,
    webhookKey: true,
  },
  'list-webhooks': { tables: { keys: ['UpdateItem'], webhooks: ['Query'] }, ...KEY_OR_SESSION },
  'get-webhook': { tables: webhookLists, ...KEY_OR_SESSION },
  'update-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['GetItem', 'UpdateItem'] },
    ...KEY_OR_SESSION,
  },
  'delete-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['DeleteItem', 'UpdateItem'] },
    ...KEY_OR_SESSION,
  },
  'rotate-webhook-secret': {
    tables: { keys: ['UpdateItem'], webhooks: ['GetItem', 'UpdateItem'] },
    ...KEY_OR_SESSION,
    webhookKey: true,
  },
  'test-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['GetItem'], events: ['PutItem'], deliveries: ['PutItem'] },
    ...KEY_OR_SESSION,
    webhookKey: true,
    sends: lanes,
  },
  'list-deliveries': { tables: webhookLists, ...KEY_OR_SESSION },
  'redeliver-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['GetItem'], deliveries: ['GetItem'] },
    ...KEY_OR_SESSION,
    sends: lanes,
  },
  'recover-webhook': { tables: webhookLists, ...KEY_OR_SESSION, sends: lanes },
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

/** Every function that takes sessions checks that they have not been ended. */
const withSessions = (grants: Grants): Grants =>
  grants.sessionKey === undefined
    ? grants
    : { ...grants, tables: { sessions: ['GetItem'], ...grants.tables } };

export const GRANTS = Object.fromEntries(
  Object.entries(ROWS).map(([name, grants]) => [name, withSessions(grants)]),
) as Readonly<Record<FunctionName, Grants>>;
