/** A model of buyers, their payments and sellers, around the rules of a sale. After each event it verifies the laws. */
import { addsGranted, isPayable, unspentCash } from '../../ledger/core/ledger-entry.ts';
import { greatest, NANO_PER_CENT, type NanoUsd } from '../../platform/core/money.ts';
import {
  EMPTY_BALANCE,
  feeOf,
  mature,
  nextStep,
  proceedsOf,
  recordSale,
  remainingOf,
  returnOf,
  type Sale,
  type SaleChange,
  type SellerBalance,
} from '../core/earnings/sale.ts';

/** The rules that a control replaces. */
export interface MarketRules {
  readonly isPayable: typeof isPayable;
  readonly unspentCash: typeof unspentCash;
  readonly nextStep: typeof nextStep;
  readonly returnOf: typeof returnOf;
}

export const RULES: MarketRules = { isPayable, unspentCash, nextStep, returnOf };

export type MarketEvent =
  | { readonly event: 'pay' | 'grant' | 'call' | 'buy'; readonly buyer: number; readonly cents: number }
  | { readonly event: 'dispute' | 'win'; readonly pick: number }
  | { readonly event: 'refund'; readonly pick: number; readonly cents: number }
  | { readonly event: 'transfer'; readonly cents: number }
  | { readonly event: 'wait'; readonly days: number };

interface ModelWallet {
  balance: NanoUsd;
  owed: NanoUsd;
  netCash: NanoUsd;
  payableCash: NanoUsd;
  /** The remainder of its grants, which calls and sales that are not payable use up first. */
  grants: NanoUsd;
  /** Money that these used up when no grant was left. */
  usedUp: NanoUsd;
}

interface Payment {
  readonly buyer: number;
  readonly amount: NanoUsd;
  readonly created: number;
  disputed: boolean;
}

const BUYERS = 2;
const DAY_SECONDS = 86_400;
const MATURITY_SECONDS = 7 * DAY_SECONDS;
const FEE_BASIS_POINTS = 1_237;

const sum = <T>(values: readonly T[], of: (value: T) => NanoUsd): NanoUsd =>
  values.reduce((total, value) => total + of(value), 0n);

/** Every order of the values. */
export function* permutations<T>(values: readonly T[]): Generator<readonly T[], void> {
  if (values.length === 0) yield [];
  for (const [at, value] of values.entries())
    for (const rest of permutations(values.toSpliced(at, 1))) yield [value, ...rest];
}

