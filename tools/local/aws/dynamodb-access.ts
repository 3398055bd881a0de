/**
 * Says which IAM actions on which resources a DynamoDB call needs.
 * Source: service authorization reference, actions for Amazon DynamoDB; transactions need the action of each item.
 */
import { regionalArn } from '../assembly/identities.ts';
import { AwsError, parseBody } from './errors.ts';

export interface NeededAccess {
  readonly action: string;
  readonly resourceArn: string;
  /** The top-level attributes that a write names. */
  readonly attributes?: readonly string[];
}

/** The parts of a request that name attributes. */
interface NamedAttributes {
  readonly Key?: object;
  readonly Item?: object;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

interface Request extends NamedAttributes {
  readonly TableName: string;
  readonly IndexName: string;
  readonly ResourceArn: string;
  readonly RequestItems: Readonly<Record<string, unknown>>;
  readonly TransactItems: readonly Readonly<Record<string, TransactionItem | undefined>>[];
}

type TransactionItem = NamedAttributes & { readonly TableName: string };

/** Names of the parts of a transaction, and the action that each needs. */
const TRANSACTION_ACTIONS: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** The actions after which a table's stream may hold more. */
const WRITES = new Set(
  ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map((name) => `dynamodb:${name}`),
);

/** The names of the tables that a call with these needs may write to. */
export function writtenTables(requiredAccesses: readonly NeededAccess[]): ReadonlySet<string> {
  const tables = requiredAccesses.filter(({ action }) => WRITES.has(action));
  return new Set(tables.map(({ resourceArn }) => resourceArn.slice(resourceArn.lastIndexOf('/') + 1)));
}

const ON_ALL_RESOURCES = new Set(['ListTables', 'DescribeEndpoints', 'DescribeLimits']);

/** Throws `UnknownOperationException` on an operation whose permissions it does not know (PartiQL, backups). */
export function neededAccess(operation: string, body: Buffer): readonly NeededAccess[] {
  if (ON_ALL_RESOURCES.has(operation)) return [need(operation, '*')];
  const request = parseBody<Request>(body);
  const { TransactItems, RequestItems, TableName, ResourceArn, IndexName } = request;
  if (TransactItems !== undefined)
    return TransactItems.flatMap((item) => Object.entries(item).map(transactionAccess));
  if (RequestItems !== undefined)
    return Object.entries(RequestItems).map(([table, writes]) => batchAccess(operation, table, writes));
  const table = TableName ?? ResourceArn;
  if (table === undefined)
    throw new AwsError(
      'UnknownOperationException',
      `the local runtime does not know what DynamoDB ${operation} touches`,
    );
  const resourceArn = `${tableArn(table)}${IndexName === undefined ? '' : `/index/${IndexName}`}`;
  return [need(operation, resourceArn, attributesOf(request))];
}

function batchAccess(operation: string, table: string, writes: unknown): NeededAccess {
  const puts = Array.isArray(writes) ? (writes as readonly { readonly PutRequest?: NamedAttributes }[]) : [];
  const attributes = puts.flatMap(({ PutRequest }) => attributesOf(PutRequest ?? {}));
  return need(operation, tableArn(table), attributes);
}

function transactionAccess([part, item]: [string, TransactionItem | undefined]): NeededAccess {
  const action = TRANSACTION_ACTIONS[part];
  if (action === undefined || item === undefined) {
    throw new AwsError('ValidationException', `unknown transaction item ${part}`);
  }
  return need(action, tableArn(item.TableName), attributesOf(item));
}

function need(operation: string, resourceArn: string, attributes: readonly string[] = []): NeededAccess {
  return { action: `dynamodb:${operation}`, resourceArn, attributes };
}

/** Returns more names than AWS would: keywords and functions of expressions are among them, which name no attribute. */
function attributesOf(request: NamedAttributes): readonly string[] {
  const { Key = {}, Item = {}, UpdateExpression = '', ConditionExpression = '' } = request;
  const words = `${UpdateExpression} ${ConditionExpression}`.match(/(?<![:#.\w])[A-Za-z_]\w*/g) ?? [];
  const aliases = Object.values(request.ExpressionAttributeNames ?? {});
  return [...Object.keys(Key), ...Object.keys(Item), ...aliases, ...words];
}

/** Every call takes a table's ARN in place of its name. */
function tableArn(table: string): string {
  return table.startsWith('arn:') ? table : regionalArn('dynamodb', `table/${table}`);
}
