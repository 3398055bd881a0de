/** Keys in DynamoDB: one conditional update takes a call from every window at once. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { KeyCharge, KeyState } from '../core/access/key-state.ts';
import { type Windows, windowsAt } from '../core/access/windows.ts';
import type { ChargeResult, KeyCorrection, KeyStore } from '../core/ledger/ports.ts';
import type { Clock } from '../core/ports.ts';
import { type Item, number, text } from './attribute-values.ts';
import { decodeKey } from './key-item.ts';

export interface KeyStoreOptions {
  readonly client: DynamoDBClient;
  /** Sends each request once: for updates that must not be applied twice. */
  readonly onceClient: DynamoDBClient;
  readonly table: string;
  readonly clock: Clock;
}

interface Expression {
  readonly update: string;
  readonly condition: string;
  readonly names: Record<string, string>;
  readonly values: Item;
}

export function createKeyStore({ client, onceClient, table, clock }: KeyStoreOptions): KeyStore {
  const keyOf = (keyId: string) => ({ TableName: table, Key: { key_id: text(keyId) } });

  async function charge(
    request: KeyCharge,
    rolled?: { readonly from: KeyState; readonly to: KeyState },
  ): Promise<ChargeResult> {
    const expression = rolled === undefined ? decrement(request) : roll(request, rolled.from, rolled.to);
    const result = await update(client, {
      ...keyOf(request.key.keyId),
      ...input(expression),
      ReturnValues: 'ALL_NEW',
    });
    if (!result.applied) return { granted: false, state: result.item && decodeKey(result.item) };
    if (result.item === undefined) throw new Error('DynamoDB returned no item');
    return { granted: true, state: decodeKey(result.item) };
  }

  async function correct(correction: KeyCorrection): Promise<void> {
    if (correction.amount === 0n && correction.tokens === 0) return;
    const running = intersect(correction.windows, windowsAt(clock()));
    const first = await tryCorrect(correction, running);
    if (first.applied || first.item === undefined) return;
    // A window rolled between the clock's reading and the write: correct those that are left, once.
    await tryCorrect(correction, intersect(correction.windows, decodeKey(first.item).windows));
  }

  async function tryCorrect(correction: KeyCorrection, running: Partial<Windows>): Promise<UpdateResult> {
    const expression = correctionOf(correction, running);
    if (expression === undefined) return { applied: true, item: undefined };
    return update(onceClient, { ...keyOf(correction.keyId), ...input(expression) });
  }

  async function read(keyId: string): Promise<KeyState | undefined> {
    const { Item: item } = await client.send(new GetItemCommand({ ...keyOf(keyId), ConsistentRead: true }));
    return item === undefined ? undefined : decodeKey(item);
  }

  return { charge, correct, read };
}

interface UpdateResult {
  readonly applied: boolean;
  /** The new item when applied, else the one that failed the condition. */
  readonly item: Item | undefined;
}

