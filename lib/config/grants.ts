/**
 * What each function may touch, and nothing more: the stacks turn a row into IAM statements and into the
 * variables the function needs, so a function cannot know a table that it may not reach.
 */
import type { ConsumerName } from '../../lambdas/contract/consumers.ts';
import type { EndpointName } from '../../lambdas/contract/routes.ts';
import type { TableName } from '../../lambdas/contract/tables.ts';

export interface Grants {
  /** DynamoDB actions by table. */
  readonly tables?: Partial<Record<TableName, readonly DynamoAction[]>>;
  /** Indexes that may be queried. */
  readonly indexes?: readonly { readonly table: TableName; readonly name: string }[];
  /** Reads the pepper that proves an API key genuine. */
  readonly keyPepper?: true;
  /** Reads the upstream providers' secrets (`<stage>/providers/...`). */
  readonly providerSecrets?: true;
  /** Calls the models of Amazon Bedrock. */
  readonly bedrockModels?: true;
  /** Starts the workflow that settles transcriptions. */
  readonly settlements?: true;
  /** Opens and recovers holds, so it needs their life. */
  readonly holds?: true;
}

export type DynamoAction = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query' | 'Scan';

export type FunctionName = EndpointName | ConsumerName;

/** A call to a model: the key, the wallet and the record that pay for it, the catalog and secrets that route it. */
const PAID_CALL: Grants = {
  tables: {
    keys: ['GetItem', 'UpdateItem'],
    wallets: ['GetItem', 'UpdateItem'],
    usage: ['PutItem', 'GetItem'],
    catalog: ['GetItem'],
    replays: ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'],
    circuits: ['Scan', 'PutItem'],
  },
  keyPepper: true,
  providerSecrets: true,
  bedrockModels: true,
  holds: true,
};

/** A paid call to models that no Bedrock route serves. */
const { bedrockModels: _bedrockModels, ...PAID_HTTP_CALL } = PAID_CALL;

export const GRANTS: Readonly<Record<FunctionName, Grants>> = {
  'create-chat-completion': PAID_CALL,
  'create-message': PAID_CALL,
  'create-embeddings': PAID_HTTP_CALL,
  'create-images': PAID_HTTP_CALL,
  'create-speech': PAID_HTTP_CALL,
  'create-transcription': { ...PAID_HTTP_CALL, settlements: true },
  'count-message-tokens': { tables: { keys: ['UpdateItem'], catalog: ['GetItem'] }, keyPepper: true },
  'list-models': { tables: { catalog: ['GetItem'] } },
  'get-model': { tables: { catalog: ['GetItem'] } },
  'list-prices': { tables: { catalog: ['GetItem'] } },
  'list-usage': { tables: { keys: ['UpdateItem'], usage: ['Query'] }, keyPepper: true },
  'get-usage': { tables: { keys: ['UpdateItem'], usage: ['GetItem'] }, keyPepper: true },
  'get-credits': {
    tables: {
      keys: ['GetItem', 'UpdateItem'],
      wallets: ['GetItem', 'UpdateItem'],
      usage: ['GetItem', 'PutItem'],
    },
    keyPepper: true,
    holds: true,
  },
  'get-health': { tables: { catalog: ['GetItem'] } },
  'get-index': {},
  'unknown-route': {},
  'settle-transcription': {
    tables: { keys: ['GetItem', 'UpdateItem'], wallets: ['GetItem', 'UpdateItem'], usage: ['PutItem'] },
    holds: true,
  },
  'sweep-holds': {
    tables: { keys: ['Scan', 'UpdateItem'], wallets: ['Scan', 'GetItem', 'UpdateItem'], usage: ['PutItem'] },
    holds: true,
  },
  'audit-books': {
    tables: { accounts: ['Query'], keys: [], wallets: ['Scan', 'GetItem'], usage: ['Query'] },
    indexes: [{ table: 'keys', name: 'by-account' }],
  },
};
