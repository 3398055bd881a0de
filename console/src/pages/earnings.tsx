/** Earnings: the proceeds of the account's listings, their transactions and refunds, and payouts to the bank. */
import { useState } from 'react';
import { call } from '../api/client.ts';
import { usdField } from '../api/money.ts';
import { refreshSales, useEarnings } from '../api/sales.ts';
import type { EarningsBody } from '../api/types.ts';
import { Facts, Loaded, MetricCard, Money, PageHead, Time, ZoneNote } from '../parts/basics.tsx';
import { DialogButton } from '../parts/dialog.tsx';
import { Payouts } from '../parts/earnings/payouts.tsx';
import { Transactions } from '../parts/earnings/transactions.tsx';
import { Form, Input } from '../parts/form.tsx';

export function Earnings() {
  const earnings = useEarnings();
  return (
    <div className="page">
      <PageHead
        title="Earnings"
        about="Proceeds of your listings: pending for some days, then available for payouts, or as credit."
      />
      <Loaded query={earnings}>
        {(data) => (
          <>
            <Standing of={data} />
            <Payouts of={data} />
            <Transactions available={data.available} />
          </>
        )}
      </Loaded>
      <ZoneNote />
    </div>
  );
}

function Standing({ of: earnings }: { readonly of: EarningsBody }) {
  const { pending, available, in_transit: inTransit, paid_out: paidOut, next_available: next } = earnings;
  return (
    <>
      <div className="columns">
        <MetricCard title="Pending" value={<Money nano={pending} large />} test="pending">
          {next === null ? null : (
            <p className="small quiet">
              The next sale is due on <Time at={next} day />
            </p>
          )}
        </MetricCard>
        <MetricCard title="Available" value={<Money nano={available} large />} test="available">
          {available > 0n ? <Transfer available={available} /> : null}
        </MetricCard>
        <MetricCard title="In transit" value={<Money nano={inTransit} large />} test="in-transit" />
        <MetricCard title="Paid out" value={<Money nano={paidOut} large />} test="paid-out" />
      </div>
      <Facts
        of={{
          'Became credit': <Money nano={earnings.transferred} />,
          'Proceeds of all sales, less refunds': <Money nano={earnings.received} />,
          'Fees of these sales': <Money nano={earnings.fees} />,
        }}
      />
    </>
  );
}

const Transfer = ({ available }: { readonly available: bigint }) => (
  <DialogButton text="Turn into credit" className="button small">
    {(close) => <TransferForm available={available} onClose={close} />}
  </DialogButton>
);

interface TransferOptions {
  readonly available: bigint;
  readonly onClose: () => void;
}

function TransferForm({ available, onClose }: TransferOptions) {
  const [amount, setAmount] = useState(usdField(available));
  // A second attempt after a lost response is the same request.
  const [request] = useState(() => crypto.randomUUID());
  const transfer = async () => {
    await call('/api/v1/earnings/transfer', {
      method: 'POST',
      body: { amount },
      headers: { 'idempotency-key': request },
    });
    await refreshSales();
    onClose();
  };
  return (
    <Form submit="Turn into credit" onSubmit={transfer} onCancel={onClose} labels={{ amount: 'Amount, USD' }}>
      <Input
        label="Amount, USD"
        type="number"
        min="0.01"
        step="any"
        value={amount}
        onChange={setAmount}
        required
        hint="It pays for calls and purchases at once, and cannot be paid out any more."
      />
    </Form>
  );
}
