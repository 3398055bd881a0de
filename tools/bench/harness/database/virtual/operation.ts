/** An operation of the virtual database: the members of its input that are read, and what comes of it. */
import type { Item } from '../../../../../lambdas/platform/dynamodb/attribute-values.ts';
import type { ExpressionScope } from './syntax.ts';
import { project, projectedPaths } from './updates.ts';

/** Members of the inputs that this engine reads. */
export interface OperationInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ProjectionExpression?: string;
  readonly FilterExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Item;
  readonly ScanIndexForward?: boolean;
  readonly Limit?: number;
  readonly RequestItems?: Readonly<Record<string, OperationInput & { readonly Keys?: readonly Item[] }>>;
  readonly TransactItems?: readonly Readonly<Record<string, OperationInput>>[];
}

/** The result of an operation, and the units that each of its items cost. */
export interface OperationResult {
  readonly output?: object;
  readonly failure?: Error;
  readonly units: readonly number[];
}

export const scopeOf = (
  item: Item,
  { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: OperationInput,
): ExpressionScope => ({ item, names, values });

export const projected = (item: Item, input: OperationInput): Item =>
  input.ProjectionExpression === undefined
    ? item
    : project(projectedPaths(input.ProjectionExpression), scopeOf(item, input));
