/** What one part of a wallet can do, each in one conditional update that is safe to repeat. */
import { type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { Hold, HoldEnd } from '../../../core/ledger/ports.ts';
import type { NanoUsd } from '../../../core/money.ts';
import { optimistically } from '../../../core/optimistic.ts';
import { isRefusal } from '../../../core/transient.ts';
import type { DynamoClients } from '../../aws/clients.ts';
import { number, text } from '../../dynamodb/attribute-values.ts';
import { updateItem } from '../../dynamodb/update-item.ts';
import { Exposures } from './exposures.ts';
import {
  coverIn,
  dayOf,
  decodePart,
  EXPOSED_AT_MOST,
  encodeHold,
  HAS_PLACE,
  MAX_HOLDS,
  NOT_ON_PROBATION,
  newAttempt,
  type Part,
  spentOn,
  unlessOwing,
} from './item.ts';

/** A connection that was reset while the function slept is the usual reason for a second try. */
const MAX_HOLD_TRIES = 2;

/** Each further try needs the balance to have fallen meanwhile; after as many the hold stays as it is. */
const MAX_GROW_TRIES = 5;

/** A hold that found other exposure than it had cover for is tried again with what it found, which moves too. */
const MAX_MISSES = 9;

const EXPOSE = 'exposure = if_not_exists(exposure, :zero) + :exposure';
/**
 * `full`: every place for a hold is taken. `lacking`: its own balance does not suffice. `absent`: there is no such part.
 * `busy`: the database refuses writes to it for now.
 */
export type Outcome = 'granted' | 'full' | 'lacking' | 'owing' | 'probation' | 'absent' | 'busy';

export type PartAnswer =
  | { readonly outcome: Exclude<Outcome, 'absent' | 'busy'>; readonly part: Part }
  | { readonly outcome: 'absent' | 'busy'; readonly part: undefined };

export class WalletParts {
  readonly #client: DynamoDBClient;
  readonly #onceClient: DynamoDBClient;
  readonly #table: string;
  readonly #exposures: Exposures;

  constructor({ client, onceClient }: DynamoClients, table: string, exposures: Exposures = new Exposures()) {
    this.#client = client;
    this.#onceClient = onceClient;
    this.#table = table;
    this.#exposures = exposures;
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
    let others = this.#exposures.toCover(walletId, wanted);
    return optimistically<PartAnswer>(MAX_MISSES, 'the wallet', async () => {
      const result = await this.#holdBeside(walletId, wanted, others, patient).catch((failure: unknown) => {
        if (patient || !isRefusal(failure)) throw failure;
        return undefined;
      });
      if (result?.item === undefined)
        return { outcome: result === undefined ? 'busy' : 'absent', part: undefined };
      const { applied, item } = result;
      const part = decodePart(item);
      const { balance, exposure } = part;
      this.#exposures.remember(part);
      // A request whose answer was lost has left its hold, and it is ours.
      if (applied || part.holds.some(({ id }) => id === wanted.id)) return { outcome: 'granted', part };
      const outcome = refusalOf(part, wanted);
      if (outcome !== undefined) return { outcome, part };
      // The cover was computed for other open holds than there are.
      others = exposure + (balance - coverIn(walletId, wanted, exposure)) / 2n;
      return undefined;
    });
  }

  /** Takes a hold if the other open holds are exposed by at most `others`; again when the answer was lost. */
  async #holdBeside(walletId: string, wanted: Hold, others: NanoUsd, patient: boolean) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#tryHold(walletId, { ...wanted, attempt: newAttempt() }, others, patient);
      } catch (failure) {
        if (failure instanceof DynamoDBServiceException || tries === MAX_HOLD_TRIES) throw failure;
      }
    }
  }

  #tryHold(walletId: string, wanted: Hold, others: NanoUsd, patient: boolean) {
    const isExposed = wanted.exposure > 0n;
    const update = {
      ...this.key(walletId),
      UpdateExpression: `SET balance = balance - :amount, holds.#id = :hold, used = :used${isExposed ? `, ${EXPOSE}` : ''}`,
      ConditionExpression: [
        `balance >= :least AND ${HAS_PLACE}${unlessOwing(wanted)} AND ${EXPOSED_AT_MOST}`,
        ...(isExposed ? [NOT_ON_PROBATION] : []),
      ].join(' AND '),
      ExpressionAttributeNames: { '#id': wanted.id },
      ExpressionAttributeValues: {
        ':amount': number(wanted.amount),
        ':least': number(coverIn(walletId, wanted, others)),
        ':most': number(MAX_HOLDS),
        ':others': number(others),
        ':hold': encodeHold(wanted),
        ':used': number(wanted.created),
        ...(isExposed ? { ':exposure': number(wanted.exposure), ':zero': number(0) } : {}),
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

  /** Widens a hold up to `target` by what the part's own balance gives; returns the hold's new amount. */
  async grow(walletId: string, held: Hold, target: NanoUsd): Promise<NanoUsd> {
    let available = target - held.amount;
    for (let tries = 0; tries < MAX_GROW_TRIES && available > 0n; tries += 1) {
      const grown = held.amount + available;
      const { applied, item } = await updateItem(this.#client, {
        ...this.key(walletId),
        UpdateExpression:
          'SET balance = balance - :more, holds.#id.amount = :grown, holds.#id.taken = :taken',
        ConditionExpression: 'balance >= :more AND holds.#id.amount = :amount',
        ExpressionAttributeNames: { '#id': held.id },
        ExpressionAttributeValues: {
          ':more': number(available),
          ':grown': number(grown),
          ':taken': number(held.taken ?? held.amount),
          ':amount': number(held.amount),
        },
      });
      if (applied) return grown;
      const part = item === undefined ? undefined : decodePart(item);
      const current = part?.holds.find(({ id }) => id === held.id);
      if (part === undefined || current === undefined) return held.amount;
      if (current.amount !== held.amount) return current.amount;
      available = part.balance < available ? part.balance : available;
    }
    return held.amount;
  }

  /** Ends a hold of exactly that amount; returns the part as it is then, or undefined when there is no such hold. */
  async end(
    walletId: string,
    { id, amount, cost, recorded, fellShort = false, probation = 0n }: HoldEnd,
  ): Promise<Part | undefined> {
    const { applied, item } = await updateItem(this.#client, {
      ...this.key(walletId),
      UpdateExpression: `SET ${[
        'balance = balance + :refund',
        'spent = if_not_exists(spent, :zero) + :cost',
        // The hold as it is before this update.
        'exposure = if_not_exists(exposure, :zero) - if_not_exists(holds.#id.exposure, :zero)',
        ...(cost === 0n ? [] : ['#day = if_not_exists(#day, :zero) + :cost']),
        ...(probation === 0n ? [] : ['probation = if_not_exists(probation, :zero) + :probation']),
        ...(fellShort ? ['shortfalls = if_not_exists(shortfalls, :zero) + :one'] : []),
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
        ...(probation === 0n ? {} : { ':probation': number(probation) }),
        ...(fellShort ? { ':one': number(1) } : {}),
      },
      ReturnValues: 'ALL_NEW',
    });
    return applied && item !== undefined ? decodePart(item) : undefined;
  }
}

/** Why a part refuses a hold; undefined when it does not, as it is now. */
function refusalOf(part: Part, wanted: Hold) {
  const { walletId, balance, exposure, owed, holds, probation, received } = part;
  if (owed !== undefined && wanted.amount > 0n) return 'owing';
  if (probation > 0n && wanted.exposure > 0n) return 'probation';
  if (holds.length >= MAX_HOLDS && received !== undefined) return 'full';
  return balance < coverIn(walletId, wanted, exposure) ? 'lacking' : undefined;
}
