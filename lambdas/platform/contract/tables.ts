/** The DynamoDB tables: key schema and the variable that passes each table's name to a function. */
import { requireVariable } from './environment.ts';

export interface Table {
  /** Environment variable that holds the table's name in a function. */
  readonly variable: string;
  readonly partitionKey: string;
  readonly sortKey?: string;
  /** Attribute (epoch seconds) by which DynamoDB deletes an item; readers treat a passed one as absent. */
  readonly ttl?: string;
  /** Keys-only indexes: an update of other attributes costs no write unit in them. */
  readonly indexes?: readonly {
    readonly name: string;
    readonly partitionKey: string;
    readonly sortKey: string;
  }[];
  /** Attribute that grants a right. The operator's commands write it, and every function is denied to. */
  readonly operatorsAttribute?: string;
  /** A function follows the table's changes: each as the item was before and after it. */
  readonly stream?: true;
  /** The setting without which a deployment does not have the table. */
  readonly setting?: 'market';
}

export const TABLES = {
  /**
   * Accounts. The items of an account's partition are
   *
   * - the account (`item` = `account`);
   * - its orders (`order#<id>`, `order_counts`);
   * - its ledger entries (`top_up#<id>`, `refund#<id>`, `purchase#<id>`, `purchase_refund#<id>`, `transfer#<id>`);
   * - the usage that the audit has verified (`audit#usage`);
   * - its usage rollups (`usage_rollups#<day>#<key>`, `usage_rollups#through`).
   *
   * The conclusion of the last audit of all accounts is the only item of a separate partition (`audit`: `audit#last`). The
   * alerts of all accounts are in another one (`alerts`: `alerts#<account>`), which the sweep reads.
   */
  accounts: {
    variable: 'ACCOUNTS_TABLE',
    partitionKey: 'account_id',
    sortKey: 'item',
    operatorsAttribute: 'operator_since',
  },
  /**
   * The account that an external identity opened. There is one item per identity, so that it opens exactly one account.
   */
  identities: { variable: 'IDENTITIES_TABLE', partitionKey: 'identity' },
  /**
   * The live sessions of each account: one item, so that they start and end in one write and are checked in one read.
   */
  sessions: { variable: 'SESSIONS_TABLE', partitionKey: 'account_id', ttl: 'expires' },
  /** API keys: hash, policy and what is left of each window. */
  keys: {
    variable: 'KEYS_TABLE',
    partitionKey: 'key_id',
    indexes: [{ name: 'by-account', partitionKey: 'account_id', sortKey: 'key_id' }],
  },
  /** Balance and open holds, in one item so that both change in one write. */
  wallets: { variable: 'WALLETS_TABLE', partitionKey: 'wallet_id' },
  /** One record a call; writing it is the commit point of its settlement. No index: a record is one write unit. */
  usage: { variable: 'USAGE_TABLE', partitionKey: 'key_id', sortKey: 'request_id', stream: true },
  /** Idempotency keys in use, and the sealed responses to replay. */
  replays: { variable: 'REPLAYS_TABLE', partitionKey: 'replay_id', ttl: 'expires' },
  /**
   * Webhook subscriptions. An account's are one query, and a key of another account cannot read them. Destinations of
   * telemetry (`telemetry#<account>`) are in partitions of their own.
   */
  webhooks: { variable: 'WEBHOOKS_TABLE', partitionKey: 'account_id', sortKey: 'webhook_id' },
  /** Published events, their data sealed; writing one is what makes a repeated event change nothing. */
  events: { variable: 'EVENTS_TABLE', partitionKey: 'event_key', ttl: 'expires' },
  /** One item for each event and subscription: the state of its delivery, and its last attempts. */
  deliveries: {
    variable: 'DELIVERIES_TABLE',
    partitionKey: 'webhook_id',
    sortKey: 'delivery_id',
    ttl: 'expires',
  },
  /** The catalog document in compressed parts, and a pointer to the current version. */
  catalog: { variable: 'CATALOG_TABLE', partitionKey: 'part' },
  /**
   * Listings (`item` = `listing`) with their installs, reviews, releases and purchases, events to be published, the slugs
   * in use, and counts of categories and quotas. The indexes hold listings only: no other item has their partition keys.
   * The second one's key is kind and category; renaming the index of a deployed table would empty it.
   */
  listings: {
    variable: 'LISTINGS_TABLE',
    setting: 'market',
    partitionKey: 'listing_id',
    sortKey: 'item',
    ttl: 'expires',
    stream: true,
    indexes: [
      { name: 'by-kind', partitionKey: 'kind', sortKey: 'listing_id' },
      { name: 'by-shelf', partitionKey: 'shelf', sortKey: 'listing_id' },
    ],
  },
  /**
   * The data that is derived from the listings: the search index in parts, installs by day, and trending listings.
   */
  discovery: {
    variable: 'DISCOVERY_TABLE',
    setting: 'market',
    partitionKey: 'part',
    sortKey: 'entry',
    ttl: 'expires',
  },
  /**
   * The market. The items of a seller's partition are its balance (`balance`), its sales (`sale#<charge id>`), its payouts
   * (`payout#<id>`, `payout_account`) and what
   * changed the balance (`transaction#<ulid>`); those of a subscriber's are its subscriptions (`subscription#<id>`), and the latest one
   * to each listing (`subscribed#<listing id>`). Builds (`build#<id>`) are in the partition of their listing. Counts of quotas are in `counts#<account>`. Items that wait for a time are in the index `due`, in eight shards; items
   * of a listing are in `by-listing`. CloudFormation adds one index per update of a table, so both exist from the start.
   */
  market: {
    variable: 'MARKET_TABLE',
    setting: 'market',
    partitionKey: 'owner_id',
    sortKey: 'item',
    ttl: 'expires',
    indexes: [
      { name: 'due', partitionKey: 'due_shard', sortKey: 'due_at' },
      { name: 'by-listing', partitionKey: 'of_listing', sortKey: 'item' },
    ],
  },
  /**
   * Circuits of routes that failed recently: `<route>` for all accounts, `<route>~<account>` for one; and usage that was not
   * billed (`unbilled#<route>`).
   */
  circuits: { variable: 'CIRCUITS_TABLE', partitionKey: 'route_id', ttl: 'expires' },
} as const satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;

/** The variable with the name of the stack's own table, which exists while a restored one is used in its place. */
export const replacedVariable = (variable: string): string => `REPLACED_${variable}`;

/** Returns the tables of a deployment by their names in it: one that its settings leave out is missing. */
export const tablesOf = (
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Partial<Record<TableName, string>>> =>
  Object.fromEntries(
    Object.entries<Table>(TABLES)
      .filter(([, { variable, setting }]) => setting === undefined || environment[variable] !== undefined)
      .map(([name]) => [name, requireTable(environment, name as TableName)]),
  );

/** The table's name in a deployment; throws an error that names the variable when it is not set. */
export const requireTable = (
  environment: Readonly<Record<string, string | undefined>>,
  name: TableName,
): string => requireVariable(environment, TABLES[name].variable);
