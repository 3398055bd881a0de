/** The grants of the functions of calls to models, and of the list of models. */
import { HOLDS, WALLETS } from '../ledger/grants.ts';
import type { Grants } from '../platform/contract/grants.ts';

/**
 * A call to a model: its payment, the usage rollups that repair a cap, the alert that credit is exhausted, and the catalog and
 * secrets for its routes.
 */
const PAID_CALL: Grants = {
  tables: {
    accounts: ['GetItem', 'Query', 'UpdateItem'],
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
  publishes: true,
};

/** A conversation, whose routes may be any signed endpoint of AWS, and may have a guardrail. */
const CHAT_CALL: Grants = { ...PAID_CALL, signedModels: true, guardrails: true };

/** A paid call to models without Bedrock routes. */
const { bedrockModels: _bedrockModels, ...PAID_HTTP_CALL } = PAID_CALL;

const TOKEN_COUNT: Grants = { tables: { catalog: ['GetItem'] } };

export const INFERENCE_GRANTS = {
  'create-chat-completion': CHAT_CALL,
  'create-message': CHAT_CALL,
  'create-response': CHAT_CALL,
  'create-embeddings': PAID_CALL,
  'create-images': PAID_CALL,
  'create-speech': { ...PAID_HTTP_CALL, speech: true },
  'create-transcription': { ...PAID_HTTP_CALL, settlements: true, recordings: true },
  'count-message-tokens': TOKEN_COUNT,
  'count-response-tokens': TOKEN_COUNT,
  'list-models': { tables: { catalog: ['GetItem'] } },
  'get-model': { tables: { catalog: ['GetItem'] } },
  'list-prices': { tables: { catalog: ['GetItem'] } },
  'sweep-recordings': { recordingSweep: true },
  'settle-transcription': {
    tables: { keys: ['GetItem', 'UpdateItem'], wallets: WALLETS, usage: ['PutItem'] },
    holds: true,
  },
} as const satisfies Readonly<Record<string, Grants>>;
