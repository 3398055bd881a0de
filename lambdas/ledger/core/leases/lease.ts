/**
 * A lease: credit and limits of one key that one process takes in advance, for calls that it admits in one UTC minute. Calls
 * are admitted and settled in memory. A tick is one write of the wallet and one of the key, side by side: it charges what
 * was recorded, takes what comes next and returns what is unused.
 *
 * A lease rejects no call. A call that does not fit waits for one tick, which asks for it; if it does not fit then either,
 * its ledger takes a hold.
 */
import { rateLimitHeaders } from '../../../access/core/keys/key-state.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Call } from '../call.ts';
import { FRESH_MS, IDLE_MS, LeaseSpan, TICK_MS } from '../lease-times.ts';
import { type Bound, boundOf, LeaseState, type RecordedCost } from './lease-state.ts';
import type { LeaseDependencies } from './ports.ts';
import { keySide, walletSide } from './sides.ts';
import { NOTHING, plus, type Quantity, RecentDraws } from './slack.ts';

export interface LeaseStart {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The start of its minute. */
  readonly startMs: number;
  /** Called once, when the lease has closed or is given up. */
  readonly onEnd: (lease: Lease) => void;
}

/** The part of a lease that an open call has drawn. */
export interface Draw extends Bound {
  readonly lease: Lease;
  /** The minimum spend of the account. */
  readonly spentAmount: NanoUsd;
  /** The time of the request that returned the state of the key, ms of the process. */
  readonly keyReadMs: number;
  /** Rate-limit headers. */
  readonly headers: Readonly<Record<string, string>>;
}

interface WaitingCall {
  readonly call: Call;
  /** Without a draw if the call does not fit. */
  readonly resolve: (draw: Draw | undefined) => void;
}

export class Lease {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly span: LeaseSpan;
  readonly #dependencies: LeaseDependencies;
  readonly #onEnd: (lease: Lease) => void;
  readonly #state: LeaseState;
  readonly #recent = new RecentDraws();

  #waiting: readonly WaitingCall[] = [];
  #tickInFlight: Promise<void> | undefined;
  #lastTickMs = Number.NEGATIVE_INFINITY;
  #lastDrawMs = Number.NEGATIVE_INFINITY;
  #sequence = 0;
  #hasTimer = false;
  #hasEnded = false;
  #isStopping = false;
  /** A call was admitted from slack since the last tick. */
  #hasUsedSlack = false;
  /** No slack is taken until then, uptime, because a call of the account lacks it. */
  #slackFromMs = Number.NEGATIVE_INFINITY;