async function update(client: DynamoDBClient, command: UpdateItemCommandInput): Promise<UpdateResult> {
  try {
    const { Attributes: item } = await client.send(
      new UpdateItemCommand({ ...command, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    );
    return { applied: true, item };
  } catch (failure) {
    if (failure instanceof ConditionalCheckFailedException) return { applied: false, item: failure.Item };
    throw failure;
  }
}

const input = ({ update, condition, names, values }: Expression) => ({
  UpdateExpression: update,
  ConditionExpression: condition,
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: values,
});

const ACTIVE = '#status = :active AND secret_hash = :hash';

const identity = ({ key }: KeyCharge): Item => ({ ':active': text('active'), ':hash': text(key.secretHash) });

/** The common case: no window has ended. A later window than the caller's clock knows is charged as it is. */
function decrement(charge: KeyCharge): Expression {
  const { windows, tokens, amount } = charge;
  const scope = scopeOf(charge);
  return {
    update:
      'SET requests_left = requests_left - :one, tokens_left = tokens_left - :tokens, ' +
      'day_left = day_left - :amount, month_left = month_left - :amount',
    condition: [
      ACTIVE,
      '#minute >= :minute AND #day >= :day AND #month >= :month',
      'requests_left >= :one',
      // An overrun leaves less than nothing; what takes nothing from a window may pass all the same.
      ...(tokens > 0 ? ['tokens_left >= :tokens'] : []),
      ...(amount > 0n ? ['day_left >= :amount AND month_left >= :amount'] : []),
      ...scope.conditions,
    ].join(' AND '),
    names: { '#status': 'status', '#minute': 'minute', '#day': 'day', '#month': 'month' },
    values: {
      ...identity(charge),
      ...scope.values,
      ':one': number(1),
      ':tokens': number(tokens),
      ':amount': number(amount),
      ':minute': number(windows.minute),
      ':day': number(windows.day),
      ':month': number(windows.month),
    },
  };
}

/** Begins the ended windows afresh and takes the call from them, if nobody else has done so since. */
function roll(charge: KeyCharge, from: KeyState, to: KeyState): Expression {
  const { tokens, amount } = charge;
  return {
    update:
      'SET #minute = :minute, #day = :day, #month = :month, requests_left = :requests, ' +
      'tokens_left = :tokens, day_left = :day_left, month_left = :month_left',
    condition: [
      ACTIVE,
      '#minute = :was_minute AND #day = :was_day AND #month = :was_month AND version = :version',
      'requests_left = :was_requests AND tokens_left = :was_tokens',
      'day_left = :was_day_left AND month_left = :was_month_left',
    ].join(' AND '),
    names: { '#status': 'status', '#minute': 'minute', '#day': 'day', '#month': 'month' },
    values: {
      ...identity(charge),
      ':minute': number(to.windows.minute),
      ':day': number(to.windows.day),
      ':month': number(to.windows.month),
      ':requests': number(to.requestsLeft - 1),
      ':tokens': number(to.tokensLeft - BigInt(tokens)),
      ':day_left': number(to.dayLeft - amount),
      ':month_left': number(to.monthLeft - amount),
      ':version': number(from.version),
      ':was_minute': number(from.windows.minute),
      ':was_day': number(from.windows.day),
      ':was_month': number(from.windows.month),
      ':was_requests': number(from.requestsLeft),
      ':was_tokens': number(from.tokensLeft),
      ':was_day_left': number(from.dayLeft),
      ':was_month_left': number(from.monthLeft),
    },
  };
}

/** The policy's lists are sets in the item; an absent set allows everything. */
function scopeOf({ scope }: KeyCharge): { readonly conditions: readonly string[]; readonly values: Item } {
  if (scope === undefined) return { conditions: [], values: {} };
  const values: Item = { ':kind': text(scope.kind) };
  const conditions = ['(attribute_not_exists(allowed_kinds) OR contains(allowed_kinds, :kind))'];
  scope.models.forEach((names, model) => {
    const alternatives = names.map((name, index) => {
      values[`:model${model}_${index}`] = text(name);
      return `contains(allowed_models, :model${model}_${index})`;
    });
    conditions.push(`(attribute_not_exists(allowed_models) OR ${alternatives.join(' OR ')})`);
  });
  return { conditions, values };
}

/** The windows that are in both. */
function intersect(a: Windows, b: Windows): Partial<Windows> {
  return {
    ...(a.minute === b.minute ? { minute: a.minute } : {}),
    ...(a.day === b.day ? { day: a.day } : {}),
    ...(a.month === b.month ? { month: a.month } : {}),
  };
}

/** Undefined when none of the windows runs any more. */
function correctionOf({ tokens, amount }: KeyCorrection, running: Partial<Windows>): Expression | undefined {
  const parts: { readonly window: keyof Windows; readonly left: string; readonly by: number | bigint }[] = [
    { window: 'minute', left: 'tokens_left', by: tokens },
    { window: 'day', left: 'day_left', by: amount },
    { window: 'month', left: 'month_left', by: amount },
  ];
  const due = parts.filter(({ window, by }) => running[window] !== undefined && BigInt(by) !== 0n);
  if (due.length === 0) return undefined;
  return {
    update: `SET ${due.map(({ window, left }) => `${left} = ${left} + :${window}_by`).join(', ')}`,
    condition: due.map(({ window }) => `#${window} = :${window}`).join(' AND '),
    names: Object.fromEntries(due.map(({ window }) => [`#${window}`, window])),
    values: Object.fromEntries(
      due.flatMap(({ window, by }) => [
        [`:${window}`, number(running[window] ?? 0)],
        [`:${window}_by`, number(by)],
      ]),
    ),
  };
}
