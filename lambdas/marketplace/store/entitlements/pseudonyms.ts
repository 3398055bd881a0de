/**
 * The names of accounts for the products that they use. Each is made with a random value of the account's own, which is
 * stored: no rotation of a secret changes a name, and two names of an account show nothing of each other.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { readText, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem, readMany } from '../../../platform/dynamodb/reads.ts';
import { putItem } from '../../../platform/dynamodb/update-item.ts';
import { marketKey } from '../market-item.ts';

const VALUE_BYTES = 32;

/** 132 bits: no two accounts have the same name. */
const NAME_LENGTH = 22;

const customerKey = (listingId: string, name: string) => marketKey(listingId, `customer#${name}`);

/** Names accounts, and notes each name for the seller who asks by it. */
export const createPseudonyms =
  (client: DynamoDBClient, table: string) =>
  async (accountId: string, listingId: string): Promise<string> => {
    const Key = marketKey(accountId, 'pseudonyms');
    const Item = { ...Key, value: text(randomBytes(VALUE_BYTES).toString('base64url')) };
    const item =
      (await readItem(client, { TableName: table, Key })) ??
      (await putItem(client, {
        TableName: table,
        Item,
        ConditionExpression: 'attribute_not_exists(owner_id)',
      })) ??
      Item;
    const hash = createHmac('sha256', readText(item, 'value')).update(listingId).digest('base64url');
    const name = `usr_${hash.slice(0, NAME_LENGTH)}`;
    const customer = { ...customerKey(listingId, name), account_id: text(accountId) };
    await client.send(new PutItemCommand({ TableName: table, Item: customer }));
    return name;
  };

/** Returns the account that has a name for one of the listings, and that listing. */
export async function customerOf(
  client: DynamoDBClient,
  table: string,
  listingIds: readonly string[],
  name: string,
): Promise<{ readonly accountId: string; readonly listingId: string } | undefined> {
  if (listingIds.length === 0) return undefined;
  const keys = listingIds.map((listingId) => customerKey(listingId, name));
  const [item] = await readMany(client, table, keys);
  return item && { accountId: readText(item, 'account_id'), listingId: readText(item, 'owner_id') };
}
