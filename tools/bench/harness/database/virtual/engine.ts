/**
 * DynamoDB's operations on items, in memory and in one step each: the subset of expressions that the ledger and its
 * neighbours use. Another one throws, so that nothing is taken for done. Answers are those of the SDK's commands.
 */
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../../../lambdas/platform/dynamodb/attribute-values.ts';
import { bytesOf, readUnits, TRANSACTION_FACTOR, writeUnits } from '../units.ts';
import { isMet } from './conditions.ts';
import { type OperationInput, type OperationResult, projected, scopeOf } from './operation.ts';
import { readPage } from './pages.ts';
import { InvalidExpression } from './syntax.ts';
import type { VirtualTable } from './tables.ts';
import { project, update, updatedPaths } from './updates.ts';
import { storedItem } from './values.ts';

/** A write that has been computed and not been made. */
interface Planned {
  readonly table: VirtualTable;
  readonly key: Item;
  readonly before: Item | undefined;
  /** Undefined deletes the item. */
  readonly after: Item | undefined;
  /** The condition is not met. */
  readonly failed: boolean;
}

export class VirtualEngine {
  readonly #tables: Readonly<Record<string, VirtualTable>>;

  constructor(tables: Readonly<Record<string, VirtualTable>>) {
    this.#tables = tables;
  }

  execute(operation: string, input: OperationInput): OperationResult {
    try {
      return this.#execute(operation, input);
    } catch (failure) {
      if (!(failure instanceof InvalidExpression)) throw failure;
      return { failure: validation(failure.message), units: [] };
    }
  }

  #execute(operation: string, input: OperationInput): OperationResult {
    if (operation === 'GetItem') return this.#get(input);
    if (operation === 'PutItem' || operation === 'UpdateItem' || operation === 'DeleteItem')
      return this.#write(operation.slice(0, -4), input);
    if (operation === 'Query' || operation === 'Scan') return readPage(this.#table(input), operation, input);
    if (operation === 'BatchGetItem') return this.#batchGet(input);
    if (operation === 'TransactGetItems') return this.#transactGet(input);
    if (operation === 'TransactWriteItems') return this.#transactWrite(input);
    throw new Error(`the virtual database has no ${operation}`);
  }

  #table({ TableName: name = '' }: OperationInput): VirtualTable {
    const table = this.#tables[name];
    if (table === undefined) throw new Error(`there is no table ${name}`);
    return table;
  }

  #read(input: OperationInput): { readonly items: Item | undefined; readonly bytes: number } {
    const item = this.#table(input).get(input.Key ?? {});
    return { items: item === undefined ? undefined : projected(item, input), bytes: bytesOf(item) };
  }

  #get(input: OperationInput): OperationResult {
    const { items, bytes } = this.#read(input);
    const units = [readUnits(bytes, input.ConsistentRead === true)];
    return { output: items === undefined ? {} : { Item: items }, units };
  }

  #batchGet({ RequestItems: requests = {} }: OperationInput): OperationResult {
    const responses: Record<string, Item[]> = {};
    const units: number[] = [];
    for (const [name, request] of Object.entries(requests)) {
      const items: Item[] = [];
      for (const key of request.Keys ?? []) {
        const { items: item, bytes } = this.#read({ ...request, TableName: name, Key: key });
        units.push(readUnits(bytes, request.ConsistentRead === true));
        if (item !== undefined) items.push(item);
      }
      responses[name] = items;
    }
    return { output: { Responses: responses, UnprocessedKeys: {} }, units };
  }

  #transactGet({ TransactItems: actions = [] }: OperationInput): OperationResult {
    const reads = actions.map(({ Get: get = {} }) => this.#read(get));
    return {
      output: { Responses: reads.map(({ items }) => (items === undefined ? {} : { Item: items })) },
      units: reads.map(({ bytes }) => TRANSACTION_FACTOR * readUnits(bytes, true)),
    };
  }

  #plan(action: string, input: OperationInput): Planned {
    const table = this.#table(input);
    const key = action === 'Put' ? table.keyOf(input.Item ?? {}) : (input.Key ?? {});
    const before = table.get(key);
    const scope = scopeOf(before ?? {}, input);
    const failed = input.ConditionExpression !== undefined && !isMet(input.ConditionExpression, scope);
    const plan = { table, key, before };
    if (failed || action === 'ConditionCheck') return { ...plan, after: before, failed };
    if (action === 'Delete') return { ...plan, after: undefined, failed };
    if (action === 'Put') return { ...plan, after: storedItem(input.Item ?? {}), failed };
    const item = before ?? key;
    const after =
      input.UpdateExpression === undefined ? item : update(input.UpdateExpression, { ...scope, item });
    return { ...plan, after, failed };
  }

  #write(action: string, input: OperationInput): OperationResult {
    const { table, key, before, after, failed } = this.#plan(action, input);
    const units = [writeUnits(before, after)];
    if (failed) {
      const item = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined;
      const failure = new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: { ...METADATA },
        ...(item === undefined ? {} : { Item: item }),
      });
      return { failure, units };
    }
    table.set(key, after);
    const attributes = returned(input, before, after);
    return { output: attributes === undefined ? {} : { Attributes: attributes }, units };
  }

  #transactWrite({ TransactItems: actions = [] }: OperationInput): OperationResult {
    const inputs = actions.flatMap((action) => Object.entries(action));
    const plans = inputs.map(([action, input]) => this.#planOrFail(action, input));
    const reasons = plans.map((plan, at) => reasonOf(plan, inputs[at]?.[1] ?? {}));
    const units = plans.map((plan) => TRANSACTION_FACTOR * writeUnits(plan?.before, plan?.after));
    if (reasons.some(({ Code: code }) => code !== 'None')) {
      const failure = new TransactionCanceledException({
        message: 'Transaction cancelled, please refer cancellation reasons for specific reasons',
        $metadata: { ...METADATA },
        CancellationReasons: reasons,
      });
      return { failure, units };
    }
    for (const plan of plans) plan?.table.set(plan.key, plan.after);
    return { output: {}, units };
  }

  /** Undefined when the write is not possible on the item as it is. */
  #planOrFail(action: string, input: OperationInput): Planned | undefined {
    try {
      return this.#plan(action, input);
    } catch (failure) {
      if (failure instanceof InvalidExpression) return undefined;
      throw failure;
    }
  }
}

function reasonOf(plan: Planned | undefined, input: OperationInput): CancellationReason {
  if (plan === undefined) return { Code: 'ValidationError' };
  if (!plan.failed) return { Code: 'None' };
  const shown = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? plan.before : undefined;
  return { Code: 'ConditionalCheckFailed', ...(shown === undefined ? {} : { Item: shown }) };
}

export const METADATA = { httpStatusCode: 400, attempts: 1 };

const validation = (message: string): DynamoDBServiceException =>
  new DynamoDBServiceException({
    name: 'ValidationException',
    $fault: 'client',
    message,
    $metadata: { ...METADATA },
  });

/** Returns the attributes of a write that the input requests. */
function returned(
  input: OperationInput,
  before: Item | undefined,
  after: Item | undefined,
): Item | undefined {
  const { ReturnValues: returnValues = 'NONE', UpdateExpression: expression } = input;
  const item = returnValues.endsWith('_OLD') ? before : after;
  if (returnValues === 'NONE' || item === undefined) return undefined;
  if (returnValues.startsWith('ALL')) return item;
  const updated = project(updatedPaths(expression ?? ''), scopeOf(item, input));
  return Object.keys(updated).length === 0 ? undefined : updated;
}
