/** The record of a stage's layouts, as an operator's command of any version leaves it. */
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { StageLayouts } from '../contract/layouts.ts';
import { STAGE_ITEM } from '../contract/stage.ts';
import { text } from '../dynamodb/attribute-values.ts';
import { encodeLayouts } from '../dynamodb/stage-item.ts';

/** Sets the layouts that the data of the stage may have; `table` is that of its catalog. */
export async function recordLayouts(
  client: DynamoDBClient,
  table: string,
  layouts: StageLayouts,
): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: table,
      Key: { part: text(STAGE_ITEM) },
      UpdateExpression: 'SET layouts = :layouts',
      ExpressionAttributeValues: { ':layouts': encodeLayouts(layouts) },
    }),
  );
}
