/**
 * What calls of this process do to the same part of a wallet at the same time, in one write. When the write is refused or
 * its answer is lost, each goes alone: a hold that is there is then found, and an end that has happened changes nothing.
 */
import type { Hold, HoldEnd } from '../../../core/ledger/ports.ts';
import type { DynamoClients } from '../../aws/clients.ts';
import { type GroupResult, ItemGroups } from '../../dynamodb/item-groups.ts';
import { updateItem } from '../../dynamodb/update-item.ts';
import { decodePart, MAX_HOLDS, newAttempt, type Part } from './item.ts';
import { type PartAnswer, WalletParts } from './part.ts';
import { type PartChanges, updateOfPart } from './part-update.ts';

/** Each adds at most 150 bytes to an expression, which has 4 KB (developer guide, service quotas). */
const MAX_OPERATIONS = 16;

type PartOperation =
  | { readonly hold: Hold; readonly patient: boolean }
  | { readonly end: HoldEnd }
  | { readonly confirm: string };

const idOf = (operation: PartOperation): string => {
  if ('hold' in operation) return operation.hold.id;
  return 'end' in operation ? operation.end.id : operation.confirm;
};

export class PartGroups {
  readonly #clients: DynamoClients;
  readonly #parts: WalletParts;
  readonly #groups: ItemGroups<PartOperation, PartAnswer>;

  constructor(clients: DynamoClients, table: string) {
    this.#clients = clients;
    this.#parts = new WalletParts(clients, table);
    this.#groups = new ItemGroups({
      choose,
      alone: (walletId, operation) => this.#alone(walletId, operation),
      together: (walletId, operations) => this.#together(walletId, operations),
    });
  }

  /** As `WalletParts.hold`. */
  hold(walletId: string, wanted: Hold, patient = true): Promise<PartAnswer> {
    return this.#groups.submit(walletId, { hold: wanted, patient });
  }

  /** As `WalletParts.end`. */
  async end(walletId: string, end: HoldEnd): Promise<Part | undefined> {
    const { outcome, part } = await this.#groups.submit(walletId, { end });
    return outcome === 'granted' ? part : undefined;
  }

  /** Ends a hold that may lie in another part; as `WalletParts.end`. */
  endIfThere(walletId: string, end: HoldEnd): Promise<Part | undefined> {
    return this.#parts.end(walletId, end);
  }

  /** As `WalletParts.confirm`. */
  async confirm(walletId: string, id: string): Promise<void> {
    await this.#groups.submit(walletId, { confirm: id });
  }

  async #alone(walletId: string, operation: PartOperation): Promise<PartAnswer> {
    if ('hold' in operation) return this.#parts.hold(walletId, operation.hold, operation.patient);
    if ('end' in operation) {
      const part = await this.#parts.end(walletId, operation.end);
      return part === undefined ? { outcome: 'absent', part } : { outcome: 'granted', part };
    }
    await this.#parts.confirm(walletId, operation.confirm);
    return { outcome: 'absent', part: undefined };
  }

  async #together(
    walletId: string,
    operations: readonly PartOperation[],
  ): Promise<readonly GroupResult<PartAnswer>[]> {
    const changes = changesOf(operations);
    const { client, onceClient } = this.#clients;
    const update = {
      ...this.#parts.key(walletId),
      ...updateOfPart(withAttempts(changes)),
      ReturnValues: 'ALL_NEW',
    } as const;
    const isImpatient = operations.some((each) => 'hold' in each && !each.patient);
    const by = changes.holds.length > 0 ? onceClient : client;
    const { applied, item } = await (isImpatient ? updateItem(by, update, 0) : updateItem(by, update));
    if (!applied || item === undefined) return [];
    const part = decodePart(item);
    return operations.map(() => ({ answer: { outcome: 'granted', part } }));
  }
}

/** Each of another call: two changes of one hold do not go in one update. As many holds as a part has places. */
function choose(waiting: readonly PartOperation[]): readonly PartOperation[] {
  const ids = new Set<string>();
  let holds = 0;
  return waiting.filter((operation) => {
    const id = idOf(operation);
    const isHold = 'hold' in operation;
    if (ids.has(id) || ids.size === MAX_OPERATIONS || (isHold && holds === MAX_HOLDS)) return false;
    ids.add(id);
    holds += isHold ? 1 : 0;
    return true;
  });
}

const changesOf = (operations: readonly PartOperation[]): PartChanges => ({
  holds: operations.flatMap((each) => ('hold' in each ? [each.hold] : [])),
  ends: operations.flatMap((each) => ('end' in each ? [each.end] : [])),
  confirmed: operations.flatMap((each) => ('confirm' in each ? [each.confirm] : [])),
});

/** A request that arrives late has left holds that no record names. */
const withAttempts = ({ holds, ...others }: PartChanges): PartChanges => ({
  ...others,
  holds: holds.map((hold) => ({ ...hold, attempt: newAttempt() })),
});
