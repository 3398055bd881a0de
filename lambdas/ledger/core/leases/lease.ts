/**
 * A lease: credit and limits of one key that one process takes in advance, for calls that it admits in one UTC minute.
 * Calls are admitted and settled in memory. A tick is one write of the wallet and one of the key, side by side: it charges
 * what was recorded, takes what comes next and returns what is unused.
 */
import { invalidKey } from '../../../access/core/api-key.ts';
import { rateLimitHeaders } from '../../../access/core/key-state.ts';
import { type Windows, windowsAt } from '../../../access/core/windows.ts';
import { overloaded } from '../../../platform/core/errors.ts';
import { least, type NanoUsd } from '../../../platform/core/money.ts';
import type { After, Clock, Log } from '../../../platform/core/ports.ts';
import type { Call } from '../call.ts';
import { type AccountSnapshot, largestOutput, preflight } from '../preflight.ts';
import {
  type LeasedKey,
  type LeasedWallet,
  type LeaseEntry,
  type LeaseResult,
  type LeaseStore,
  type LeaseWrite,
  totalOf,
} from './ports.ts';
import { LeaseSide, type SideOutcome, type SideState } from './side.ts';
import { NOTHING, type Quantity, RecentDraws } from './slack.ts';
import { FRESH_MS, IDLE_MS, type LeaseTimes, MINUTE_MS, RECHECK_MS, requestRange, TICK_MS } from './times.ts';

export interface LeaseDependencies {
  readonly store: LeaseStore;
  /** The time of day. */
  readonly clock: Clock;
  /** Milliseconds of the process, which no correction of its clock changes. */
  readonly uptime: Clock;
  readonly after: After;
  readonly times: LeaseTimes;
  readonly log: Log;
}

/** What an open call has taken from its lease. */
export interface Draw {
  readonly lease: Lease;
  /** Tokens of each choice. */
  readonly output: number;
  readonly amount: NanoUsd;
  readonly tokens: number;
  /** The minimum spend of the account. */
  readonly spentAmount: NanoUsd;
  /** Rate-limit headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `again`: the lease admits no more calls; another one does. */
export type Admittance = Draw | 'again';

/** A call that was recorded. */
export interface RecordedCall {
  /** Seconds since the epoch. */
  readonly created: number;
  readonly cost: NanoUsd;
  /** Tokens that count against the key's tokens a minute. */
  readonly tokens: number;
}

interface WaitingCall {
  readonly call: Call;
  /** The output that it is to be admitted with. */
  output: number;
  /** The number of ticks that asked for it. */
  tries: number;
  /** It is not asked for until then (uptime): other leases return their slack first. */
  parkedUntilMs: number;
  hasRechecked: boolean;
  readonly resolve: (result: Admittance) => void;
  readonly reject: (failure: unknown) => void;
}

/** What a tick is to bring about, on both sides. */
interface Target extends Quantity {
  readonly entry: LeaseEntry | undefined;
  readonly asks: boolean;
}

interface Response<T> {
  readonly outcome: SideOutcome | 'unopened' | 'unknown' | 'skipped';
  readonly item?: T | undefined;
  readonly failure?: unknown;
}

/** A call that so many ticks did not serve meets other processes that take what is left before it. */
const MAX_TICKS = 12;

/** The clock may be set back by as much without the end of its lease. */
const BACKWARD_MS = 50;

const BUSY_MS = 20;

export class Lease {
  readonly id: string;
  readonly windows: Windows;
  readonly expires: number;
  readonly fenceMs: number;
  readonly keyId: string;
  readonly #accountId: string;
  readonly #walletId: string;
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #range: { readonly from: string; readonly to: string };
  readonly #dependencies: LeaseDependencies;
  readonly #onEnd: (lease: Lease) => void;

  readonly #wallet = new LeaseSide();
  readonly #key = new LeaseSide();
  #walletItem: LeasedWallet | undefined;
  #keyItem: LeasedKey | undefined;
  /** When the request was sent that returned the key's item, uptime. */
  #keyReadMs = Number.NEGATIVE_INFINITY;

