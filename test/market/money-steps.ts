/** The steps of a history that move money: requests of buyers and sellers, events of the bank, and the schedule. */

import { cancelPayout, requestPayout } from '../../lambdas/marketplace/core/payouts/requests.ts';
import {
  cancelSubscription,
  type SubscriptionUpdate,
  updateSubscription,
} from '../../lambdas/marketplace/core/subscriptions/subscriptions.ts';
import { hintPayout } from '../../lambdas/marketplace/store/payouts/payout-hint.ts';
import type { PaymentFact } from '../../lambdas/payments/core/order.ts';
import type { OrderReference } from '../../lambdas/payments/core/ports.ts';
import { NANO_PER_CENT } from '../../lambdas/platform/core/money.ts';
import { PLATFORM_CENTS } from './history-provider.ts';
import { type HistoryWorld, PLANS } from './history-world.ts';

/** A step, and how often it is drawn. */
export type WeightedStep = readonly [weight: number, take: () => Promise<void>];

interface PaymentMessage {
  readonly order: OrderReference;
  readonly fact: PaymentFact;
}

export class MoneySteps {
  readonly #history: HistoryWorld;
  /** Every event of the payment provider: each may arrive in any order, and repeatedly. */
  readonly #messages: PaymentMessage[] = [];
  readonly #orders: (OrderReference & { readonly cents: number })[] = [];

  constructor(history: HistoryWorld) {
    this.#history = history;
  }

