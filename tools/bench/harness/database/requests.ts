/** The items that a request to DynamoDB uses, from its operation and its input or body, which have the same form. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { TABLES, type Table } from '../../../../lambdas/platform/contract/tables.ts';
import type { Item } from '../../../../lambdas/platform/dynamodb/attribute-values.ts';
import type { Demand } from './capacity.ts';

export interface ItemAccess extends Omit<Demand, 'units'> {
  /** One of the items of a transaction. */
  readonly transaction: boolean;
  /** True for a strongly consistent read. */
  readonly consistent: boolean;
}

/** The members of an input that name items. */
export interface RequestInput {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly ConsistentRead?: boolean;
  readonly ExclusiveStartKey?: Item;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems?: Readonly<Record<string, BatchOfTable>>;
  readonly TransactItems?: readonly Readonly<Record<string, RequestInput>>[];
}

type BatchOfTable =
  | { readonly Keys?: readonly Item[]; readonly ConsistentRead?: boolean }
  | readonly {
      readonly PutRequest?: { readonly Item: Item };
      readonly DeleteRequest?: { readonly Key: Item };
    }[];

const DATA = /^(Get|Put|Update|Delete|BatchGet|BatchWrite|TransactGet|TransactWrite)Items?$|^(Query|Scan)$/;

const SCHEMAS: Readonly<Record<string, Table>> = TABLES;

/** Returns the items of the contract's tables that the request uses; none if it is not about items. */
export function touchedBy(operation: string, input: RequestInput): readonly ItemAccess[] {
  if (!DATA.test(operation)) return [];
  const base = {
    direction: /^(Get|BatchGet|Query|Scan|TransactGet)/.test(operation) ? 'read' : 'write',
    transaction: operation.startsWith('Transact'),
    consistent: input.ConsistentRead === true || operation.startsWith('Transact'),
  } as const;
  const one = (table: string, key: Item, fields: Partial<ItemAccess> = {}): ItemAccess => {
    const names = SCHEMAS[table];
    if (names === undefined) throw new Error(`there is no table ${table}`);
    const partitionKey = textOf(key[names.partitionKey]);
    const item = names.sortKey === undefined ? partitionKey : `${partitionKey}/${textOf(key[names.sortKey])}`;
    return { ...base, table, partitionKey, item, ...fields };
  };
  const { TransactItems: actions, RequestItems: batches, TableName: table = '' } = input;
  if (actions !== undefined)
    return actions.flatMap((action) =>
      Object.values(action).map((each) => one(each.TableName ?? '', each.Key ?? each.Item ?? {})),
    );
  if (batches !== undefined)
    return Object.entries(batches).flatMap(([name, batch]) =>
      'length' in batch
        ? batch.map(({ PutRequest: put, DeleteRequest: del }) => one(name, put?.Item ?? del?.Key ?? {}))
        : (batch.Keys ?? []).map((key) => one(name, key, { consistent: batch.ConsistentRead === true })),
    );
  if (operation === 'Query' || operation === 'Scan') {
    const index = input.IndexName === undefined ? table : `${table}.${input.IndexName}`;
    return [{ ...base, table: index, partitionKey: rangeOf(operation, input), item: undefined }];
  }
  return [one(table, input.Key ?? input.Item ?? {})];
}

/** The partition key that a query names, or that a scan goes on from. */
function rangeOf(operation: string, input: RequestInput): string {
  if (operation === 'Scan')
    return textOf(input.ExclusiveStartKey?.[SCHEMAS[input.TableName ?? '']?.partitionKey ?? '']);
  const placeholder = /=\s*(:\w+)/.exec(input.KeyConditionExpression ?? '')?.[1] ?? '';
  return textOf(input.ExpressionAttributeValues?.[placeholder]);
}

const textOf = (value: AttributeValue | undefined): string => value?.S ?? value?.N ?? '';