  /** Open calls, and the sum of their bounds. */
  #open = 0;
  #drawn: NanoUsd = 0n;
  /** The cost of all durable records, by their day. */
  #cost: [NanoUsd, NanoUsd] = [0n, 0n];
  /** What calls have taken of the minute; settled calls with what they used. */
  readonly #used = { requests: 0, tokens: 0 };
  readonly #recent = new RecentDraws();

  #waiting: WaitingCall[] = [];
  #sequence = 0;
  #isTicking = false;
  #hasTimer = false;
  #hasEnded = false;
  #isStopping = false;
  #lastTickMs = Number.NEGATIVE_INFINITY;
  #lastDrawMs = Number.NEGATIVE_INFINITY;
  /** A call was admitted from slack since the last tick. */
  #hasUsedSlack = false;
  /** The last tick asked for something that a side did not have. */
  #wasRefused = false;
  /** The next tick moves credit from other shards; the last one did. */
  #isAcross = false;
  #wasAcross = false;

  constructor(
    dependencies: LeaseDependencies,
    lease: {
      readonly id: string;
      readonly accountId: string;
      readonly keyId: string;
      readonly startMs: number;
      readonly onEnd: (lease: Lease) => void;
    },
  ) {
    const { times, store } = dependencies;
    this.#dependencies = dependencies;
    this.#onEnd = lease.onEnd;
    this.id = lease.id;
    this.keyId = lease.keyId;
    this.#accountId = lease.accountId;
    this.#walletId = store.drawShard(lease.accountId);
    this.#startMs = lease.startMs;
    this.#endMs = lease.startMs + MINUTE_MS;
    this.#range = requestRange(lease.startMs);
    this.windows = windowsAt(lease.startMs);
    this.fenceMs = this.#endMs + times.recordMs;
    this.expires = Math.ceil((this.fenceMs + times.marginMs) / 1000);
  }

  /** Whether the lease admits calls now: its minute lasts, and the clock of the process has not been set back. */
  get isCurrent(): boolean {
    const nowMs = this.#dependencies.clock();
    return !this.#hasEnded && nowMs < this.#endMs && nowMs >= this.#startMs - BACKWARD_MS;
  }

  /** False once the lease is forgotten: it has closed, or another process may have recovered it. */
  get isAlive(): boolean {
    return !this.#hasEnded;
  }

  /** Whether recovery would find the call's record among those of the lease. */
  covers(requestId: string): boolean {
    return requestId >= this.#range.from && requestId < this.#range.to;
  }

  /** The balance that a tick would leave now; undefined before the first response of the wallet. */
  get balance(): NanoUsd | undefined {
    const item = this.#walletItem;
    return item === undefined ? undefined : item.balance - item.debt + this.#freeOf(this.#wallet);
  }

  /** Admits the call from memory, or with the next tick. Throws 401, 403, 429, 402 or 503 with nothing drawn. */
  admit(call: Call): Promise<Admittance> | Draw {
    const output = call.output.max;
    if (this.isCurrent && this.#canDraw(call, output)) return this.#draw(call, output, true);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, output, tries: 0, parkedUntilMs: 0, hasRechecked: false, resolve, reject });
      this.#tick();
    });
  }

  /** Ends a call whose record is durable. Its bound is free and its cost counts; the next tick charges it. */
  settle(draw: Draw, record: RecordedCall): void {
    const isNextDay = Math.floor(record.created / SECONDS_A_DAY) > this.windows.day;
    this.#cost[isNextDay ? 1 : 0] += record.cost;
    this.#used.tokens += record.tokens - draw.tokens;
    this.#open -= 1;
    this.#drawn -= draw.amount;
    this.#arm();
  }

  /** Admits no more calls from slack, and closes with the last open call. */
  stop(): void {
    this.#isStopping = true;
    this.#maintain();
  }

  // What is there

  #freeOf(side: LeaseSide): NanoUsd {
    return side.free(this.#drawn, totalOf(this.#cost));
  }

