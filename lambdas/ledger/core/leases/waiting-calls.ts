/** The calls that wait for the next tick of a lease, first come first served. */
import { least } from '../../../platform/core/money.ts';
import type { Call } from '../call.ts';
import type { AccountSnapshot } from '../preflight.ts';
import type { Admittance } from './lease.ts';

export interface WaitingCall {
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

export class WaitingCalls {
  #calls: WaitingCall[] = [];
  readonly #rejections: (() => void)[] = [];

  get size(): number {
    return this.#calls.length;
  }

  add(call: Call): Promise<Admittance> {
    return new Promise((resolve, reject) => {
      const output = call.output.max;
      this.#calls.push({ call, output, tries: 0, parkedUntilMs: 0, hasRechecked: false, resolve, reject });
    });
  }

  list(): readonly WaitingCall[] {
    return [...this.#calls];
  }

  ready(nowMs: number): readonly WaitingCall[] {
    return this.#calls.filter(({ parkedUntilMs }) => parkedUntilMs <= nowMs);
  }

  /** Those that fit into what is in reach, in their order; a call that does not fit delays no later one. The first is always asked for. */
  fitting(nowMs: number, { state, wallet }: AccountSnapshot): readonly WaitingCall[] {
    const ready = this.ready(nowMs);
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

  resolve(each: WaitingCall, result: Admittance): void {
    this.#remove(each);
    each.resolve(result);
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

  #remove(each: WaitingCall): void {
    this.#calls = this.#calls.filter((other) => other !== each);
  }
}
