/** What one part of a wallet can do, each in one conditional update that is safe to repeat. */
import { type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { Hold, HoldEnd } from '../../../core/ledger/ports.ts';
import { isRefusal } from '../../../core/transient.ts';
import type { DynamoClients } from '../../aws/clients.ts';
import { number, text } from '../../dynamodb/attribute-values.ts';
import { updateItem } from '../../dynamodb/update-item.ts';
import {
  dayOf,
  decodePart,
  encodeHold,
  HAS_PLACE,
  MAX_HOLDS,
  newAttempt,
  type Part,
  spentOn,
  unlessOwing,
} from './item.ts';

/** A connection that was reset while the function slept is the usual reason for a second try. */
const MAX_HOLD_TRIES = 2;

/**
 * `full`: every place for a hold is taken. `lacking`: its own balance does not suffice. `absent`: there is no such part.
 * `busy`: the database refuses writes to it for now.
 */
export type Outcome = 'granted' | 'full' | 'lacking' | 'owing' | 'absent' | 'busy';

export type PartAnswer =
  | { readonly outcome: Exclude<Outcome, 'absent' | 'busy'>; readonly part: Part }
  | { readonly outcome: 'absent' | 'busy'; readonly part: undefined };

export class WalletParts {
  readonly #client: DynamoDBClient;
  readonly #onceClient: DynamoDBClient;
  readonly #table: string;

  constructor({ client, onceClient }: DynamoClients, table: string) {
    this.#client = client;
    this.#onceClient = onceClient;
    this.#table = table;
  }

  /** The item's name in a request. */
  key(walletId: string) {
    return { TableName: this.#table, Key: { wallet_id: text(walletId) } };
  }

  /**
   * Takes a hold. Each request is sent once and has an attempt of its own in the hold: a copy that reaches the database
   * after the call has settled is then distinguished from the hold that its record settled, and released at no cost.
   * Without patience a part that is `busy` is not waited for.
   */
  async hold(walletId: string, wanted: Hold, patient = true): Promise<PartAnswer> {
    const result = await this.#holdOnce(walletId, wanted, patient).catch((failure: unknown) => {
      if (patient || !isRefusal(failure)) throw failure;
      return undefined;
    });
    if (result?.item === undefined)
      return { outcome: result === undefined ? 'busy' : 'absent', part: undefined };
    const part = decodePart(result.item);
    // A request whose answer was lost has left its hold, and it is ours.
    const isTaken = result.applied || part.holds.some(({ id }) => id === wanted.id);
    return { outcome: isTaken ? 'granted' : refusalOf(part, wanted), part };
  }

  /** Takes a hold; again when the answer was lost. */
  async #holdOnce(walletId: string, wanted: Hold, patient: boolean) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#tryHold(walletId, { ...wanted, attempt: newAttempt() }, patient);
      } catch (failure) {
        if (failure instanceof DynamoDBServiceException || tries === MAX_HOLD_TRIES) throw failure;
      }
    }
  }

  #tryHold(walletId: string, wanted: Hold, patient: boolean) {
    const update = {
      ...this.key(walletId),
      UpdateExpression: 'SET balance = balance - :amount, holds.#id = :hold, used = :used',
      ConditionExpression: `balance >= :amount AND ${HAS_PLACE}${unlessOwing(wanted)}`,
      ExpressionAttributeNames: { '#id': wanted.id },
      ExpressionAttributeValues: {
        ':amount': number(wanted.amount),
        ':most': number(MAX_HOLDS),
        ':hold': encodeHold(wanted),
        ':used': number(wanted.created),
      },
      ReturnValues: 'ALL_NEW',
    } as const;
    return patient ? updateItem(this.#onceClient, update) : updateItem(this.#onceClient, update, 0);
  }

  /** Notes in an open hold that its key has been charged. */
  async confirm(walletId: string, id: string): Promise<void> {
    await updateItem(this.#client, {
      ...this.key(walletId),
      UpdateExpression: 'SET holds.#id.charged = :true',
      ConditionExpression: 'attribute_exists(holds.#id)',
      ExpressionAttributeNames: { '#id': id },
      ExpressionAttributeValues: { ':true': { BOOL: true } },
    });
  }

  /** Ends a hold of exactly that amount; returns the part as it is then, or undefined when there is no such hold. */
  async end(walletId: string, { id, amount, cost, recorded }: HoldEnd): Promise<Part | undefined> {
    const { applied, item } = await updateItem(this.#client, {
      ...this.key(walletId),
      UpdateExpression: `SET ${[
        'balance = balance + :refund',
        'spent = if_not_exists(spent, :zero) + :cost',
        ...(cost === 0n ? [] : ['#day = if_not_exists(#day, :zero) + :cost']),
      ].join(', ')} REMOVE holds.#id`,
      ConditionExpression: 'holds.#id.amount = :amount',
      ExpressionAttributeNames: {
        '#id': id,
        ...(cost === 0n ? {} : { '#day': spentOn(dayOf(recorded)) }),
      },
      ExpressionAttributeValues: {
        ':refund': number(amount - cost),
        ':cost': number(cost),
        ':amount': number(amount),
        ':zero': number(0),
      },
      ReturnValues: 'ALL_NEW',
    });
    return applied && item !== undefined ? decodePart(item) : undefined;
  }
}

/** Why a part has refused a hold. */
function refusalOf({ owed, holds }: Part, wanted: Hold) {
  if (owed !== undefined && wanted.amount > 0n) return 'owing';
  if (holds.length >= MAX_HOLDS) return 'full';
  return 'lacking';
}