  #remaining(what: 'requests' | 'tokens'): number {
    return this.#key.taken(what) - this.#used[what];
  }

  /** What was recorded and a side has not charged yet. */
  get #uncharged(): NanoUsd {
    return totalOf(this.#cost) - least(totalOf(this.#wallet.settled), totalOf(this.#key.settled));
  }

  /** What the lease itself has for further calls: the key and wallet as a call must find them to be admitted from memory. */
  #inHand(key: LeasedKey): AccountSnapshot {
    const capLeft = this.#freeOf(this.#key);
    return {
      state: {
        ...key.state,
        requestsLeft: this.#remaining('requests'),
        tokensLeft: BigInt(this.#remaining('tokens')),
        dayLeft: capLeft,
        monthLeft: capLeft,
      },
      wallet: { balance: this.#freeOf(this.#wallet) },
    };
  }

  /** What the lease has, and what the items have left. */
  #inReach(key: LeasedKey, wallet: LeasedWallet): AccountSnapshot {
    const { state } = key;
    const free = this.#freeOf(this.#key);
    return {
      state: {
        ...state,
        requestsLeft: state.requestsLeft + this.#remaining('requests'),
        tokensLeft: state.tokensLeft + BigInt(this.#remaining('tokens')),
        dayLeft: state.dayLeft + free,
        monthLeft: state.monthLeft + free,
      },
      wallet: { balance: (wallet.debt > 0n ? 0n : wallet.balance) + this.#freeOf(this.#wallet) },
    };
  }

  #at({ key, scope }: Call) {
    return {
      charge: { key, windows: this.windows, tokens: 0, amount: 0n, scope },
      nowMs: this.#dependencies.clock(),
    };
  }

  #canDraw(call: Call, output: number): boolean {
    const key = this.#keyItem;
    const isFresh = this.#dependencies.uptime() - this.#keyReadMs <= FRESH_MS;
    if (key === undefined || !isFresh || !this.#wallet.isOpen || !this.#key.isOpen) return false;
    return largestOutput(call, { min: output, max: output }, this.#inHand(key), this.#at(call)) !== undefined;
  }

  #draw(call: Call, output: number, isFromSlack: boolean): Draw {
    const { uptime, clock } = this.#dependencies;
    const [amount, tokens] = [call.cost(output), call.tokens(output)];
    this.#open += 1;
    this.#drawn += amount;
    this.#used.requests += 1;
    this.#used.tokens += tokens;
    this.#lastDrawMs = uptime();
    this.#recent.add({ amount, tokens }, this.#lastDrawMs);
    this.#hasUsedSlack ||= isFromSlack;
    this.#arm();
    const [key, wallet] = [this.#keyItem, this.#walletItem];
    const state = key === undefined || wallet === undefined ? undefined : this.#inReach(key, wallet).state;
    return {
      lease: this,
      output,
      amount,
      tokens,
      spentAmount: wallet?.spentAmount ?? 0n,
      headers: state === undefined ? {} : rateLimitHeaders(state, clock()),
    };
  }

  // When to tick

  /** Plans the next tick a tick's interval after the last one. */
  #arm(delayMs = Math.max(this.#lastTickMs + TICK_MS - this.#dependencies.uptime(), 1)): void {
    if (this.#hasTimer || this.#hasEnded) return;
    this.#hasTimer = true;
    this.#dependencies.after(delayMs, () => {
      this.#hasTimer = false;
      this.#maintain();
    });
  }

  #maintain(): void {
    if (this.#hasEnded) return;
    if (this.#isTicking) return this.#arm(BUSY_MS);
    if (this.#dependencies.clock() > this.fenceMs) return this.#end();
    if (this.#hasReady() || this.#uncharged > 0n || this.#hasUsedSlack || this.#hasReturns()) this.#tick();
    else this.#rearm();
  }

  /** An idle lease has unused credit, or nothing open. */
  #hasReturns(): boolean {
    const isIdle =
      this.#isStopping || !this.isCurrent || this.#dependencies.uptime() - this.#lastDrawMs >= IDLE_MS;
    return isIdle && (this.#open === 0 || this.#freeOf(this.#wallet) > 0n);
  }

  #rearm(): void {
    const isOpen = this.#wallet.isOpen || this.#key.isOpen || this.#waiting.length > 0;
    const hasWork =
      this.#open === 0 || this.#waiting.length > 0 || this.#uncharged > 0n || this.#freeOf(this.#wallet) > 0n;
    if (isOpen && hasWork) this.#arm();
  }

  #isReady({ parkedUntilMs }: WaitingCall): boolean {
    return parkedUntilMs <= this.#dependencies.uptime();
  }

  #hasReady(): boolean {
    return this.#waiting.some((each) => this.#isReady(each));
  }

  /** Ticks until no call waits that could be asked for. One tick is in flight at a time. */
  #tick(): void {
    if (this.#isTicking || this.#hasEnded) return;
    this.#isTicking = true;
    this.#tickWhileNeeded()
      .catch((failure) => this.#rejectAll(failure))
      .finally(() => {
        this.#isTicking = false;
        if (!this.#hasEnded) this.#rearm();
      });
  }

  async #tickWhileNeeded(): Promise<void> {
    do await this.#tickOnce();
    while (!this.#hasEnded && this.#hasReady());
    // What one side granted and the other refused returns at once.
    const isHalf = this.#wasRefused && this.#freeOf(this.#wallet) + this.#freeOf(this.#key) > 0n;
    if (!this.#hasEnded && isHalf) await this.#tickOnce();
  }

  // One tick

  async #tickOnce(): Promise<void> {
    if (!this.isCurrent) this.#sendAway();
    const calls = this.#fitting();
    const slack = this.#slack();
    const asks = calls.length > 0 || slack.requests > 0;
    const closes = !asks && this.#open === 0 && this.#waiting.length === 0;
    if (!asks && !this.#wallet.isOpen && !this.#key.isOpen) {
      if (closes) this.#end();
      return;
    }
    const target = this.#target(calls, slack, { asks, closes });
    const sentMs = this.#dependencies.uptime();
    this.#hasUsedSlack = false;
    this.#lastTickMs = sentMs;
    this.#wasAcross = this.#isAcross;
    const [wallet, key] = await Promise.all([this.#writeWallet(target), this.#writeKey(target)]);
    const outcomes = [wallet.outcome, key.outcome];
    if (outcomes.includes('gone') || outcomes.includes('unopened'))
      return this.#abandon(outcomes.includes('gone'));
    if (closes && !this.#wallet.isOpen && !this.#key.isOpen) return this.#end();
    if (key.item !== undefined) [this.#keyItem, this.#keyReadMs] = [key.item, sentMs];
    if (wallet.item !== undefined) this.#walletItem = wallet.item;
    if (wallet.outcome === 'applied' && asks) this.#isAcross = false;
    const isRefused = [wallet, key].some(({ outcome }) => outcome !== 'applied' && outcome !== 'skipped');
    this.#wasRefused = asks && isRefused;
    for (const unanswered of [wallet, key]) {
      if (unanswered.outcome !== 'unknown') continue;
      for (const each of calls) this.#reject(each, unanswered.failure);
    }
    this.#serve(calls);
  }

  #target(
    calls: readonly WaitingCall[],
    slack: Quantity,
    { asks, closes }: { readonly asks: boolean; readonly closes: boolean },
  ): Target {
    this.#sequence += 1;
    const bounds = calls.map(({ call, output }) => ({
      amount: call.cost(output),
      tokens: call.tokens(output),
    }));
    const amount = bounds.reduce((sum, each) => sum + each.amount, this.#drawn) + slack.amount;
    const settled = [...this.#cost] as const;
    const entry = { keyId: this.keyId, amount, expires: this.expires, sequence: this.#sequence, settled };
    return {
      entry: closes ? undefined : entry,
      asks,
      amount: closes ? 0n : amount,
      requests: this.#used.requests + calls.length + slack.requests,
      tokens: this.#used.tokens + bounds.reduce((sum, each) => sum + each.tokens, 0) + slack.tokens,
    };
  }

  #writeWallet(target: Target): Promise<Response<LeasedWallet>> {
    const { store } = this.#dependencies;
    const settled = this.#wallet.settled;
    const costs = [this.#cost[0] - settled[0], this.#cost[1] - settled[1]] as const;
    const shard = {
      walletId: this.#walletId,
      day: this.windows.day,
      costs,
      across: this.#isAcross && target.asks,
    };
    return this.#write(this.#wallet, target, {
      send: (write) => store.writeWallet({ ...write, ...shard }),
      read: () => store.readWallet(this.#walletId),
    });
  }

  #writeKey(target: Target): Promise<Response<LeasedKey>> {
    const { store } = this.#dependencies;
    const { keyId, windows } = this;
    const { confirmed } = this.#key;
    // A minute that is over takes and returns nothing.
    const minute = this.isCurrent
      ? { requests: target.requests - confirmed.requests, tokens: target.tokens - confirmed.tokens }
      : { requests: 0, tokens: 0 };
    return this.#write(this.#key, target, {
      send: (write) => store.writeKey({ ...write, ...minute, keyId, windows }),
      read: () => store.readKey(keyId, windows),
    });
  }

  /** Writes one side. A request without a response is never taken as failed: the entry tells what became of it. */
  async #write<T extends LeasedWallet | LeasedKey>(
    side: LeaseSide,
    { entry, asks, amount, requests, tokens }: Target,
    item: {
      readonly send: (write: LeaseWrite) => Promise<LeaseResult<T>>;
      readonly read: () => Promise<T | undefined>;
    },
  ): Promise<Response<T>> {
    const from = side.confirmed.entry;
    if (from === undefined && entry === undefined) return { outcome: 'skipped' };
    const next: SideState = { entry, requests, tokens };
    const charged = totalOf(this.#cost) - totalOf(side.settled);
    const change = amount - (from?.amount ?? 0n) + charged;
    side.expect(next);
    let result: LeaseResult<T>;
    try {
      result = await item.send({ leaseId: this.id, from, to: entry, change, asks });
    } catch (failure) {
      if (from === undefined) return { outcome: 'unopened', failure };
      try {
        result = { applied: false, item: await item.read(), copies: Number.POSITIVE_INFINITY };
      } catch {
        return { outcome: 'unknown', failure };
      }
    }
    const found = result.item?.leases.get(this.id);
    return { outcome: side.resolve(next, found, result), item: result.item };
  }

  // The calls that wait

  /** The waiting calls to ask for. After a refusal only those that fit what was left, in their order. */
  #fitting(): readonly WaitingCall[] {
    const ready = this.#waiting.filter((each) => this.#isReady(each));
    const [key, wallet] = [this.#keyItem, this.#walletItem];
    const isInformed = this.#wasRefused && !(this.#isAcross && !this.#wasAcross);
    if (!isInformed || key === undefined || wallet === undefined) return ready;
    const { state, wallet: left } = this.#inReach(key, wallet);
    if (state === undefined || left === undefined) return ready;
    let [amount, cap, requests, tokens] = [
      left.balance,
      least(state.dayLeft, state.monthLeft),
      state.requestsLeft,
      state.tokensLeft,
    ];
    return ready.filter(({ call, output }, at) => {
      const [bound, counted] = [call.cost(output), BigInt(call.tokens(output))];
      const fits = at === 0 || (bound <= least(amount, cap) && requests >= 1 && counted <= tokens);
      if (!fits) return false;
      [amount, cap, requests, tokens] = [amount - bound, cap - bound, requests - 1, tokens - counted];
      return true;
    });
  }

  #slack(): Quantity {
    const [key, wallet] = [this.#keyItem, this.#walletItem];
    if (this.#wasRefused || this.#isStopping || !this.isCurrent) return NOTHING;
    if (key === undefined || wallet === undefined || wallet.debt > 0n) return NOTHING;
    const { dayLeft, monthLeft, requestsLeft, tokensLeft } = key.state;
    const left = {
      balance: wallet.balance,
      cap: least(dayLeft, monthLeft),
      requests: requestsLeft,
      tokens: Number(tokensLeft),
    };
    return this.#recent.slack(left, this.#dependencies.uptime());
  }

  /** Admits the waiting calls that fit now, in their order, and judges those that the tick asked for in vain. */
  #serve(asked: readonly WaitingCall[]): void {
    for (const each of [...this.#waiting]) {
      if (this.isCurrent && this.#canDraw(each.call, each.output)) {
        this.#remove(each);
        each.resolve(this.#draw(each.call, each.output, false));
      } else if (asked.includes(each) || this.#wasRefused) {
        if (asked.includes(each)) each.tries += 1;
        this.#judge(each);
      }
    }
  }

  /** Decides about a call that does not fit: a smaller output, credit of other shards, the slack of others, or a rejection. */
  #judge(each: WaitingCall): void {
    const { store, uptime, after, log } = this.#dependencies;
    const { call } = each;
    const [key, wallet] = [this.#keyItem, this.#walletItem];
    if (key === undefined) return this.#reject(each, invalidKey());
    if (each.tries > MAX_TICKS) return this.#reject(each, overloaded());
    const room = this.#inReach(key, wallet ?? NO_WALLET);
    const at = this.#at(call);
    const fitting = largestOutput(call, { min: call.output.min, max: each.output }, room, at);
    if (fitting !== undefined) {
      each.output = fitting;
      return;
    }
    if (wallet !== undefined && wallet.debt > 0n)
      store.collect(this.#accountId).catch((failure: unknown) => {
        log.warn('debt not collected', { accountId: this.#accountId, failure: String(failure) });
      });
    const rejection = preflight(call, room, at) ?? overloaded();
    if (rejection.status === 402 && !this.#wasAcross && store.hasShards(this.#accountId)) {
      this.#isAcross = true;
      return;
    }
    if (each.hasRechecked || !this.#othersHaveSlack()) return this.#reject(each, rejection);
    each.hasRechecked = true;
    each.parkedUntilMs = uptime() + RECHECK_MS;
    [this.#isAcross, this.#wasRefused] = [false, false];
    after(RECHECK_MS + 1, () => {
      this.#wasRefused = false;
      this.#tick();
    });
  }

  /** Whether another lease holds credit or limits that it may return within two ticks. */
  #othersHaveSlack(): boolean {
    const nowSeconds = this.#dependencies.clock() / 1000;
    return [this.#walletItem, this.#keyItem].some((item) =>
      [...(item?.leases ?? [])].some(
        ([id, { amount, expires }]) => id !== this.id && amount > 0n && expires > nowSeconds,
      ),
    );
  }

  #remove(each: WaitingCall): void {
    this.#waiting = this.#waiting.filter((other) => other !== each);
  }

  #reject(each: WaitingCall, failure: unknown): void {
    this.#remove(each);
    each.reject(failure);
  }

  #rejectAll(failure: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(failure);
  }

  #sendAway(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve('again');
  }

  // The end

  #end(): void {
    this.#hasEnded = true;
    this.#sendAway();
    this.#onEnd(this);
  }

  /**
   * Gives the lease up: another process has recovered it, or its opening has no response. An opening is never repeated: a
   * copy that arrives after the close would revive the entry. What was opened is closed here if it is there, else it expires.
   */
  async #abandon(isGone: boolean): Promise<void> {
    const mustWait = isGone || this.#open > 0;
    this.#end();
    if (mustWait) return;
    const { store } = this.#dependencies;
    const { id: leaseId, keyId, windows } = this;
    const close = { leaseId, to: undefined, asks: false };
    const closeWallet = async (entry: LeaseEntry): Promise<void> => {
      const found = (await store.readWallet(this.#walletId))?.leases.get(leaseId);
      if (found?.sequence !== entry.sequence) return;
      const shard = { walletId: this.#walletId, day: windows.day, costs: NO_COSTS, across: false };
      await store.writeWallet({ ...close, ...shard, from: entry, change: -entry.amount });
    };
    const closeKey = async (entry: LeaseEntry): Promise<void> => {
      const found = (await store.readKey(keyId, windows))?.leases.get(leaseId);
      if (found?.sequence !== entry.sequence) return;
      await store.writeKey({
        ...close,
        keyId,
        windows,
        requests: 0,
        tokens: 0,
        from: entry,
        change: -entry.amount,
      });
    };
    const [wallet, key] = [this.#wallet.lastEntry, this.#key.lastEntry];
    await Promise.allSettled([wallet && closeWallet(wallet), key && closeKey(key)]);
  }
}

const SECONDS_A_DAY = 86_400;
const NO_COSTS = [0n, 0n] as const;

/** An account without a wallet. It covers no call. */
const NO_WALLET: LeasedWallet = { balance: -1n, debt: 0n, spentAmount: 0n, leases: new Map() };