export class MarketModel {
  readonly #rules: MarketRules;
  readonly #wallets: readonly ModelWallet[] = Array.from({ length: BUYERS }, () => ({
    balance: 0n,
    owed: 0n,
    netCash: 0n,
    payableCash: 0n,
    grants: 0n,
    usedUp: 0n,
  }));
  readonly #payments: Payment[] = [];
  readonly #sales: Sale[] = [];
  #seller: SellerBalance = EMPTY_BALANCE;
  /** Credit that was granted to buyers, less what they have spent by calls. */
  #granted = 0n;
  #transferred = 0n;
  #nowSeconds = 0;

  constructor(rules: MarketRules = RULES) {
    this.#rules = rules;
  }

  /** The number of sales in each status, and of those that were held. */
  get counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = { held: 0 };
    for (const { status, held } of this.#sales) {
      counts[status] = (counts[status] ?? 0) + 1;
      if (held) counts.held = (counts.held ?? 0) + 1;
    }
    return counts;
  }

  get sales(): readonly Sale[] {
    return this.#sales;
  }

  get seller(): SellerBalance {
    return this.#seller;
  }

  wallet(buyer: number): Readonly<ModelWallet> {
    const wallet = this.#wallets[buyer % BUYERS];
    if (wallet === undefined) throw new Error('no such buyer');
    return wallet;
  }

  /** Throws if a law is broken. */
  play(event: MarketEvent): void {
    this.#nowSeconds += 1;
    this.#step(event);
    this.#verify();
  }

  #step(event: MarketEvent): void {
    switch (event.event) {
      case 'wait':
        this.#nowSeconds += event.days * DAY_SECONDS;
        this.#processDue();
        break;
      case 'dispute':
      case 'win':
        this.#reverse(event);
        break;
      case 'transfer':
        this.#transfer(BigInt(event.cents) * NANO_PER_CENT);
        break;
      case 'refund':
        this.#refund(event.pick, BigInt(event.cents) * NANO_PER_CENT);
        break;
      case 'buy':
        this.#buy(event.buyer, BigInt(event.cents) * NANO_PER_CENT);
        break;
      default:
        this.#fund(event.event, event.buyer, BigInt(event.cents) * NANO_PER_CENT);
        break;
    }
  }

  #transfer(amount: NanoUsd): void {
    if (amount > this.#seller.available) return;
    this.#change({ ...EMPTY_BALANCE, available: -amount, transferred: amount });
    this.#transferred += amount;
  }

  #fund(event: 'pay' | 'grant' | 'call', buyer: number, amount: NanoUsd): void {
    const wallet = this.wallet(buyer);
    if (event === 'call' && (wallet.owed > 0n || wallet.balance < amount)) return;
    const change = event === 'call' ? -amount : amount;
    if (event === 'pay') this.#credit(buyer, amount, amount);
    else this.#grant(buyer, change);
    if (event !== 'pay') this.#granted += change;
    else this.#payments.push({ buyer: buyer % BUYERS, amount, created: this.#nowSeconds, disputed: false });
  }

  #credit(buyer: number, change: NanoUsd, cash: NanoUsd): void {
    const wallet = this.wallet(buyer) as ModelWallet;
    const before = wallet.balance - wallet.owed;
    const total = before + change;
    if (addsGranted({ credit: change, cash }))
      wallet.payableCash = this.#rules.unspentCash(wallet.payableCash, before);
    [wallet.balance, wallet.owed] = total < 0n ? [0n, -total] : [total, 0n];
    wallet.netCash += cash;
    wallet.payableCash += cash;
  }

  /** Adds granted credit, or uses credit up. */
  #grant(buyer: number, change: NanoUsd): void {
    const wallet = this.wallet(buyer) as ModelWallet;
    this.#credit(buyer, change, 0n);
    const granted = greatest(change, -wallet.grants);
    wallet.grants += granted;
    wallet.usedUp += granted - change;
  }

  #reverse({ event, pick }: { readonly event: 'dispute' | 'win'; readonly pick: number }): void {
    const payment = this.#payments[pick % Math.max(1, this.#payments.length)];
    if (payment === undefined || payment.disputed === (event === 'dispute')) return;
    payment.disputed = event === 'dispute';
    const amount = payment.disputed ? -payment.amount : payment.amount;
    this.#credit(payment.buyer, amount, amount);
  }

  #buy(buyer: number, gross: NanoUsd): void {
    const wallet = this.wallet(buyer);
    if (wallet.owed > 0n || wallet.balance < gross) return;
    const payable = this.#rules.isPayable(wallet.payableCash, gross);
    if (payable !== this.#unusedCash(buyer % BUYERS) >= gross)
      throw new Error('a sale is payable by what was paid, less calls that no earlier grant covered');
    const sale: Sale = {
      chargeId: `pur_${this.#sales.length}`,
      sellerId: 'seller',
      buyerId: String(buyer % BUYERS),
      listingId: 'listing',
      gross,
      fee: feeOf(gross, FEE_BASIS_POINTS),
      returned: 0n,
      payable,
      status: 'pending',
      created: this.#nowSeconds,
      dueAt: this.#nowSeconds + MATURITY_SECONDS,
      held: undefined,
    };
    if (payable) this.#credit(buyer, -gross, -gross);
    else this.#grant(buyer, -gross);
    this.#sales.push(sale);
    this.#change(recordSale(sale));
  }

  /** The payments of a buyer, less its payable sales and what was used up without a grant. */
  #unusedCash(buyer: number): NanoUsd {
    const paid = sum(
      this.#payments.filter((each) => each.buyer === buyer),
      ({ amount, disputed }) => (disputed ? 0n : amount),
    );
    const sales = this.#sales.filter(({ payable, buyerId }) => payable && Number(buyerId) === buyer);
    return paid - sum(sales, remainingOf) - this.wallet(buyer).usedUp;
  }

  #refund(pick: number, amount: NanoUsd): void {
    const at = pick % Math.max(1, this.#sales.length);
    const sale = this.#sales[at];
    if (sale === undefined || amount > remainingOf(sale)) return;
    const change = this.#rules.returnOf(sale, amount);
    if (this.#seller.available + change.change.available < 0n) return;
    this.#return(at, amount, change);
  }

  #return(at: number, amount: NanoUsd, { sale, change }: SaleChange): void {
    this.#sales[at] = sale;
    this.#change(change);
    if (sale.payable) this.#credit(Number(sale.buyerId), amount, amount);
    else this.#grant(Number(sale.buyerId), amount);
  }

  #processDue(): void {
    for (let at = 0; at < this.#sales.length; at += 1) {
      for (let sale = this.#sales[at]; sale?.status === 'pending' && sale.dueAt <= this.#nowSeconds; ) {
        const funds = {
          ...this.wallet(Number(sale.buyerId)),
          paymentReversed: this.#reversedBefore(sale),
          isListed: true,
        };
        const next = this.#rules.nextStep(sale, funds, this.#nowSeconds);
        if (next.step === 'hold') this.#sales[at] = { ...sale, held: next.reason, dueAt: next.dueAt };
        else if (next.step === 'return')
          this.#return(at, next.amount, this.#rules.returnOf(sale, next.amount));
        else this.#mature(at, sale);
        sale = this.#sales[at];
      }
    }
  }

  #mature(at: number, before: Sale): void {
    const { sale, change } = mature(before);
    this.#sales[at] = sale;
    this.#change(change);
    if (sale.status === 'credited') this.#transferred += proceedsOf(sale);
    else this.#verifyCover(sale);
  }

  #reversedBefore({ buyerId, created }: Sale): boolean {
    return this.#payments.some(
      (each) => each.disputed && each.buyer === Number(buyerId) && each.created <= created,
    );
  }

  #change(change: SellerBalance): void {
    const names = Object.keys(EMPTY_BALANCE) as (keyof SellerBalance)[];
    this.#seller = Object.fromEntries(
      names.map((name) => [name, this.#seller[name] + change[name]]),
    ) as unknown as SellerBalance;
  }

  /** Verifies that matured sales are covered by money that the buyer's bank has not taken back, as far as it was paid before. */
  #verifyCover({ buyerId, created }: Sale): void {
    const payments = this.#payments.filter(({ buyer }) => buyer === Number(buyerId));
    if (payments.some((each) => each.disputed && each.created > created)) return;
    const paid = sum(payments, ({ amount, disputed }) => (disputed ? 0n : amount));
    const matured = sum(
      this.#sales.filter((each) => each.status === 'available' && each.buyerId === buyerId),
      remainingOf,
    );
    if (matured > paid) throw new Error(`${matured} has matured of ${paid} that was paid`);
  }

  #verify(): void {
    const { pending, available, transferred, received, fees } = this.#seller;
    if ([pending, available, transferred, received, fees].some((each) => each < 0n))
      throw new Error('a part of the balance is below 0');
    if (received !== pending + available + transferred)
      throw new Error('received is not the sum of its parts');
    if (
      pending !==
      sum(
        this.#sales.filter(({ status }) => status === 'pending'),
        proceedsOf,
      )
    )
      throw new Error('pending is not the sum of the pending sales');
    if (received !== sum(this.#sales, proceedsOf)) throw new Error('received is not the sum of the sales');
    if (received + fees !== sum(this.#sales, remainingOf))
      throw new Error('fees and proceeds are not the prices');
    if (transferred !== this.#transferred) throw new Error('transferred is not the sum of the transfers');
    const paid = sum(this.#payments, ({ amount, disputed }) => (disputed ? 0n : amount));
    const wallets = sum(this.#wallets, ({ balance, owed }) => balance - owed);
    if (paid + this.#granted !== wallets + received + fees) throw new Error('money was made or lost');
    const cash = sum(this.#wallets, ({ netCash }) => netCash);
    const payable = sum(
      this.#sales.filter((sale) => sale.payable),
      remainingOf,
    );
    if (cash !== paid - payable) throw new Error('net cash is not what was paid in less what was paid on');
  }
}