  get steps(): readonly WeightedStep[] {
    return [
      [4, () => this.#pay()],
      [2, () => this.#grant()],
      [8, () => this.#buy()],
      [5, () => this.#call()],
      [4, () => this.#subscribe()],
      [3, () => this.#changeSubscription()],
      [4, () => this.#refund()],
      [6, () => this.#reverse()],
      [10, () => this.#deliver()],
      [3, () => this.#transfer()],
      [8, () => this.#requestPayout()],
      [2, () => this.#cancelPayout()],
      [12, () => this.processPayouts()],
      [4, () => this.#settle()],
      [3, () => this.hint()],
      [2, () => this.#changeProvider()],
    ];
  }

  get #draw(): () => number {
    return this.#history.options.draw;
  }

  #cents(max: number): number {
    return 1 + Math.floor(this.#draw() * max);
  }

  get #account(): string {
    return this.#history.pick(this.#history.accounts) ?? '';
  }

  /** The page of the provider is paid; the events of it arrive by later steps. */
  async #pay(): Promise<void> {
    const order = { accountId: this.#account, orderId: `ord_${this.#history.world.ulid()}` };
    const cents = this.#cents(12_000);
    this.#orders.push({ ...order, cents });
    this.#messages.push({ order, fact: { kind: 'paid', amount: BigInt(cents) * NANO_PER_CENT } });
    await this.#deliver(this.#messages.at(-1));
  }

  async #grant(): Promise<void> {
    const { world, mutation, granted } = this.#history;
    if (mutation.grantsMoney) granted.add(await world.pay(this.#account, this.#cents(9_000)));
    else await world.grant(this.#account, this.#cents(9_000));
    await this.#history.reread();
  }

  /** A refund or a dispute of a payment begins, or ends in the payee's favor. */
  async #reverse(): Promise<void> {
    const order = this.#history.pick(this.#orders);
    if (order === undefined) return;
    const amount = BigInt(this.#draw() < 0.5 ? order.cents : this.#cents(order.cents)) * NANO_PER_CENT;
    const id = `dp_${this.#messages.length}`;
    this.#messages.push({ order, fact: { kind: 'reversal', id, amount, undone: false } });
    if (this.#draw() < 0.4)
      this.#messages.push({ order, fact: { kind: 'reversal', id, amount, undone: true } });
  }

  async #deliver(message = this.#history.pick(this.#messages)): Promise<void> {
    if (message === undefined) return;
    const { order, fact } = message;
    await this.#history.start(`event: ${fact.kind}`, ({ clients }) =>
      this.#history.world.receive(order, fact, clients),
    );
  }

  async #buy(): Promise<void> {
    const listing = this.#history.pick(this.#history.pick(this.#history.sellers)?.listings ?? []);
    const buyer = this.#account;
    if (listing !== undefined)
      await this.#history.start('purchase', ({ clients }) =>
        this.#history.world.buy(buyer, listing, clients),
      );
  }

  async #call(): Promise<void> {
    const [account, call] = [this.#account, { cents: this.#cents(9_000), isFree: this.#draw() < 0.2 }];
    await this.#history.start('paid call', ({ clients }) => this.#history.calls.make(account, call, clients));
  }

  async #subscribe(): Promise<void> {
    const [seller, plan, buyer] = [
      this.#history.pick(this.#history.sellers),
      this.#history.pick(PLANS),
      this.#account,
    ];
    if (seller === undefined || plan === undefined) return;
    await this.#history.start('subscription', ({ clients }) =>
      this.#history.world.subscribe(buyer, seller.subscribed, plan, clients),
    );
  }

  async #changeSubscription(): Promise<void> {
    const { world } = this.#history;
    const { subscriptions } = await this.#history.state();
    const found = this.#history.pick(subscriptions);
    if (found === undefined) return;
    const request = { accountId: found.subscriberId, id: found.id };
    const pick = this.#draw();
    if (pick < 0.2) {
      await this.#history.start('end of a subscription', ({ clients }) =>
        cancelSubscription(world.subscriptions(clients), request),
      );
      return;
    }
    const plan = this.#history.pick(PLANS.slice(0, 2));
    const update: SubscriptionUpdate =
      pick < 0.5 || plan === undefined
        ? { cancelAtPeriodEnd: pick < 0.4 }
        : { planId: plan.id, amount: plan.amount };
    await this.#history.start('change of a subscription', ({ clients }) =>
      updateSubscription(world.subscriptions(clients), request, update),
    );
  }

  async #refund(): Promise<void> {
    const sale = this.#history.pick((await this.#history.state()).sales);
    if (sale === undefined) return;
    const { chargeId: charge, sellerId, gross } = sale;
    const part = { cents: this.#cents(Number(gross / NANO_PER_CENT)) };
    const body = { charge, key: `key ${this.#cents(3)}`, ...(this.#draw() < 0.4 ? {} : part) };
    await this.#history.start('refund', ({ clients }) => this.#history.world.refund(sellerId, body, clients));
  }

  async #transfer(): Promise<void> {
    const { id = '' } = this.#history.pick(this.#history.sellers) ?? {};
    const body = { amount: BigInt(this.#cents(3_000)) * NANO_PER_CENT, key: `key ${this.#cents(5)}` };
    await this.#history.start('transfer', ({ clients }) => this.#history.world.transfer(id, body, clients));
  }

  async #requestPayout(): Promise<void> {
    const { id = '' } = this.#history.pick(this.#history.sellers) ?? {};
    const amount = this.#draw() < 0.5 ? undefined : BigInt(999 + this.#cents(5_000)) * NANO_PER_CENT;
    await this.#history.start('payout', (worker) =>
      requestPayout(this.#history.payoutSystem(worker), id, amount),
    );
  }

  async #cancelPayout(): Promise<void> {
    const payout = this.#history.pick((await this.#history.state()).payouts);
    if (payout !== undefined)
      await this.#history.start('canceled payout', (worker) =>
        cancelPayout(this.#history.payoutSystem(worker), payout),
      );
  }

  async processPayouts(): Promise<void> {
    await this.#history.start('schedule of payouts', (worker) =>
      this.#history.world.processPayouts(this.#history.payoutSystem(worker), worker.clients),
    );
  }

  /** The bank pays a payout, or returns it. */
  async #settle(): Promise<void> {
    const { accounts } = this.#history.provider.sandbox;
    const payout = this.#history.pick(accounts.payouts);
    if (payout === undefined) return;
    const pick = this.#draw();
    if (payout.status === 'pending') await accounts.settle(payout.id, pick < 0.7 ? 'pay' : 'fail');
    else if (pick < 0.2) await accounts.settle(payout.id, 'return');
    await this.hint();
  }

  /** An event of the provider about a payout: late, repeated, or about nothing new. */
  async hint(): Promise<void> {
    const payout = this.#history.pick((await this.#history.state()).payouts);
    const { tables } = this.#history.options.database;
    if (payout !== undefined)
      await this.#history.start('event of a payout', ({ clients }) =>
        hintPayout(clients.client, tables.market, payout, this.#history.world.nowSeconds),
      );
  }

  async #changeProvider(): Promise<void> {
    const { sandbox } = this.#history.provider;
    const pick = this.#draw();
    const account = sandbox.accounts.account(this.#history.pick(this.#history.sellers)?.providerId ?? '');
    if (pick < 0.3) account.hasBank = !account.hasBank;
    else if (pick < 0.6) account.state = account.state === 'active' ? 'rejected' : 'active';
    else if (pick < 0.8) {
      const { platform } = sandbox.accounts;
      platform.balance += platform.balance > 0 ? -PLATFORM_CENTS : PLATFORM_CENTS;
    } else sandbox.fail(pick < 0.9 ? 'POST /v1/transfers' : 'POST /v1/payouts', 'rate limit');
  }

  /** Ends the troubles of the provider, and has the bank pay what is under way. */
  async heal(): Promise<void> {
    const { accounts } = this.#history.provider.sandbox;
    for (const { providerId } of this.#history.sellers)
      Object.assign(accounts.account(providerId), { hasBank: true, state: 'active' });
    if (accounts.platform.balance <= 0) accounts.platform.balance += PLATFORM_CENTS;
    for (const { id, status } of accounts.payouts) if (status === 'pending') await accounts.settle(id, 'pay');
    const { client, tables } = this.#history.options.database;
    for (const payout of (await this.#history.reread()).payouts)
      await hintPayout(client, tables.market, payout, this.#history.world.nowSeconds);
    await this.#history.reread();
  }
}
