/**
 * Says which IAM actions on which resources a DynamoDB call needs.
 * Source: service authorization reference, actions for Amazon DynamoDB; transactions need the action of each item.
 */
import { regionalArn } from '../assembly/identities.ts';
import { AwsError, parseBody } from './errors.ts';

export interface NeededAccess {
  readonly action: string;
  readonly resourceArn: string;
}

interface Request {
  readonly TableName: string;
  readonly IndexName: string;
  readonly ResourceArn: string;
  readonly RequestItems: Readonly<Record<string, unknown>>;
  readonly TransactItems: readonly Readonly<Record<string, { readonly TableName: string } | undefined>>[];
}

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
  const { TransactItems, RequestItems, TableName, ResourceArn, IndexName } = parseBody<Request>(body);
  if (TransactItems !== undefined)
    return TransactItems.flatMap((item) => Object.entries(item).map(transactionAccess));
  if (RequestItems !== undefined)
    return Object.keys(RequestItems).map((table) => need(operation, tableArn(table)));
  const table = TableName ?? ResourceArn;
  if (table === undefined)
    throw new AwsError(
      'UnknownOperationException',
      `the local runtime does not know what DynamoDB ${operation} touches`,
    );
  return [need(operation, `${tableArn(table)}${IndexName === undefined ? '' : `/index/${IndexName}`}`)];
}

function transactionAccess([part, item]: [string, { readonly TableName: string } | undefined]): NeededAccess {
  const action = TRANSACTION_ACTIONS[part];
  if (action === undefined || item === undefined) {
    throw new AwsError('ValidationException', `unknown transaction item ${part}`);
  }
  return need(action, tableArn(item.TableName));
}

function need(operation: string, resourceArn: string): NeededAccess {
  return { action: `dynamodb:${operation}`, resourceArn };
}

/** Every call takes a table's ARN in place of its name. */
function tableArn(table: string): string {
  return table.startsWith('arn:') ? table : regionalArn('dynamodb', `table/${table}`);
}
