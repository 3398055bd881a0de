import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import { fileDatabase } from '../../lambdas/platform/testing/file-database.ts';
import { refuseTraded } from './market.ts';

const database = fileDatabase();
const table = database.tables.market;

const keyOf = (item: string) => ({ owner_id: text('acc_1'), item: text(item) });

const put = (item: string) =>
  database.client.send(new PutItemCommand({ TableName: table, Item: keyOf(item) }));

describe('the change of a stage to no market', () => {
  it('ignores builds, accounts of payouts and counts', async () => {
    for (const item of ['build#1', 'payout_account', 'counts', 'subscribed#listing']) await put(item);
    await expect(refuseTraded(database.client, table)).resolves.toBeUndefined();
  });

  it.each(['sale#charge', 'subscription#1'])('fails after %s, and names the setting', async (item) => {
    await put(item);
    await expect(refuseTraded(database.client, table)).rejects.toThrow(
      'this stage has had sales or subscriptions: it needs "market": true, the default',
    );
    await database.client.send(new DeleteItemCommand({ TableName: table, Key: keyOf(item) }));
  });
});
