/**
 * Wallets in DynamoDB. A wallet lies in parts, as many as its load needs: every step of a hold is one update of one
 * part, what a part lacks is moved from the others with the hold, and when no place is left there are more parts.
 */
import { BoundedMap } from '../../core/bounded-map.ts';
import { overloaded } from '../../core/errors.ts';
import type { Hold, HoldEnd, HoldResult, Wallet, WalletStore } from '../../core/ledger/ports.ts';
import { greatest, least, type NanoUsd } from '../../core/money.ts';
import { optimistically } from '../../core/optimistic.ts';
import type { Clock, RandomSource } from '../../core/ports.ts';
import type { DynamoClients } from '../aws/clients.ts';
import { systemClock, systemRandom } from '../system/system.ts';
import {
  coverIn,
  indexOf,
  MAX_HOLDS,
  newAttempt,
  type Part,
  partId,
  spareOf,
  toWallet,
} from './wallet-item.ts';
import { WalletParts } from './wallet-part.ts';
import { type Placement, Placements } from './wallet-placement.ts';
import { WalletPostings } from './wallet-posting.ts';
import { WalletReads } from './wallet-reads.ts';
import { growParts } from './wallet-size.ts';
import { WalletTotals } from './wallet-totals.ts';
import { collect, type Donor, type Target, WalletTransfers } from './wallet-transfer.ts';

/** Each further try means that another call moved one of the parts within milliseconds, or that a part was full. */
const MAX_TRIES = 12;

/** Full parts that a hold meets before there are more of them. */
const MAX_FULL = 2;

