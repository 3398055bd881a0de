/** The open calls of a host. Calls whose body is still arriving use little memory and are counted apart, by account. */
import { overloaded } from '../core/errors.ts';
import { type BodyCall, requireNoShortage, SharedBytes } from './body-budget.ts';

/** Calls whose body is arriving, for each call that may be served: they cost a connection each. */
const ARRIVING_PER_CALL = 4;

export class OpenCalls {
  readonly #maxCalls: number;
  readonly #arriving: SharedBytes;
  /** The half of them whose accounts may have no credit. */
  readonly #unproven: SharedBytes;
  #open = 0;
  #served = 0;
  #peak = 0;
  #onEmpty = () => {};

  constructor(maxCalls: number) {
    this.#maxCalls = maxCalls;
    this.#arriving = new SharedBytes(maxCalls * ARRIVING_PER_CALL);
    this.#unproven = new SharedBytes((maxCalls * ARRIVING_PER_CALL) / 2);
  }

  /** True if no further call can be served. */
  get isFull(): boolean {
    return this.#served >= this.#maxCalls;
  }

  /** Returns the maximum number of calls that were served at once since the last call of this method. */
  takePeak(): number {
    const peak = this.#peak;
    this.#peak = this.#served;
    return peak;
  }

  /** Returns false if calls are still open after that time. */
  async emptyWithin(ms: number): Promise<boolean> {
    if (this.#open > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#open === 0;
  }

  /** Opens a call. It is served however many others are, unless it is limited. */
  open({ isLimited }: { readonly isLimited: boolean }): OpenCall {
    this.#open += 1;
    let [leaveArriving, prove] = [() => {}, () => {}];
    let isServed = false;
    return {
      claim: (accountId) => {
        requireNoShortage(this.#arriving.take(accountId, 1, 0));
        const mustProve = this.#unproven.take(accountId, 1, 0) !== undefined;
        prove = () => {
          if (!mustProve) this.#unproven.give(accountId, 1);
          prove = () => {};
        };
        leaveArriving = () => {
          prove();
          this.#arriving.give(accountId, 1);
          leaveArriving = () => {};
        };
        return mustProve;
      },
      prove: () => prove(),
      serve: () => {
        leaveArriving();
        if (isLimited && this.isFull) throw overloaded();
        isServed = true;
        this.#served += 1;
        this.#peak = Math.max(this.#peak, this.#served);
      },
      close: () => {
        leaveArriving();
        if (isServed) this.#served -= 1;
        this.#open -= 1;
        if (this.#open === 0) this.#onEmpty();
      },
    };
  }
}

/** One call of a host. */
export interface OpenCall extends BodyCall {
  close(): void;
}
