/** Taking holds on a wallet in parts: on one part, with money from others, or on a new one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { Hold, HoldResult } from '../../../core/ledger/ports.ts';
import { optimistically } from '../../../core/optimistic.ts';
import type { RandomSource } from '../../../core/ports.ts';
import { isRefusal } from '../../../core/transient.ts';
import type { DynamoClients } from '../../aws/clients.ts';
import { chooseDonors, chooseTarget, toDonor } from './choice.ts';
import { newAttempt, type Part, partId, toWallet } from './item.ts';
import type { Outcome } from './part.ts';
import type { PartGroups } from './part-groups.ts';
import type { Placement, Placements } from './placement.ts';
import { WalletPostings } from './posting.ts';
import { WalletReads } from './reads.ts';
import { growParts } from './size.ts';
import { collectMost, WalletTransfers } from './transfer.ts';
import { WalletTurns } from './turns.ts';

/** Each further try means that another call moved one of the parts within milliseconds, or that a part was full. */
const MAX_TRIES = 12;

/** Full parts that a hold meets before there are more of them. */
const MAX_FULL = 3;

/** Busy parts that a hold passes over before it waits for one. */
const MAX_BUSY = 3;

/** From this many parts on, processes find full ones at once: they look at different times, and one makes more. */
const MANY_PARTS = 16;
const GROWTH_SPREAD_MS = 60;

/** Bounds the memory of where the holds in flight were tried. */
const MAX_IN_FLIGHT = 10_000;

export interface WalletAccess {
  readonly clients: DynamoClients;
  readonly table: string;
  readonly parts: PartGroups;
}

export class WalletHolds {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #parts: PartGroups;
  readonly #reads: WalletReads;
  readonly #transfers: WalletTransfers;
  readonly #postings: WalletPostings;
  readonly #placements: Placements;
  readonly #random: RandomSource;
  readonly #turns = new WalletTurns();
  /** By call, the parts that its hold may be on as long as no answer has said which. */
  readonly #tried = new BoundedMap<string, readonly string[]>(MAX_IN_FLIGHT);

  constructor({ clients, table, parts }: WalletAccess, placements: Placements, random: RandomSource) {
    this.#client = clients.client;
    this.#table = table;
    this.#parts = parts;
    this.#reads = new WalletReads(clients.client, table);
    this.#transfers = new WalletTransfers(clients.client, table);
    this.#postings = new WalletPostings(clients.client, table);
    this.#placements = placements;
    this.#random = random;
  }

  /** The parts that a hold was tried on without an answer. */
  triedOn(id: string): readonly string[] {
    return this.#tried.get(id) ?? [];
  }

  /** As `WalletStore.hold`. */
  async take(accountId: string, wanted: Hold): Promise<HoldResult> {
    const placement = this.#placements.of(accountId);
    const index = this.#placements.pick(placement, wanted);
    const answer = index === undefined ? undefined : await this.#holdOn(accountId, index, wanted, false);
    const result = typeof answer === 'object' ? answer : await this.#holdInTurn(accountId, wanted, index);
    this.#tried.delete(wanted.id);
    return result;
  }