/** Bounds the memory of where the holds in flight were tried. */
const MAX_IN_FLIGHT = 10_000;

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
  readonly #client: DynamoClients['client'];
  readonly #table: string;
  readonly #parts: WalletParts;
  readonly #reads: WalletReads;
  readonly #transfers: WalletTransfers;
  readonly #postings: WalletPostings;
  readonly #totals: WalletTotals;
  readonly #placements: Placements;
  /** By call, the parts that its hold may be on as long as no answer has said which. */
  readonly #tried = new BoundedMap<string, string[]>(MAX_IN_FLIGHT);

  constructor(
    clients: DynamoClients,
    table: string,
    { random, clock }: { readonly random: RandomSource; readonly clock: Clock },
  ) {
    this.#client = clients.client;
    this.#table = table;
    this.#parts = new WalletParts(clients, table);
    this.#reads = new WalletReads(clients.client, table);
    this.#transfers = new WalletTransfers(clients.client, table);
    this.#postings = new WalletPostings(clients.client, table);
    this.#totals = new WalletTotals(clients.client, table, clock);
    this.#placements = new Placements(random);
  }

  async hold(accountId: string, wanted: Hold): Promise<HoldResult> {
    const placement = this.#placements.of(accountId);
    const tried = new Set<number>();
    const result = await optimistically<HoldResult>(MAX_TRIES, 'the wallet', async () => {
      const index = this.#placements.pick(placement, wanted.amount + wanted.exposure, tried);
      if (index === undefined || tried.size === MAX_FULL) {
        await this.#grow(accountId, placement);
        tried.clear();
        return undefined;
      }
      const walletId = partId(accountId, index);
      this.#noteTry(wanted.id, walletId);
      const { outcome, part } = await this.#parts.hold(walletId, wanted);
      this.#placements.learn(placement, index, part, outcome === 'granted');
      if (outcome === 'granted') return { granted: true, wallet: toWallet(accountId, [part]) };
      if (outcome === 'full') tried.add(index);
      if (outcome === 'owing') await this.#postings.collect(accountId);
      if (outcome === 'full' || (outcome === 'owing' && !tried.has(index))) return undefined;
      if (index === 0 && placement.parts === 1)
        return { granted: false, wallet: part && toWallet(accountId, [part]) };
      return this.#holdAcrossParts(accountId, wanted, { walletId, part });
    });
    this.#tried.delete(wanted.id);
    return result;
  }

  async confirm(accountId: string, hold: Hold): Promise<void> {
    await this.#parts.confirm(hold.walletId ?? accountId, hold.id);
  }

  async growHold(accountId: string, held: Hold, target: NanoUsd): Promise<NanoUsd> {
    const walletId = held.walletId ?? accountId;
    let amount = await this.#parts.grow(walletId, held, target);
    // Other parts are looked for even where none are known: this process may not have met them.
    for (let tries = 0; tries < MAX_TRIES && amount < target; tries += 1) {
      const parts = await this.#reads.readAll(accountId);
      const own = parts.find((part) => part.walletId === walletId);
      // A call that is being settled takes whatever there is.
      const donors = parts
        .filter((part) => part !== own)
        .map((part) => ({ part, amount: part.balance, covered: false }));
      const all = donors.reduce((total, donor) => total + donor.amount, 0n);
      const transfers = collect(donors, least(all, target - amount)) ?? [];
      if (own === undefined || transfers.length === 0) return amount;
      if (await this.#transfers.grow(own, { ...held, amount }, transfers)) {
        amount = transfers.reduce((total, transfer) => total + transfer.amount, amount);
      }
    }
    return amount;
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
    return total ?? part.balance;
  }

  /** Ends a hold whose answer was lost, on whichever part it was tried. */
  async #endSomewhere(accountId: string, end: HoldEnd): Promise<NanoUsd | undefined> {
    const walletIds = new Set([accountId, ...(this.#tried.get(end.id) ?? [])]);
    const ends = await Promise.all([...walletIds].map((walletId) => this.#parts.end(walletId, end)));
    this.#tried.delete(end.id);
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
    const parts = await this.#readAll(accountId);
    return parts.length === 0 ? undefined : toWallet(accountId, parts);
  }

  /** Takes the hold on a part that lacks money together with what it lacks: from the first part, if that has enough. */
  async #holdAcrossParts(accountId: string, wanted: Hold, refused: Target): Promise<HoldResult> {
    let parts = await this.#readForTransfer(accountId, refused);
    return optimistically<HoldResult>(MAX_TRIES, 'the wallet', async () => {
      const result = await this.#tryAcross(accountId, parts, wanted, refused);
      if (result === undefined) parts = await this.#readAll(accountId);
      return result;
    });
  }

  /** The refused part and the first one; all of them where these two would not do. */
  async #readForTransfer(accountId: string, { walletId, part }: Target): Promise<readonly Part[]> {
    const first = indexOf(walletId) === 0 ? undefined : await this.#reads.read(accountId);
    if (first !== undefined && first.owed === undefined && spareOf(first) > 0n)
      return part === undefined ? [first] : [first, part];
    return this.#readAll(accountId);
  }

  /** Undefined when the parts have moved meanwhile, or when those that were read do not suffice and are not all. */
  async #tryAcross(
    accountId: string,
    parts: readonly Part[],
    wanted: Hold,
    refused: Target,
  ): Promise<HoldResult | undefined> {
    const wallet = toWallet(accountId, parts);
    const isAll = parts.length === 0 || parts.length > 2 || (parts[0]?.parts ?? 1) <= parts.length;
    if (wallet.holds.some(({ id }) => id === wanted.id)) return { granted: true, wallet };
    const refuse = (): HoldResult | undefined =>
      isAll ? { granted: false, wallet: parts.length === 0 ? undefined : wallet } : undefined;
    if (wallet.balance < wanted.amount) return refuse();
    if (wallet.probation > 0n && wanted.exposure > 0n) return refuse();
    if (wanted.amount > 0n && parts.some(({ owed }) => owed !== undefined)) {
      await this.#postings.collect(accountId);
      return undefined;
    }
    const target = chooseTarget(parts, wanted, refused);
    if (target === undefined) return refuse();
    const hold = { ...wanted, attempt: newAttempt() };
    const transfers = chooseDonors(parts, hold, target);
    if (transfers === undefined) {
      if (isAll) await this.#gather(parts);
      return undefined;
    }
    this.#noteTry(hold.id, target.walletId);
    if (!(await this.#transfers.hold(target, hold, transfers))) return undefined;
    this.#placements.taken(this.#placements.of(accountId), indexOf(target.walletId));
    const holds = [...wallet.holds, { ...hold, walletId: target.walletId }];
    return { granted: true, wallet: { ...wallet, balance: wallet.balance - wanted.amount, holds } };
  }

  /** Moves what lies in more parts than one transaction may take from into the richest one. */
  async #gather(parts: readonly Part[]): Promise<void> {
    const [richest, ...others] = parts.toSorted((a, b) => (spareOf(a) < spareOf(b) ? 1 : -1));
    const transfers = collectAll(others);
    if (richest !== undefined && transfers.length > 0) await this.#transfers.move(transfers, richest);
  }

  async #readAll(accountId: string): Promise<readonly Part[]> {
    const parts = await this.#reads.readAll(accountId);
    if (parts[0] !== undefined) this.#placements.of(accountId).parts = parts[0].parts;
    return parts;
  }

  async #grow(accountId: string, placement: Placement): Promise<void> {
    const parts = await growParts(this.#client, this.#table, accountId, placement.parts);
    if (parts === undefined) throw overloaded('This account has too many calls in flight; retry.');
    placement.parts = parts;
  }

  #noteTry(id: string, walletId: string): void {
    this.#tried.set(id, [...(this.#tried.get(id) ?? []), walletId]);
  }
}

