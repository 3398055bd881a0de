/** The ports of payouts: the provider that moves the money, and the store of facts and balances. */
import type { Page } from '../../../platform/core/api/paging.ts';
import type { PublishedEvent } from '../../../webhooks/core/event.ts';
import type { EarningsTransaction } from '../earnings/ports.ts';
import type { Sale, SellerBalance } from '../earnings/sale.ts';
import type { Payout, PayoutKey } from './payout.ts';

export const PAYOUT_SCHEDULES = ['manual', 'weekly', 'monthly'] as const;
export type PayoutSchedule = (typeof PAYOUT_SCHEDULES)[number];

/** `onboarding`: the provider waits for the seller; `restricted`: it does not accept the account. */
export const ACCOUNT_STATUSES = ['onboarding', 'active', 'restricted'] as const;
export type PayoutAccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** The account to which a seller is paid. */
export interface PayoutAccount {
  readonly sellerId: string;
  /** The account at the provider. */
  readonly providerId: string;
  /** ISO 3166. */
  readonly country: string;
  readonly schedule: PayoutSchedule;
  /** Scheduled payouts of less wait for the next date. In cents. */
  readonly minimum: number;
  /** The next scheduled payout; seconds since the epoch. */
  readonly dueAt: number | undefined;
}

/** A payout as the provider has it. */
export interface ProviderPayout {
  readonly id: string;
  readonly status: 'pending' | 'paid' | 'failed' | 'canceled';
  readonly failureCode: string | undefined;
  readonly arrivalDate: number;
}

/** The provider has rejected the request: the same request would be rejected again. */
export interface ProviderRefusal {
  readonly refused: string;
}

/** Each function throws 503 `payment_provider_unavailable` if it does not know whether it has had an effect. */
export interface PayoutProvider {
  /** Creates an account; the same again creates no other one. */
  createAccount(sellerId: string, country: string): Promise<string | ProviderRefusal>;
  /** Returns a page on which the seller gives what the provider needs to know; it leads back to `returnUrl`. */
  onboardingPage(
    providerId: string,
    returnUrl: string,
  ): Promise<{ readonly url: string; readonly expires: number }>;
  accountStatus(providerId: string): Promise<PayoutAccountStatus>;
  /** Returns the country of an account; ISO 3166. */
  accountCountry(providerId: string): Promise<string>;
  findTransfer(payout: Payout): Promise<string | undefined>;
  createTransfer(payout: Payout, providerId: string, key: string): Promise<string | ProviderRefusal>;
  findPayout(payout: Payout, providerId: string): Promise<ProviderPayout | undefined>;
  createPayout(payout: Payout, providerId: string, key: string): Promise<ProviderPayout | ProviderRefusal>;
  readPayout(id: string, providerId: string): Promise<ProviderPayout>;
  isReversed(transfer: string): Promise<boolean>;
  /** Returns undefined if the money is back. */
  reverse(transfer: string, key: string): Promise<ProviderRefusal | undefined>;
  /** Returns the pages of all transfers of this service, newest first. */
  transfers(): AsyncIterable<readonly ProviderTransfer[]>;
}

export interface ProviderTransfer {
  readonly id: string;
  readonly key: PayoutKey;
  readonly amountCents: number;
  readonly providerId: string;
  readonly created: number;
  readonly reversed: boolean;
}

/** A seller's balance, with what decides whether a payout may start. */
export interface SellerState {
  readonly balance: SellerBalance;
  readonly openPayouts: number;
  readonly paused: boolean;
  /** More days until a sale matures than those of all sellers. */
  readonly maturityDays: number | undefined;
}

export interface PayoutStore {
  seller(sellerId: string): Promise<SellerState>;
  /** The seller's sales. */
  sales(sellerId: string): AsyncIterable<Sale>;
  find(key: PayoutKey): Promise<Payout | undefined>;
  /** Newest first. */
  list(sellerId: string, limit: number, after?: string): Promise<Page<Payout>>;
  /**
   * Stores a payout and moves its amount. False if there is one of that id, another is open, payouts are paused, or the
   * available earnings do not cover it.
   */
  create(payout: Payout, transaction: EarningsTransaction): Promise<boolean>;
  /**
   * Stores the next version of a payout, with the change of the balance. False if it is no longer at the version of
   * `before`.
   */
  change(before: Payout, after: Payout, effects: PayoutEffects): Promise<boolean>;
  findAccount(sellerId: string): Promise<PayoutAccount | undefined>;
  /**
   * Stores an account's settings. False if another request has stored an account at the provider, or has changed the
   * settings since `before` was read.
   */
  saveAccount(account: PayoutAccount, before?: PayoutAccount): Promise<boolean>;
}

export interface PayoutEffects {
  readonly event: PublishedEvent | undefined;
  readonly transaction: EarningsTransaction | undefined;
}

/** The writes of a comparison with the provider. */
export interface PayoutAdoption {
  /** Stores a payout that was sent before. False if the available earnings do not cover it, or it exists. */
  adopt(payout: Payout, transaction: EarningsTransaction): Promise<boolean>;
  /** Returns whether this table has been compared with the provider since it was created or restored. */
  isReconciled(): Promise<boolean>;
  setReconciled(): Promise<void>;
}
