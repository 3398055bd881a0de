/**
 * Wallets in DynamoDB. A wallet lies in parts, as many as its load needs: every step of a hold is one update of one
 * part, what a part lacks is moved from the others with the hold, and when no place is left there are more parts.
 */
import type { Hold, HoldEnd, HoldResult, Wallet, WalletStore } from '../../../core/ledger/ports.ts';
import type { NanoUsd } from '../../../core/money.ts';
import type { Clock, RandomSource } from '../../../core/ports.ts';
import type { DynamoClients } from '../../aws/clients.ts';
import { systemClock, systemRandom } from '../../system/system.ts';
import { WalletHolds } from './holds.ts';
import { indexOf, toWallet } from './item.ts';
import { PartGroups } from './part-groups.ts';
import { Placements } from './placement.ts';
import { WalletReads } from './reads.ts';
import { WalletTotals } from './totals.ts';

export interface WalletStoreOptions {
  readonly random?: RandomSource;
  readonly clock?: Clock;
}

export function createWalletStore(
  clients: DynamoClients,
  table: string,
  { random = systemRandom, clock = systemClock }: WalletStoreOptions = {},
): WalletStore {
  return new DynamoWalletStore(clients, table, { random, clock });
}

class DynamoWalletStore implements WalletStore {
  readonly #parts: PartGroups;
  readonly #reads: WalletReads;
  readonly #totals: WalletTotals;
  readonly #placements: Placements;
  readonly #holds: WalletHolds;

  constructor(
    clients: DynamoClients,
    table: string,
    { random, clock }: { readonly random: RandomSource; readonly clock: Clock },
  ) {
    this.#parts = new PartGroups(clients, table);
    this.#reads = new WalletReads(clients.client, table);
    this.#totals = new WalletTotals(clients.client, table, clock);
    this.#placements = new Placements(random);
    this.#holds = new WalletHolds({ clients, table, parts: this.#parts }, this.#placements, random);
  }

  hold(accountId: string, wanted: Hold): Promise<HoldResult> {
    return this.#holds.take(accountId, wanted);
  }

  async endHold(accountId: string, end: HoldEnd): Promise<NanoUsd | undefined> {
    const placement = this.#placements.of(accountId);
    const { walletId } = end;
    if (walletId === undefined) return this.#endSomewhere(accountId, end);
    // The balance of a wallet that is known to lie in parts is asked for beside.
    const inParts = placement.parts > 1 || indexOf(walletId) > 0;
    const [part, total] = await Promise.all([
      this.#parts.end(walletId, end),
      inParts ? this.#totals.read(accountId).catch(() => undefined) : undefined,
    ]);
    if (part === undefined) return undefined;
    this.#placements.ended(placement, part);
    if (total !== undefined) return total;
    // The parts may have been made while the call ran.
    const { balance } = toWallet(accountId, [part]);
    return inParts || part.parts > 1 ? this.#totals.read(accountId).catch(() => balance) : balance;
  }

  /** Ends a hold whose answer was lost, on whichever part it was tried. */
  async #endSomewhere(accountId: string, end: HoldEnd): Promise<NanoUsd | undefined> {
    const walletIds = new Set([accountId, ...(this.#holds.triedOn(end.id) ?? [])]);
    const ends = await Promise.all([...walletIds].map((walletId) => this.#parts.endIfThere(walletId, end)));
    return ends.find((part) => part !== undefined)?.balance;
  }

  async findHold(
    accountId: string,
    { id, walletId }: { readonly id: string; readonly walletId?: string | undefined },
  ) {
    const parts =
      walletId === undefined
        ? await this.#reads.readAll(accountId)
        : [await this.#reads.read(walletId)].filter((part) => part !== undefined);
    return parts.flatMap(({ holds }) => holds).find((hold) => hold.id === id);
  }

  balance(accountId: string): Promise<NanoUsd> {
    return this.#totals.read(accountId);
  }

  async read(accountId: string): Promise<Wallet | undefined> {
    const parts = await this.#reads.readAll(accountId);
    if (parts[0] !== undefined) this.#placements.of(accountId).parts = parts[0].parts;
    return parts.length === 0 ? undefined : toWallet(accountId, parts);
  }
}
