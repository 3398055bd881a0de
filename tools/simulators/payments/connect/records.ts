/** The records of connected accounts (Stripe API reference, Accounts v2, Transfers, Payouts). */

type AccountState = 'new' | 'active' | 'rejected';

export interface ConnectedAccount {
  readonly id: string;
  readonly country: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: number;
  state: AccountState;
  manual: boolean;
  hasBank: boolean;
  balance: number;
}

export interface TransferRecord {
  readonly id: string;
  readonly object: 'transfer';
  readonly amount: number;
  amount_reversed: number;
  readonly currency: 'usd';
  readonly destination: string;
  readonly transfer_group: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  reversed: boolean;
  readonly created: number;
}

export interface PayoutRecord {
  readonly id: string;
  readonly object: 'payout';
  readonly account: string;
  readonly amount: number;
  readonly currency: 'usd';
  readonly metadata: Readonly<Record<string, string>>;
  status: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled';
  failure_code: string | null;
  readonly arrival_date: number;
  readonly created: number;
}

export const noConnectRecords = () => ({
  accounts: {} as Record<string, ConnectedAccount>,
  links: {} as Record<string, { readonly account: string; readonly returnUrl: string }>,
  transfers: {} as Record<string, TransferRecord>,
  payouts: {} as Record<string, PayoutRecord>,
  platform: { balance: 100_000_000 },
});

const DETAILS = {
  new: [{ code: 'requirements_past_due', resolution: 'provide_info' }],
  active: [],
  rejected: [{ code: 'rejected_other', resolution: 'contact_stripe' }],
} as const;

const STATUS = { new: 'restricted', active: 'active', rejected: 'rejected' } as const;

export const accountBody = ({ id, country, state, metadata: of, created }: ConnectedAccount) => ({
  id,
  object: 'v2.core.account',
  applied_configurations: ['recipient'],
  closed: false,
  configuration: {
    recipient: {
      applied: true,
      capabilities: {
        stripe_balance: { stripe_transfers: { status: STATUS[state], status_details: DETAILS[state] } },
      },
    },
  },
  identity: { country },
  created: new Date(created * 1000).toISOString(),
  dashboard: 'express',
  livemode: false,
  metadata: of,
});