  /** What one call moves and makes serves those that wait; other processes are met in transactions. */
  async #holdInTurn(accountId: string, wanted: Hold, first: number | undefined): Promise<HoldResult> {
    const placement = this.#placements.of(accountId);
    const anywhere = () => this.#holdAnywhere(accountId, placement, wanted, first);
    const result = await this.#turns.take<number>(accountId, wanted, async (waited) => {
      // A place that a turn before has found is taken outside, together with others that waited for it.
      const found = waited ? this.#placements.pickKnown(placement, wanted) : undefined;
      return found ?? anywhere();
    });
    if (typeof result === 'object') return result;
    const answer = await this.#holdOn(accountId, result, wanted, false);
    return typeof answer === 'object' ? answer : this.#turns.take(accountId, wanted, anywhere);
  }

  /** Takes a hold on one part; says why another part, or money of others, is needed. */
  async #holdOn(
    accountId: string,
    index: number,
    wanted: Hold,
    patient: boolean,
  ): Promise<HoldResult | Outcome> {
    const placement = this.#placements.of(accountId);
    const walletId = partId(accountId, index);
    this.#noteTry(wanted.id, walletId);
    const { outcome, part } = await this.#parts.hold(walletId, wanted, patient);
    this.#placements.learn(placement, index, part, outcome === 'granted');
    if (outcome === 'absent' && index === 0) return { granted: false, wallet: undefined };
    if (part === undefined) return outcome;
    const wallet = toWallet(accountId, [part]);
    if (outcome === 'granted') return { granted: true, wallet };
    const isWhole = index === 0 && placement.parts === 1;
    return isWhole && outcome !== 'full' && outcome !== 'owing' ? { granted: false, wallet } : outcome;
  }

  /** On a part that may do, else with what it lacks from the others; there are more parts when several were full. */
  async #holdAnywhere(
    accountId: string,
    placement: Placement,
    wanted: Hold,
    first?: number,
  ): Promise<HoldResult> {
    let [full, busy] = [0, 0];
    const tried = new Set(first === undefined ? [] : [first]);
    return optimistically<HoldResult>(MAX_TRIES, 'the wallet', async () => {
      const { index, lacks } = this.#placements.pickAny(placement, wanted, tried);
      tried.add(index);
      const answer = lacks ? 'lacking' : await this.#holdOn(accountId, index, wanted, busy >= MAX_BUSY);
      if (typeof answer === 'object') return answer;
      if (answer === 'busy') {
        busy += placement.parts === 1 ? MAX_BUSY : 1;
        // Every process that does not know better begins with the first part: a reading of it is cheaper.
        if (placement.parts === 1) await this.#learnParts(accountId, placement);
        return undefined;
      }
      if (answer !== 'full') return this.#holdAcross(accountId, index, answer, wanted);
      full += 1;
      if (full === MAX_FULL || placement.parts === 1) await this.#grow(accountId, placement);
      full %= MAX_FULL;
      if (full === 0) tried.clear();
      return undefined;
    });
  }

  async #learnParts(accountId: string, placement: Placement): Promise<void> {
    const [first] = await this.#reads.readRoughly(accountId, 1);
    if (first !== undefined) placement.parts = first.parts;
  }

  /** With money from the first part if that has enough, else from all. */
  async #holdAcross(
    accountId: string,
    index: number,
    answer: Outcome,
    wanted: Hold,
  ): Promise<HoldResult | undefined> {
    const target = partId(accountId, index);
    if (index > 0 && answer !== 'owing') {
      const [first, own] = await Promise.all([
        this.#reads.read(accountId),
        answer === 'absent' ? undefined : this.#reads.read(target),
      ]);
      const some = [first, own].filter((part) => part !== undefined);
      const result =
        first?.owed === undefined
          ? await this.#tryAcross(accountId, some, wanted, { target, isAll: false })
          : undefined;
      if (result !== undefined) return result;
    }
    return this.#tryAcross(accountId, await this.#readAll(accountId), wanted, { target, isAll: true });
  }

  /**
   * Takes the hold on a part together with what it lacks from the others. Undefined when the parts have moved meanwhile,
   * or when those that were read are not all and do not suffice.
   */
  async #tryAcross(
    accountId: string,
    parts: readonly Part[],
    wanted: Hold,
    { target: preferred, isAll }: { readonly target: string; readonly isAll: boolean },
  ): Promise<HoldResult | undefined> {
    const wallet = toWallet(accountId, parts);
    if (wallet.holds.some(({ id }) => id === wanted.id)) return { granted: true, wallet };
    const refused = { granted: false, wallet: parts.length === 0 ? undefined : wallet } as const;
    if (wallet.balance < wanted.amount) return isAll ? refused : undefined;
    if (wanted.amount > 0n && parts.some(({ owed }) => owed !== undefined)) {
      await this.#postings.collect(accountId);
      return undefined;
    }
    const start = Math.floor(this.#random() * (parts[0]?.parts ?? 1));
    const target = chooseTarget(parts, wanted, preferred, start);
    if (typeof target === 'string' && !isAll) return undefined;
    if (target === 'no money') return refused;
    if (target === 'no place') {
      await this.#grow(accountId, this.#placements.of(accountId));
      return undefined;
    }
    const hold = { ...wanted, attempt: newAttempt() };
    const transfers = chooseDonors(parts, hold, target);
    if (transfers === undefined) {
      if (isAll) await this.#gather(parts);
      return undefined;
    }
    this.#noteTry(hold.id, target.walletId);
    if (!(await this.#transfers.hold(target, hold, transfers).catch(unlessRefused))) return undefined;
    const given = transfers.reduce((total, { amount }) => total + amount, 0n);
    this.#placements.taken(this.#placements.of(accountId), target, given - hold.amount);
    const holds = [...wallet.holds, { ...hold, walletId: target.walletId }];
    return { granted: true, wallet: { ...wallet, balance: wallet.balance - wanted.amount, holds } };
  }

  /** Moves what lies in more parts than one transaction may take from into the richest one. */
  async #gather(parts: readonly Part[]): Promise<void> {
    const [richest, ...others] = parts.toSorted((a, b) => (a.balance < b.balance ? 1 : -1));
    const transfers = collectMost(others.map(toDonor));
    if (richest !== undefined && transfers.length > 0) await this.#transfers.move(transfers, richest);
  }

  async #readAll(accountId: string): Promise<readonly Part[]> {
    const parts = await this.#reads.readAll(accountId);
    if (parts[0] !== undefined) this.#placements.of(accountId).parts = parts[0].parts;
    return parts;
  }

  async #grow(accountId: string, placement: Placement): Promise<void> {
    if (placement.parts >= MANY_PARTS) {
      const { parts } = placement;
      await sleep(this.#random() * GROWTH_SPREAD_MS);
      await this.#learnParts(accountId, placement);
      if (placement.parts !== parts) return;
    }
    // Where there are as many parts as there may be, a place is found in one of them or not at all.
    const more = await growParts(this.#client, this.#table, accountId, placement.parts).catch(unlessRefused);
    placement.parts = more ?? placement.parts;
  }

  #noteTry(id: string, walletId: string): void {
    this.#tried.set(id, [...(this.#tried.get(id) ?? []), walletId]);
  }
}

/** What the database has refused for now is tried another way. */
function unlessRefused(failure: unknown): undefined {
  if (!isRefusal(failure)) throw failure;
}
