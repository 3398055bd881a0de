/**
 * A lease: credit and limits of one key that one process takes in advance, for calls that it admits in one UTC minute.
 * Calls are admitted and settled in memory. A tick is one write of the wallet and one of the key, side by side: it charges
 * what was recorded, takes what comes next and returns what is unused.
 */
import { rateLimitHeaders } from '../../../access/core/key-state.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Call } from '../call.ts';
import { largestOutput } from '../preflight.ts';
import type { Draw } from './draw.ts';
import { LeaseState, type SettledCall } from './lease-state.ts';
import { LeaseWriter, type TickTarget } from './lease-writer.ts';
import type { LeaseDependencies } from './ports.ts';
import { NOTHING, type Quantity, RecentDraws } from './slack.ts';
import { IDLE_MS, LeaseSpan, TICK_MS } from './times.ts';
import { type Admittance, type WaitedLease, WaitingCalls } from './waiting-calls.ts';

export interface LeaseStart {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  /** The start of its minute. */
  readonly startMs: number;
  /** Called once, when the lease has closed or is given up. */
  readonly onEnd: (lease: Lease) => void;
}

/** The next look at a lease whose tick is in flight. */
const BUSY_MS = 20;

export class Lease {
  readonly id: string;
  readonly keyId: string;
  readonly span: LeaseSpan;
  readonly #accountId: string;
  readonly #walletId: string;
  readonly #dependencies: LeaseDependencies;
  readonly #onEnd: (lease: Lease) => void;
  readonly #state: LeaseState;
  readonly #writer: LeaseWriter;
  readonly #recent = new RecentDraws();
  readonly #waiting: WaitingCalls;

  #lastTickMs = Number.NEGATIVE_INFINITY;
  #lastDrawMs = Number.NEGATIVE_INFINITY;
  #sequence = 0;
  #isTicking = false;
  #hasTimer = false;
  #hasEnded = false;
  #isStopping = false;
  /** A call was admitted from slack since the last tick. */
  #hasUsedSlack = false;