/** The part that lacked money if it can take the hold with what the others can give, else another that can. */
function chooseTarget(parts: readonly Part[], hold: Hold, refused: Target): Target | undefined {
  const all = parts.reduce((total, part) => total + spareOf(part), 0n);
  const canTake = (target: Target): boolean => {
    const { part } = target;
    if (part !== undefined && part.holds.length >= MAX_HOLDS && part.received !== undefined) return false;
    return missingOf(target, hold) <= all - (part === undefined ? 0n : spareOf(part));
  };
  const known = parts.find(({ walletId }) => walletId === refused.walletId);
  const wanted = { walletId: refused.walletId, part: known };
  if (canTake(wanted)) return wanted;
  const able = parts.find((part) => canTake({ walletId: part.walletId, part }));
  return able === undefined ? undefined : { walletId: able.walletId, part: able };
}

/** What a part lacks to take a hold, and to cover its exposure beside that of the part's own open holds. */
function missingOf({ walletId, part }: Target, hold: Hold): NanoUsd {
  const exposure = part?.exposure ?? 0n;
  return greatest(coverIn(walletId, hold, exposure) - (part?.balance ?? 0n), 0n);
}

/**
 * What the other parts are to give: what the target lacks and, so that it need not ask soon again, half of what the
 * richest has more, but of a wallet in many parts no more than a few parts' share.
 */
function chooseDonors(parts: readonly Part[], hold: Hold, target: Target): readonly Donor[] | undefined {
  const others = parts.filter(({ walletId }) => walletId !== target.walletId);
  const donors = others.map((part) => ({ part, amount: spareOf(part), covered: true }));
  const richest = donors.reduce((most, { amount }) => greatest(most, amount), 0n);
  const own = target.part === undefined ? 0n : spareOf(target.part);
  const shares = BigInt(Math.max(2, Math.floor((parts[0]?.parts ?? 1) / 4)));
  const missing = missingOf(target, hold);
  const more = greatest((richest - own) / shares, missing);
  return collect(donors, more) ?? collect(donors, missing);
}

const collectAll = (parts: readonly Part[]): readonly Donor[] =>
  parts
    .map((part) => ({ part, amount: spareOf(part), covered: true }))
    .filter(({ amount }) => amount > 0n)
    .toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
    .slice(0, 90);
