/**
 * The change of a stage to `"market": false`. A stage that has had a sale or a subscription refuses it: the audit would
 * miss the other side of its purchases, and nothing would renew or pay.
 */
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { SALE_PREFIX } from '../../lambdas/marketplace/core/earnings/ports.ts';
import { SUBSCRIPTION_PREFIX } from '../../lambdas/marketplace/core/subscriptions/due.ts';
import { createDynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { outputName } from '../../lambdas/platform/contract/environment.ts';
import { TABLES } from '../../lambdas/platform/contract/tables.ts';
import { text } from '../../lambdas/platform/dynamodb/attribute-values.ts';
import type { Config } from '../../lib/config/config.ts';
import { stackNameOf } from '../../lib/config/stage-names.ts';
import { StageStacks } from '../deployment/stacks.ts';

/** The items that a sale and a subscription leave in the table of the market. */
const TRADE = { ':sale': text(SALE_PREFIX), ':subscription': text(SUBSCRIPTION_PREFIX) };

/** Throws an error if the table has a sale or a subscription. */
export async function refuseTraded(client: DynamoDBClient, table: string): Promise<void> {
  const scan = {
    TableName: table,
    ConsistentRead: true,
    FilterExpression: 'begins_with(#item, :sale) OR begins_with(#item, :subscription)',
    ExpressionAttributeNames: { '#item': 'item' },
    ExpressionAttributeValues: TRADE,
  };
  for await (const { Count: traded = 0 } of paginateScan({ client }, scan))
    if (traded > 0)
      throw new Error('this stage has had sales or subscriptions: it needs "market": true, the default');
}

/** Returns whether these settings take away the market of a deployed stage. Throws an error if it has had a sale. */
export async function removesMarket({ market, stage }: Config, region: string): Promise<boolean> {
  if (market) return false;
  const stacks = new StageStacks(region, stage);
  const { client, onceClient } = createDynamoClients({});
  try {
    const data = (await stacks.list()).find(({ StackName: name }) => name === stackNameOf(stage, 'data'));
    const output = data?.Outputs?.find(({ OutputKey: key }) => key === outputName(TABLES.market.variable));
    if (output?.OutputValue === undefined) return false;
    await refuseTraded(client, output.OutputValue);
    return true;
  } finally {
    stacks.close();
    for (const each of [client, onceClient]) each.destroy();
  }
}