  constructor(dependencies: LeaseDependencies, { id, accountId, keyId, startMs, onEnd }: LeaseStart) {
    const { times, stores, clock } = dependencies;
    this.#dependencies = dependencies;
    this.#onEnd = onEnd;
    this.id = id;
    this.keyId = keyId;
    this.#accountId = accountId;
    this.span = new LeaseSpan(startMs, clock(), times);
    this.#state = new LeaseState(this.span.windows);
    this.#walletId = stores.wallets.drawShard(accountId);
    this.#writer = new LeaseWriter(dependencies, { id, keyId, walletId: this.#walletId }, this.#state);
    this.#waiting = new WaitingCalls(this.#waitedLease());
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

  /** The balance that a tick would leave now. `readTotal` reads that of a wallet with several shards, at most 2 s old. */
  async readBalance(readTotal: () => Promise<NanoUsd>): Promise<NanoUsd | undefined> {
    const { walletItem, wallet } = this.#state;
    if (this.#hasEnded || walletItem === undefined) return undefined;
    const isSharded = this.#dependencies.stores.wallets.hasShards(this.#accountId);
    const total = isSharded ? await readTotal() : walletItem.balance - walletItem.debt;
    return total + this.#state.free(wallet);
  }

  /** Admits the call from what the lease has; undefined if that does not cover it, or is too old. */
  admitAtOnce(call: Call): Draw | undefined {
    const isFresh = this.#state.isFresh(this.#dependencies.uptime());
    if (!isFresh || !this.isCurrent || !this.#canDraw(call, call.output.max)) return undefined;
    this.#hasUsedSlack = true;
    return this.#draw(call, call.output.max);
  }

  /** Admits the call at once, or with the next tick. Throws 401, 403, 429, 402 or 503 with nothing drawn. */
  admit(call: Call): Promise<Admittance> | Draw {
    const draw = this.admitAtOnce(call);
    if (draw !== undefined) return draw;
    const admittance = this.#waiting.add(call);
    this.#tick();
    return admittance;
  }

  /** Ends a call whose record is durable. The next tick charges it. */
  settle(draw: Draw, record: SettledCall): void {
    this.#state.settle(draw, record);
    this.#arm();
  }

  /** Takes no more slack, and closes with the last open call. */
  stop(): void {
    this.#isStopping = true;
    this.#maintain();
  }

  /** Returns the view of the lease that its waiting calls have. */
  #waitedLease(): WaitedLease {
    const { stores, clock, uptime, after } = this.#dependencies;
    return {
      uptime,
      at: (call) => this.#at(call),
      isFresh: () => this.#state.isFresh(uptime()),
      inReach: () => this.#state.inReach(),
      draw: (call, output) =>
        this.isCurrent && this.#canDraw(call, output) ? this.#draw(call, output) : undefined,
      countRejected: () => this.#state.countRejected(),
      hasShards: () => stores.wallets.hasShards(this.#accountId),
      othersHaveSlack: () => this.#state.othersHaveSlack(this.id, clock() / 1000),
      askAfter: (ms) =>
        after(ms, () => {
          this.#waiting.forgetRefusal();
          this.#tick();
        }),
    };
  }

  #canDraw(call: Call, output: number): boolean {
    const inHand = this.#state.inHand();
    if (inHand === undefined) return false;
    return largestOutput(call, { min: output, max: output }, inHand, this.#at(call)) !== undefined;
  }

  #draw(call: Call, output: number): Draw {
    const { uptime, clock } = this.#dependencies;
    const bound = { amount: call.cost(output), tokens: call.tokens(output) };
    this.#state.draw(bound);
    this.#lastDrawMs = uptime();
    this.#recent.add(bound, this.#lastDrawMs);
    this.#arm();
    const state = this.#state.inReach()?.state;
    return {
      ...bound,
      lease: this,
      output,
      spentAmount: this.#state.walletItem?.spentAmount ?? 0n,
      keyReadMs: this.#state.keyReadMs,
      headers: state === undefined ? {} : rateLimitHeaders(state, clock()),
    };
  }

  #at({ key, scope }: Call) {
    const charge = { key, windows: this.span.windows, tokens: 0, amount: 0n, scope };
    return { charge, nowMs: this.#dependencies.clock() };
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
    if (this.#hasEnded) return;
    if (this.#isTicking) {
      this.#arm(BUSY_MS);
      return;
    }
    if (this.#dependencies.clock() > this.span.fenceMs) {
      this.#end();
      return;
    }
    const hasNews = this.#waiting.hasReady || this.#state.uncharged > 0n || this.#hasUsedSlack;
    if (hasNews || this.#hasReturns()) this.#tick();
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
    const isWaiting = this.#waiting.size > 0;
    const hasWork = openCalls === 0 || isWaiting || uncharged > 0n || this.#state.free(wallet) > 0n;
    if ((isOpen || isWaiting) && hasWork) this.#arm();
  }

  /** Ticks until no waiting call could be requested. One tick is in flight at a time. */
  #tick(): void {
    if (this.#isTicking || this.#hasEnded) return;
    this.#isTicking = true;
    this.#tickWhileNeeded()
      .catch((failure) => this.#waiting.rejectAll(failure))
      .finally(() => {
        this.#isTicking = false;
        this.#waiting.deliverRejections();
        if (!this.#hasEnded) this.#rearm();
      });
  }

  async #tickWhileNeeded(): Promise<void> {
    do await this.#tickOnce();
    while (!this.#hasEnded && this.#waiting.hasReady);
    // What one side granted and the other refused returns at once.
    if (!this.#hasEnded && this.#waiting.wasRefused && this.#state.isUnused) await this.#tickOnce();
  }

  // One tick

  async #tickOnce(): Promise<void> {
    if (!this.isCurrent) this.#waiting.sendAway();
    const calls = this.#waiting.ask();
    const slack = this.#slack();
    const asks = calls.length > 0 || slack.requests > 0;
    const closes = !asks && this.#state.openCalls === 0 && this.#waiting.size === 0;
    if (!asks && !this.#state.isOpen) return closes ? this.#end() : undefined;
    this.#sequence += 1;
    const { amount, settled, ...taken } = this.#state.totalsWith(calls, slack);
    const [keyId, expires] = [this.keyId, this.span.expires];
    const entry = { keyId, amount, expires, sequence: this.#sequence, settled };
    const target: TickTarget = {
      ...taken,
      entry: closes ? undefined : entry,
      asks,
      across: this.#waiting.isAcross,
      isOver: !this.isCurrent,
    };
    this.#hasUsedSlack = false;
    const sentMs = this.#dependencies.uptime();
    this.#lastTickMs = sentMs;
    const [wallet, key] = await this.#writer.write(target);
    const outcomes = [wallet.outcome, key.outcome];
    if (outcomes.includes('gone')) return this.#giveUp(true);
    const failure = wallet.failure ?? key.failure;
    if (failure !== undefined) for (const each of calls) this.#waiting.reject(each, failure);
    if (outcomes.includes('unopened')) return this.#giveUp(false);
    if (closes && !this.#state.isOpen) return this.#end();
    if (key.item !== undefined) [this.#state.keyItem, this.#state.keyReadMs] = [key.item, sentMs];
    if (wallet.item !== undefined) this.#state.walletItem = wallet.item;
    this.#dependencies.recovery.recoverQuietly({
      walletId: this.#walletId,
      wallet: wallet.item,
      key: key.item,
    });
    const isRefused = asks && outcomes.some((outcome) => outcome !== 'applied' && outcome !== 'skipped');
    this.#waiting.serve(calls, { isRefused, isPaid: asks && wallet.outcome === 'applied' });
    if ((this.#state.walletItem?.debt ?? 0n) > 0n && isRefused) this.#collectDebt();
  }

  #slack(): Quantity {
    const left = this.#state.remainder;
    if (this.#waiting.wasRefused || this.#isStopping || !this.isCurrent || left === undefined) return NOTHING;
    return this.#recent.slack(left, this.#dependencies.uptime());
  }

  #collectDebt(): void {
    const { stores, log } = this.#dependencies;
    const accountId = this.#accountId;
    stores.wallets.collect(accountId).catch(() => log.warn('debt not collected', { accountId }));
  }

  #end(): void {
    this.#hasEnded = true;
    this.#onEnd(this);
    this.#waiting.sendAway();
  }

  /**
   * Gives the lease up: another process has recovered it, or its opening has no response. An opening is never repeated: a
   * copy that arrives after the close would revive the entry. What was opened is closed here if it is there, else it expires.
   */
  async #giveUp(isGone: boolean): Promise<void> {
    this.#end();
    const { id, keyId, span } = this;
    if (isGone) this.#dependencies.log.error('a lease was lost', { lease: id, keyId, expires: span.expires });
    else if (this.#state.openCalls === 0) await this.#writer.close();
  }
}
