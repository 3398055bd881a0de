/** The keys of each account in DynamoDB. The account's item names them, so that a list is complete and bounded. */
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../platform/core/ports.ts';
import { type Item, number, readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem, readMany } from '../../../platform/dynamodb/reads.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { updateItem } from '../../../platform/dynamodb/update-item.ts';
import type { KeyChange, KeyRegistry, NewKey } from '../../core/keys/api-keys.ts';
import type { KeyState } from '../../core/keys/key-state.ts';
import { windowsAt } from '../../core/keys/windows.ts';
import { accountKey } from '../accounts/account-item.ts';
import { changeExpression } from './key-expressions.ts';
import { decodeKey, encodeNewKey } from './key-item.ts';

export interface KeyRegistryTables {
  readonly accounts: string;
  readonly keys: string;
}

export class DynamoKeyRegistry implements KeyRegistry {
  readonly #client: DynamoDBClient;
  readonly #tables: KeyRegistryTables;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, tables: KeyRegistryTables, clock: Clock) {
    this.#client = client;
    this.#tables = tables;
    this.#clock = clock;
  }

  async add(key: NewKey, maxKeys: number): Promise<KeyState | 'full'> {
    const item = encodeNewKey(key);
    const put = {
      TableName: this.#tables.keys,
      Item: item,
      ConditionExpression: 'attribute_not_exists(key_id)',
    };
    const enter = {
      ...this.#account(key.accountId),
      UpdateExpression: 'ADD live_keys :id',
      ConditionExpression:
        'attribute_exists(account_id) AND (attribute_not_exists(live_keys) OR size(live_keys) < :most)',
      ExpressionAttributeValues: { ':id': { SS: [key.keyId] }, ':most': number(maxKeys) },
    };
    const result = await transact(this.#client, [{ Put: put }, { Update: enter }]);
    if (result.done) return this.#decode(item);
    if (result.failed.includes(0)) throw new Error(`there is a key ${key.keyId} already`);
    const ids = await this.#liveIds(key.accountId);
    if (ids === undefined) throw new Error(`there is no account ${key.accountId}`);
    return 'full';
  }

  /** Lists the keys of an account that are not revoked, in order of creation. */
  async list(accountId: string): Promise<readonly KeyState[]> {
    const ids = (await this.#liveIds(accountId)) ?? [];
    const keys = await this.#readAll(ids);
    const live = keys.filter(({ status }) => status !== 'revoked');
    // A crash between the two writes of a revocation leaves a name behind.
    for (const { keyId } of keys.filter(({ status }) => status === 'revoked'))
      await this.#strike(accountId, keyId);
    return live.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1));
  }

  async find(keyId: string): Promise<KeyState | undefined> {
    const item = await readItem(this.#client, this.#key(keyId));
    return item === undefined ? undefined : this.#decode(item);
  }

  change(from: KeyState, change: KeyChange): Promise<KeyState | undefined> {
    return this.#update(from.keyId, changeExpression(from, change, this.#clock()));
  }

  async rotate(
    keyId: string,
    secretHash: string,
    previousUntil: number | undefined,
  ): Promise<KeyState | undefined> {
    const overlap =
      previousUntil === undefined
        ? ' REMOVE previous_hash, previous_until'
        : ', previous_hash = secret_hash, previous_until = :until';
    return this.#update(
      keyId,
      {
        UpdateExpression: `SET secret_hash = :hash${overlap}`,
        ConditionExpression: '#status <> :revoked AND secret_hash <> :hash',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':hash': text(secretHash),
          ':revoked': text('revoked'),
          ...(previousUntil === undefined ? {} : { ':until': number(previousUntil) }),
        },
      },
      // The SDK retries a request whose response was lost: then the secret is already stored.
      (item) => readText(item, 'secret_hash') === secretHash,
    );
  }

  /** Ends a key for good. */
  async revoke({ keyId, accountId }: Pick<KeyState, 'keyId' | 'accountId'>): Promise<void> {
    await this.#update(keyId, {
      UpdateExpression: 'SET #status = :revoked REMOVE previous_hash, previous_until',
      ConditionExpression: 'account_id = :account',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':revoked': text('revoked'), ':account': text(accountId) },
    });
    await this.#strike(accountId, keyId);
  }

  #decode(item: Item): KeyState {
    return decodeKey(item, windowsAt(this.#clock()));
  }

  #key(keyId: string) {
    return { TableName: this.#tables.keys, Key: { key_id: text(keyId) } };
  }

  #account(accountId: string) {
    return { TableName: this.#tables.accounts, Key: accountKey(accountId) };
  }

  /** One conditional write; the key's new state, or undefined when its condition does not hold. */
  async #update(
    keyId: string,
    expression: Omit<ConstructorParameters<typeof UpdateItemCommand>[0], 'TableName' | 'Key'>,
    isDone: (item: Item) => boolean = () => false,
  ): Promise<KeyState | undefined> {
    const { applied, item } = await updateItem(this.#client, {
      ...this.#key(keyId),
      ...expression,
      ReturnValues: 'ALL_NEW',
    });
    return item !== undefined && (applied || isDone(item)) ? this.#decode(item) : undefined;
  }

  /** Undefined when there is no such account. */
  async #liveIds(accountId: string): Promise<readonly string[] | undefined> {
    const item = await readItem(this.#client, this.#account(accountId));
    return item === undefined ? undefined : (item.live_keys?.SS ?? []);
  }

  async #strike(accountId: string, keyId: string): Promise<void> {
    await this.#client.send(
      new UpdateItemCommand({
        ...this.#account(accountId),
        UpdateExpression: 'DELETE live_keys :id',
        ConditionExpression: 'attribute_exists(account_id)',
        ExpressionAttributeValues: { ':id': { SS: [keyId] } },
      }),
    );
  }

  async #readAll(ids: readonly string[]): Promise<readonly KeyState[]> {
    const keys = ids.map((id) => ({ key_id: text(id) }));
    return (await readMany(this.#client, this.#tables.keys, keys)).map((item) => this.#decode(item));
  }
}
