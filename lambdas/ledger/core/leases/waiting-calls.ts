/** The calls that wait for a request of their lease, first come first served, and what becomes of those that it does not serve. */
import { invalidKey } from '../../../access/core/api-key.ts';
import { overloaded, type ServiceError } from '../../../platform/core/errors.ts';
import { least } from '../../../platform/core/money.ts';
import type { Call } from '../call.ts';
import { type AccountSnapshot, largestOutput, type PreflightTime, preflight } from '../preflight.ts';
import type { Draw } from './draw.ts';
import { RECHECK_MS } from './times.ts';

/** `again`: the lease admits no more calls; another one does. */
export type Admittance = Draw | 'again';

export interface WaitingCall {
  readonly call: Call;
  /** The output that it is to be admitted with. */
  output: number;
  /** The number of ticks that requested it. */
  tries: number;
  /** No tick requests it until then (uptime): other leases return their slack first. */
  parkedUntilMs: number;
  hasRechecked: boolean;
  readonly resolve: (result: Admittance) => void;
  readonly reject: (failure: unknown) => void;
}

/** The lease that the calls wait for. */
export interface WaitedLease {
  uptime(): number;
  at(call: Call): PreflightTime;
  /** Returns whether the key was read at most a second ago. */
  isFresh(): boolean;
  /** Returns what the lease has and can take, as of the last responses; undefined if there is no such key. */
  inReach(): AccountSnapshot | undefined;
  /** Admits the call if it fits. */
  draw(call: Call, output: number): Draw | undefined;
  /** Counts a rejected call in the requests of the minute, if its key has granted it. */
  countRejected(): void;
  hasShards(): boolean;
  /** Returns whether another lease holds credit or limits that it may return soon. */
  othersHaveSlack(): boolean;
  /** Asks again after that time. */
  askAfter(ms: number): void;
}

/** A call that so many ticks did not serve meets other processes that take what is left before it. */
const MAX_TICKS = 12;

export class WaitingCalls {
  readonly #lease: WaitedLease;
  #calls: WaitingCall[] = [];
  readonly #rejections: (() => void)[] = [];
  /** The last tick requested something that a side did not have. */
  #wasRefused = false;
  /** The next tick moves credit from other shards; the last one did. */
  #isAcross = false;
  #wasAcross = false;

  constructor(lease: WaitedLease) {
    this.#lease = lease;
  }

  get size(): number {
    return this.#calls.length;
  }

  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  /** True if the next tick is to move credit from other shards. */
  get isAcross(): boolean {
    return this.#isAcross;
  }

  get hasReady(): boolean {
    return this.#ready().length > 0;
  }

  add(call: Call): Promise<Admittance> {
    return new Promise((resolve, reject) => {
      const output = call.output.max;
      this.#calls.push({ call, output, tries: 0, parkedUntilMs: 0, hasRechecked: false, resolve, reject });
    });
  }

  /** Returns the calls that the next tick asks for: all, or after a refusal those that fit what was left. */
  ask(): readonly WaitingCall[] {
    const isNewTry = this.#isAcross && !this.#wasAcross;
    const inReach = this.#wasRefused && !isNewTry ? this.#lease.inReach() : undefined;
    this.#wasAcross = this.#isAcross;
    return inReach === undefined ? this.#ready() : this.#fitting(inReach);
  }

  /**
   * Admits the calls that fit after a tick, in their order, and judges those that it requested in vain. After a slow tick, those
   * that arrived meanwhile wait for the next one: the key may have changed before they arrived.
   */
  serve(
    requested: readonly WaitingCall[],
    { isRefused, isPaid }: { readonly isRefused: boolean; readonly isPaid: boolean },
  ): void {
    this.#wasRefused = isRefused;
    if (isPaid) this.#isAcross = false;
    const isFresh = this.#lease.isFresh();
    for (const each of this.#calls.filter((call) => isFresh || requested.includes(call))) {
      const draw = this.#lease.draw(each.call, each.output);
      if (draw !== undefined) {
        this.#remove(each);
        each.resolve(draw);
      } else if (requested.includes(each) || this.#wasRefused) {
        if (requested.includes(each)) each.tries += 1;
        const rejection = this.#rejectionOf(each);
        if (rejection?.status === 402) this.#lease.countRejected();
        if (rejection !== undefined) this.reject(each, rejection);
      }
    }
  }

  /** The caller gets the error with `deliverRejections`, once what was taken for the call has been returned. */
  reject(each: WaitingCall, failure: unknown): void {
    this.#remove(each);
    this.#rejections.push(() => each.reject(failure));
  }

  deliverRejections(): void {
    for (const deliver of this.#rejections.splice(0)) deliver();
  }

  rejectAll(failure: unknown): void {
    for (const { reject } of this.#calls.splice(0)) reject(failure);
  }

  /** Sends all to another lease. */
  sendAway(): void {
    for (const { resolve } of this.#calls.splice(0)) resolve('again');
  }

  /**
   * Returns the error of a call that does not fit. Undefined if another tick may admit it: with a smaller output, with credit
   * of other shards, or once other leases have returned their slack.
   */
  #rejectionOf(each: WaitingCall): ServiceError | undefined {
    const { call } = each;
    const inReach = this.#lease.inReach();
    if (inReach === undefined) return invalidKey();
    if (each.tries > MAX_TICKS) return overloaded();
    const at = this.#lease.at(call);
    const fitting = largestOutput(call, { min: call.output.min, max: each.output }, inReach, at);
    if (fitting !== undefined) {
      each.output = fitting;
      return undefined;
    }
    const rejection = preflight(call, inReach, at) ?? overloaded();
    if (rejection.status === 402 && !this.#wasAcross && this.#lease.hasShards()) {
      this.#isAcross = true;
      return undefined;
    }
    if (each.hasRechecked || !this.#lease.othersHaveSlack()) return rejection;
    this.#park(each);
    return undefined;
  }

  #park(each: WaitingCall): void {
    each.hasRechecked = true;
    each.parkedUntilMs = this.#lease.uptime() + RECHECK_MS;
    [this.#isAcross, this.#wasRefused] = [false, false];
    this.#lease.askAfter(RECHECK_MS + 1);
  }

  /** Forgets what the last tick was refused. */
  forgetRefusal(): void {
    this.#wasRefused = false;
  }

  #ready(): readonly WaitingCall[] {
    const nowMs = this.#lease.uptime();
    return this.#calls.filter(({ parkedUntilMs }) => parkedUntilMs <= nowMs);
  }

  /** A call that does not fit delays no later one. The first is always requested, so that a rejection is based on the current items. */
  #fitting({ state, wallet }: AccountSnapshot): readonly WaitingCall[] {
    const ready = this.#ready();
    if (state === undefined || wallet === undefined) return ready;
    let amount = least(wallet.balance, least(state.dayLeft, state.monthLeft));
    let [requests, tokens] = [state.requestsLeft, state.tokensLeft];
    return ready.filter(({ call, output }, at) => {
      const [bound, counted] = [call.cost(output), BigInt(call.tokens(output))];
      if (at > 0 && (bound > amount || requests < 1 || counted > tokens)) return false;
      [amount, requests, tokens] = [amount - bound, requests - 1, tokens - counted];
      return true;
    });
  }

  #remove(each: WaitingCall): void {
    this.#calls = this.#calls.filter((other) => other !== each);
  }
}