  constructor(dependencies: LeaseDependencies, { id, accountId, keyId, startMs, onEnd }: LeaseStart) {
    this.#dependencies = dependencies;
    this.#onEnd = onEnd;
    this.id = id;
    this.accountId = accountId;
    this.keyId = keyId;
    this.span = new LeaseSpan(startMs, dependencies.clock(), dependencies.times);
    const identity = { id, accountId, keyId, windows: this.span.windows };
    this.#state = new LeaseState(
      identity.windows,
      walletSide(dependencies, identity),
      keySide(dependencies, identity, () => this.isCurrent),
    );
    this.#arm(TICK_MS);
  }

  /** True if the lease admits calls now. */
  get isCurrent(): boolean {
    return !this.#hasEnded && this.span.includes(this.#dependencies.clock());
  }

  /** False once the lease has closed or is given up. */
  get isAlive(): boolean {
    return !this.#hasEnded;
  }

  /** True if the lease has taken more than its calls need, or a tick in flight may take it. */
  get mayHaveSlack(): boolean {
    return this.#tickInFlight !== undefined || this.#hasSlack;
  }

  get #hasSlack(): boolean {
    if (this.#hasEnded) return false;
    const hasLimits = this.#state.remaining('requests') > 0 || this.#state.remaining('tokens') > 0;
    return this.#state.hasFreeCredit || (this.isCurrent && hasLimits);
  }

  /** The balance that a tick would leave now. `readTotal` reads that of a wallet with several shards, at most 2 s old. */
  async readBalance(readTotal: () => Promise<NanoUsd>): Promise<NanoUsd | undefined> {
    const { wallet } = this.#state;
    if (this.#hasEnded || wallet.item === undefined) return undefined;
    const isSharded = this.#dependencies.wallets.hasShards(this.accountId);
    const total = isSharded ? await readTotal() : wallet.item.balance - wallet.item.debt;
    return total + this.#state.free(wallet);
  }

  /** Admits the call from what the lease has; undefined if that does not cover its largest output, or is too old. */
  draw(call: Call): Draw | undefined {
    const draw = this.#drawIfCovered(call);
    if (draw !== undefined) this.#hasUsedSlack = true;
    return draw;
  }

  /** Admits the call with the next tick, which asks for it; undefined if it does not fit then. Does not throw. */
  drawNext(call: Call): Promise<Draw | undefined> {
    return new Promise((resolve) => {
      this.#waiting = [...this.#waiting, { call, resolve }];
      this.#tick();
    });
  }

  /** Ends a call whose record is durable. The next tick charges it. */
  settle(draw: Draw, record: RecordedCost): void {
    this.#state.settle(draw, record);
    this.#arm();
  }

  /** Returns what the lease does not need for its calls, and takes no more for a moment. Does not throw. */
  async returnSlack(): Promise<void> {
    this.#slackFromMs = this.#dependencies.uptime() + TICK_MS;
    for (let ticks = 0; ticks < 2 && this.mayHaveSlack; ticks += 1) await this.#tick();
  }

  /** Takes no more slack, and closes with the last open call. */
  stop(): void {
    this.#isStopping = true;
    this.#maintain();
  }

  #drawIfCovered(call: Call): Draw | undefined {
    const { uptime, clock } = this.#dependencies;
    const isFresh = uptime() - this.#state.key.readMs <= FRESH_MS;
    if (!isFresh || !this.isCurrent || !this.#state.covers(call, clock())) return undefined;
    const bound = boundOf(call);
    this.#state.draw(bound);
    this.#lastDrawMs = uptime();
    this.#recent.add(bound, this.#lastDrawMs);
    this.#arm();
    const { keyState, key, wallet } = this.#state;
    return {
      ...bound,
      lease: this,
      spentAmount: wallet.item?.spentAmount ?? 0n,
      keyReadMs: key.readMs,
      headers: keyState === undefined ? {} : rateLimitHeaders(keyState, clock()),
    };
  }

  // When to tick

  /** Plans the next tick an interval after the last one. */
  #arm(delayMs = Math.max(this.#lastTickMs + TICK_MS - this.#dependencies.uptime(), 1)): void {
    if (this.#hasTimer || this.#hasEnded) return;
    this.#hasTimer = true;
    this.#dependencies.after(delayMs, () => {
      this.#hasTimer = false;
      this.#maintain();
    });
  }

  #maintain(): void {
    if (this.#hasEnded || this.#tickInFlight !== undefined) return;
    if (this.#dependencies.clock() > this.span.fenceMs) this.#end();
    else if (this.#state.uncharged > 0n || this.#hasUsedSlack || this.#hasReturns()) this.#tick();
    else this.#rearm();
  }

  /** Returns whether an idle lease has unused credit, or nothing open. */
  #hasReturns(): boolean {
    const isIdle =
      this.#isStopping || !this.isCurrent || this.#dependencies.uptime() - this.#lastDrawMs >= IDLE_MS;
    return isIdle && (this.#state.openCalls === 0 || this.#state.free(this.#state.wallet) > 0n);
  }

  #rearm(): void {
    const { isOpen, openCalls, uncharged, wallet } = this.#state;
    const hasWork = openCalls === 0 || uncharged > 0n || this.#hasUsedSlack || this.#state.free(wallet) > 0n;
    if (isOpen && hasWork) this.#arm();
  }

  /** Ticks, unless a tick is in flight: then the next one follows it, if a call waits. */
  #tick(): Promise<void> {
    this.#tickInFlight ??= this.#tickAndServe().finally(() => {
      this.#tickInFlight = undefined;
      if (this.#waiting.length > 0) this.#tick();
      else if (!this.#hasEnded) this.#rearm();
    });
    return this.#tickInFlight;
  }

  async #tickAndServe(): Promise<void> {
    const asked = this.#waiting;
    this.#waiting = [];
    let uncovered = asked;
    try {
      const needed = asked.reduce((sum, { call }) => plus(sum, boundOf(call)), NOTHING);
      const isRefused = await this.#tickOnce(needed, this.#slack());
      uncovered = this.#serve(asked);
      // What one side granted and the other refused returns at once.
      if (isRefused && this.#hasSlack) await this.#tickOnce(NOTHING, NOTHING);
    } catch (failure) {
      this.#dependencies.log.error('a tick failed', { lease: this.id, failure: String(failure) });
    }
    for (const { resolve } of uncovered) resolve(undefined);
    this.#waiting = this.#serve(this.#waiting);
  }

  /** Admits the calls that fit, in their order. Returns the others. */
  #serve(calls: readonly WaitingCall[]): readonly WaitingCall[] {
    return calls.filter(({ call, resolve }) => {
      const draw = this.#drawIfCovered(call);
      if (draw !== undefined || this.#hasEnded) resolve(draw);
      return draw === undefined && !this.#hasEnded;
    });
  }

  /** Takes what the calls need, and slack. Returns whether a side has refused it. */
  async #tickOnce(needed: Quantity, slack: Quantity): Promise<boolean> {
    const more = this.isCurrent ? plus(needed, slack) : NOTHING;
    const asks = more.requests > 0;
    const closes = !asks && this.#state.openCalls === 0;
    if (!asks && !this.#state.isOpen) {
      if (closes) this.#end();
      return false;
    }
    this.#sequence += 1;
    this.#hasUsedSlack = false;
    this.#lastTickMs = this.#dependencies.uptime();
    const { amount, ...totals } = this.#state.totalsWith(more);
    const [keyId, expires, sequence] = [this.keyId, this.span.expires, this.#sequence];
    const entry = closes ? undefined : { keyId, amount, expires, sequence, settled: totals.settled };
    const { wallet, key } = this.#state;
    const outcomes = await Promise.all([
      wallet.write({ ...totals, entry }, asks),
      key.write({ ...totals, entry }, asks),
    ]);
    if (outcomes.includes('gone')) {
      this.#end();
      this.#dependencies.log.error('a lease was lost', { lease: this.id, keyId, expires });
    } else if (outcomes.includes('unopened')) await this.#abandon();
    else if (closes && !this.#state.isOpen) this.#end();
    this.#recover();
    return asks && outcomes.some((outcome) => outcome !== 'applied' && outcome !== 'skipped');
  }

  #slack(): Quantity {
    const left = this.#state.remainder;
    const nowMs = this.#dependencies.uptime();
    if (nowMs < this.#slackFromMs || this.#isStopping || left === undefined) return NOTHING;
    return this.#recent.slack(left, nowMs);
  }

  #recover(): void {
    const { recovery, log } = this.#dependencies;
    const { wallet, key } = this.#state;
    if (wallet.item !== undefined) recovery.recoverQuietly(recovery.expiredOf(wallet.item));
    if (key.item !== undefined)
      recovery
        .recoverKey(key.item)
        .catch((failure: unknown) =>
          log.warn('lease not recovered', { keyId: this.keyId, failure: String(failure) }),
        );
  }

  #end(): void {
    this.#hasEnded = true;
    this.#onEnd(this);
  }

  /**
   * Ends a lease whose opening has no response. An opening is never repeated: a copy that arrives after the close would
   * revive the entry. What was opened is closed here if it is there, else it expires.
   */
  async #abandon(): Promise<void> {
    this.#end();
    if (this.#state.openCalls > 0) return;
    const { amount: _amount, ...totals } = this.#state.totalsWith(NOTHING);
    const closed = { ...totals, entry: undefined };
    await Promise.allSettled([this.#state.wallet.close(closed), this.#state.key.close(closed)]);
  }
}
