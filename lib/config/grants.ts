/**
 * What each function may touch, and nothing more: the stacks turn a row into IAM statements and into the
 * variables the function needs, so a function cannot know a table that it may not reach.
 */
import type { ConsumerName } from '../../lambdas/contract/consumers.ts';
import type { EndpointName } from '../../lambdas/contract/routes.ts';
import type { Grants } from './grant.ts';
import { LISTING_GRANTS } from './listing-grants.ts';

export type FunctionName = EndpointName | ConsumerName;

const webhookLists = { webhooks: ['GetItem'], deliveries: ['Query'], keys: ['UpdateItem'] } as const;
const lanes = ['deliveries', 'retries'] as const;

/** What moves money in a wallet, which lies in as many parts as its load needs. */
const WALLETS = ['GetItem', 'BatchGetItem', 'UpdateItem'] as const;

/** What takes holds makes parts. */
const HOLDS = [...WALLETS, 'PutItem', 'ConditionCheckItem'] as const;

/** A call to a model: the key, the wallet and the record that pay for it, the catalog and secrets that route it. */
const PAID_CALL: Grants = {
  tables: {
    keys: ['GetItem', 'UpdateItem'],
    wallets: HOLDS,
    usage: ['PutItem', 'GetItem'],
    catalog: ['GetItem'],
    replays: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    circuits: ['GetItem', 'Scan', 'PutItem'],
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
  },
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
    tables: {
      keys: ['GetItem', 'UpdateItem'],
      wallets: WALLETS,
      usage: ['GetItem', 'PutItem'],
    },
    keyPepper: true,
    sessionKey: true,
    holds: true,
  },
  ...LISTING_GRANTS,
  'create-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['PutItem', 'UpdateItem'] },
    keyPepper: true,
    webhookKey: true,
  },
  'list-webhooks': { tables: { keys: ['UpdateItem'], webhooks: ['Query'] }, keyPepper: true },
  'get-webhook': { tables: webhookLists, keyPepper: true },
  'update-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['GetItem', 'UpdateItem'] },
    keyPepper: true,
  },
  'delete-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['DeleteItem', 'UpdateItem'] },
    keyPepper: true,
  },
  'rotate-webhook-secret': {
    tables: { keys: ['UpdateItem'], webhooks: ['GetItem', 'UpdateItem'] },
    keyPepper: true,
    webhookKey: true,
  },
  'test-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['GetItem'], events: ['PutItem'], deliveries: ['PutItem'] },
    keyPepper: true,
    webhookKey: true,
    sends: lanes,
  },
  'list-deliveries': { tables: webhookLists, keyPepper: true },
  'redeliver-webhook': {
    tables: { keys: ['UpdateItem'], webhooks: ['GetItem'], deliveries: ['GetItem'] },
    keyPepper: true,
    sends: lanes,
  },
  'recover-webhook': { tables: webhookLists, keyPepper: true, sends: lanes },
  'get-health': { tables: { catalog: ['GetItem'] } },
  'get-index': {},
  'get-openapi': {},
  'get-docs': {},
  'get-docs-asset': {},
  'unknown-route': {},
  'settle-transcription': {
    tables: { keys: ['GetItem', 'UpdateItem'], wallets: WALLETS, usage: ['PutItem'] },
    holds: true,
  },
  'sweep-holds': {
    tables: {
      keys: ['UpdateItem'],
      wallets: [...WALLETS, 'Scan', 'DeleteItem', 'ConditionCheckItem'],
      usage: ['PutItem'],
    },
    holds: true,
  },
  'audit-books': {
    tables: {
      accounts: ['Query', 'GetItem', 'PutItem'],
      keys: [],
      wallets: ['Scan', 'GetItem', 'BatchGetItem', 'UpdateItem'],
      usage: ['Query'],
    },
    indexes: [{ table: 'keys', name: 'by-account' }],
  },
  'watch-prices': { tables: { catalog: ['GetItem'] } },
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
