/**
 * The payment provider as payouts see it: idempotency keys that store the first response and are forgotten after a day,
 * responses that are lost before or after the effect, effects that come late, and payouts that fail after they were paid.
 */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Payout, PayoutKey } from '../../core/payouts/payout.ts';
import type {
  PayoutAccountStatus,
  PayoutProvider,
  ProviderPayout,
  ProviderRefusal,
} from '../../core/payouts/ports.ts';

const KEY_SECONDS = 86_400;
/** Sooner than another request has another key. */
const LATE_SECONDS = 30;

interface MovedAmount {
  readonly id: string;
  readonly key: PayoutKey;
  readonly amount: bigint;
  reversed: boolean;
}

interface BankPayout {
  readonly id: string;
  readonly key: PayoutKey;
  readonly amount: bigint;
  status: ProviderPayout['status'];
}

export type Fault = 'none' | 'lost before' | 'lost after' | 'late' | 'stored 500' | 'rate limit';

export interface ModelWorld {
  /** Seconds since the epoch. */
  readonly now: () => number;
  readonly fault: () => Fault;
  /** Waits until the world lets this call go on. */
  readonly turn: () => Promise<void>;
  /** The key of a request, of which the library sends two if a response is lost. */
  readonly keyOf: (key: string) => string;
}

const unavailable = () => new ServiceError('payment_provider_unavailable', 'no response');

export class ModelProvider implements PayoutProvider {
  readonly transferList: MovedAmount[] = [];
  readonly payoutList: BankPayout[] = [];
  /** The platform's balance, and that of each seller's account. */
  platformBalance = 10_000_000_000_000n;
  readonly balances = new Map<string, bigint>();
  status: PayoutAccountStatus = 'active';
  hasBank = true;
  readonly #world: ModelWorld;
  readonly #responses = new Map<string, { readonly at: number; readonly response: unknown }>();
  #late: { readonly at: number; readonly act: () => void }[] = [];
  #count = 0;

  constructor(world: ModelWorld) {
    this.#world = world;
  }

  /** Lets late requests arrive. */
  land(): void {
    const due = this.#late.filter(({ at }) => at <= this.#world.now());
    this.#late = this.#late.filter((each) => !due.includes(each));
    for (const { act } of due) act();
  }

  settle(payout: BankPayout, status: ProviderPayout['status']): void {
    const { sellerId } = payout.key;
    // A payout that fails is in the account's balance again.
    if (status === 'failed' && payout.status !== 'failed')
      this.balances.set(sellerId, this.#balance(sellerId) + payout.amount);
    payout.status = status;
  }

  async createAccount(sellerId: string): Promise<string> {
    return `acct_${sellerId}`;
  }

  async onboardingPage() {
    return { url: 'https://provider.example', expires: 0 };
  }

  async accountStatus(): Promise<PayoutAccountStatus> {
    await this.#world.turn();
    return this.status;
  }

  async accountCountry(): Promise<string> {
    return 'DE';
  }

  async findTransfer({ id }: Payout): Promise<string | undefined> {
    await this.#world.turn();
    return this.transferList.find(({ key }) => key.id === id)?.id;
  }

  createTransfer(payout: Payout, _account: string, key: string): Promise<string | ProviderRefusal> {
    return this.#once(key, () => {
      if (this.status !== 'active') return { refused: 'account_invalid' };
      if (this.platformBalance < payout.amount) return { refused: 'balance_insufficient' };
      this.platformBalance -= payout.amount;
      this.balances.set(payout.sellerId, this.#balance(payout.sellerId) + payout.amount);
      const moved = { id: this.#id('tr'), key: payout, amount: payout.amount, reversed: false };
      this.transferList.push(moved);
      return moved.id;
    });
  }

  async findPayout({ id }: Payout): Promise<ProviderPayout | undefined> {
    await this.#world.turn();
    const found = this.payoutList.find(({ key }) => key.id === id);
    return found === undefined ? undefined : asRead(found);
  }

  createPayout(payout: Payout, _account: string, key: string): Promise<ProviderPayout | ProviderRefusal> {
    return this.#once(key, () => {
      const balance = this.#balance(payout.sellerId);
      if (!this.hasBank) return { refused: 'no_account' };
      if (balance < payout.amount) return { refused: 'balance_insufficient' };
      this.balances.set(payout.sellerId, balance - payout.amount);
      const paid: BankPayout = { id: this.#id('po'), key: payout, amount: payout.amount, status: 'pending' };
      this.payoutList.push(paid);
      return asRead(paid);
    });
  }

  async readPayout(id: string): Promise<ProviderPayout> {
    await this.#world.turn();
    const found = this.payoutList.find((each) => each.id === id);
    if (found === undefined) throw unavailable();
    const read = asRead(found);
    // The response may be old by the time that it is read.
    await this.#world.turn();
    return read;
  }

  async isReversed(transfer: string): Promise<boolean> {
    await this.#world.turn();
    return this.transferList.find(({ id }) => id === transfer)?.reversed === true;
  }

  reverse(transfer: string, key: string): Promise<ProviderRefusal | undefined> {
    return this.#once(key, () => {
      const moved = this.transferList.find(({ id }) => id === transfer);
      if (moved === undefined || moved.reversed) return { refused: 'already_reversed' };
      const balance = this.#balance(moved.key.sellerId);
      if (balance < moved.amount) return { refused: 'balance_insufficient' };
      this.balances.set(moved.key.sellerId, balance - moved.amount);
      this.platformBalance += moved.amount;
      moved.reversed = true;
      return undefined;
    });
  }

  async *transfers() {
    yield [];
  }

  #balance(sellerId: string): bigint {
    return this.balances.get(sellerId) ?? 0n;
  }

  #id(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${this.#count}`;
  }

  /** The library repeats a request once under the same key. */
  async #once<T>(key: string, act: () => T): Promise<T> {
    try {
      return await this.#send(this.#world.keyOf(key), act);
    } catch {
      return await this.#send(this.#world.keyOf(key), act);
    }
  }

  async #send<T>(key: string, act: () => T): Promise<T> {
    await this.#world.turn();
    const fault = this.#world.fault();
    if (fault === 'lost before' || fault === 'rate limit') throw unavailable();
    const respond = (): T => {
      const stored = this.#responses.get(key);
      if (stored !== undefined && this.#world.now() < stored.at + KEY_SECONDS) {
        if (stored.response instanceof Error) throw stored.response;
        return stored.response as T;
      }
      if (fault === 'stored 500') {
        this.#responses.set(key, { at: this.#world.now(), response: unavailable() });
        throw unavailable();
      }
      const response = act();
      this.#responses.set(key, { at: this.#world.now(), response });
      return response;
    };
    if (fault === 'late') {
      this.#late.push({ at: this.#world.now() + LATE_SECONDS, act: () => void safely(respond) });
      throw unavailable();
    }
    const response = respond();
    await this.#world.turn();
    if (fault === 'lost after') throw unavailable();
    return response;
  }
}

function safely(act: () => unknown): void {
  try {
    act();
  } catch {
    // A stored failure has no reader.
  }
}

const asRead = ({ id, status }: BankPayout): ProviderPayout => ({
  id,
  status,
  failureCode: status === 'failed' ? 'account_closed' : undefined,
  arrivalDate: 0,
});
