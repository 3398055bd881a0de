/** Payouts: the account at the payment provider, its schedule, and the payouts to the bank. */
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { centsField, centsOf, parseUsd } from '../../api/money.ts';
import { centsNano } from '../../api/plans.ts';
import { refreshSales, usePayouts } from '../../api/sales.ts';
import type { EarningsBody, PayoutBody } from '../../api/types.ts';
import { MIN_PAYOUT_USD } from '../../api/values.ts';
import { Badge, Money, Panel, Time } from '../basics.tsx';
import { Confirmed, DialogButton } from '../dialog.tsx';
import { Form, Input } from '../form.tsx';
import { type Column, TablePanel } from '../table.tsx';
import { PayoutAccount } from './payout-account.tsx';

export function Payouts({ of: { available, payouts: settings } }: { readonly of: EarningsBody }) {
  const payouts = usePayouts();
  return (
    <>
      <Panel
        title="Payout account"
        {...(settings.status === 'active' ? { aside: <NewPayout available={available} /> } : {})}
      >
        <PayoutAccount of={settings} />
      </Panel>
      <TablePanel
        query={payouts}
        title="Payouts"
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={`No payouts yet. A payout is at least $${MIN_PAYOUT_USD}.`}
      />
    </>
  );
}

const TONES = { pending: 'warn', in_transit: 'warn', paid: 'good', failed: 'bad', canceled: '' } as const;

const COLUMNS: readonly Column<PayoutBody>[] = [
  { head: 'Payout', of: 'break', cell: ({ id }) => <span className="mono small">{id}</span> },
  { head: 'Created', cell: ({ created }) => <Time at={created} /> },
  {
    head: 'Status',
    cell: ({ status, failure_code: code }) => (
      <span>
        <Badge tone={TONES[status]}>{status.replace('_', ' ')}</Badge>{' '}
        {code === null ? null : <span className="small quiet">{code.replaceAll('_', ' ')}</span>}
      </span>
    ),
  },
  { head: 'Arrival', cell: ({ arrival_date: at }) => (at === null ? '–' : <Time at={at} day />) },
  { head: 'Amount', right: true, cell: ({ amount }) => <Money nano={centsNano(amount)} /> },
  {
    head: 'Cancel',
    hidden: true,
    right: true,
    cell: (payout) => (payout.status === 'pending' ? <CancelPayout of={payout} /> : null),
  },
];

const CancelPayout = ({ of: { id } }: { readonly of: PayoutBody }) => (
  <Confirmed
    text="Cancel the payout"
    dismiss="Keep the payout"
    question="Its amount is available again, if it has not been sent."
    action={async () => {
      await call(`/api/v1/payouts/${encodeURIComponent(id)}/cancel`, { method: 'POST' });
      await refreshSales();
    }}
  />
);

const NewPayout = ({ available }: { readonly available: bigint }) =>
  available < parseUsd(MIN_PAYOUT_USD) ? (
    <span className="row">
      <span className="small quiet">At least ${MIN_PAYOUT_USD} must be available</span>
      <button type="button" className="button main small" disabled>
        Pay out
      </button>
    </span>
  ) : (
    <DialogButton text="Pay out" className="button main small">
      {(close) => <PayoutForm available={available} onClose={close} />}
    </DialogButton>
  );

interface PayoutOptions {
  readonly available: bigint;
  readonly onClose: () => void;
}

function PayoutForm({ available, onClose }: PayoutOptions) {
  // Less than a cent stays available.
  const [amount, setAmount] = useState(centsField(Number(available / centsNano(1))));
  const payOut = async () => {
    await call('/api/v1/payouts', { method: 'POST', body: { amount: centsOf(amount) } });
    await refreshSales();
    onClose();
  };
  return (
    <Form submit="Pay out" onSubmit={payOut} onCancel={onClose} labels={{ amount: 'Amount, USD' }}>
      <Input
        label="Amount, USD"
        type="number"
        min={MIN_PAYOUT_USD}
        step="0.01"
        value={amount}
        onChange={setAmount}
        required
        hint="To your bank, in some days. One payout is open at a time."
      />
    </Form>
  );
}
