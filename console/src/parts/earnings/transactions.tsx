/** The transactions of a seller, each sale with its state, the time of its next check, and its refund. */
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { centsOf, usdField } from '../../api/money.ts';
import { refreshSales } from '../../api/sales.ts';
import type { EarningsTransactionBody } from '../../api/types.ts';
import { Badge, Money, Time } from '../basics.tsx';
import { DialogButton } from '../dialog.tsx';
import { Form, Input } from '../form.tsx';
import type { Column } from '../table.tsx';
import { TablePages } from '../table-pages.tsx';

type Sale = NonNullable<EarningsTransactionBody['sale']>;

export const Transactions = () => (
  <TablePages<EarningsTransactionBody>
    path="/api/v1/earnings/transactions"
    queryKey={['earnings', 'transactions']}
    title="Transactions"
    columns={COLUMNS}
    idOf={({ id }) => id}
    empty="No transactions yet. A sale of one of your listings is the first."
  />
);

const COLUMNS: readonly Column<EarningsTransactionBody>[] = [
  { head: 'Created', cell: ({ created }) => <Time at={created} /> },
  {
    head: 'Type',
    cell: ({ type, charge, payout, sale }) => (
      <div>
        {type.replace('_', ' ')}
        {sale?.listing_name == null ? null : <div className="break">{sale.listing_name}</div>}
        <div className="mono small quiet break">{charge ?? payout}</div>
      </div>
    ),
  },
  { head: 'Amount', right: true, cell: ({ amount }) => <Money nano={amount} /> },
  { head: 'Sale', of: 'break', cell: ({ type, sale }) => (type === 'sale' ? <SaleState of={sale} /> : null) },
  {
    head: 'Refund',
    hidden: true,
    right: true,
    cell: ({ type, charge, sale }) =>
      type === 'sale' && charge !== null && sale !== null && sale.refunded < sale.price ? (
        <Refund charge={charge} sale={sale} />
      ) : null,
  },
];

const TONES = { pending: 'warn', available: 'good', credited: '', reversed: 'bad' } as const;

function SaleState({ of: sale }: { readonly of: Sale | null }) {
  if (sale === null) return null;
  return (
    <div>
      <Badge tone={TONES[sale.status]}>{sale.status}</Badge>
      <div className="small quiet">
        <Due of={sale} />
        {sale.refunded === 0n ? null : (
          <div>
            Refunded: <Money nano={sale.refunded} /> of <Money nano={sale.price} />
          </div>
        )}
      </div>
    </div>
  );
}

const HELD = {
  buyer_owes: "the buyer's payment was disputed or refunded",
  listing_removed: 'the listing was removed before the sale matured',
};

function Due({ of: { available_at: due, reason, payable } }: { readonly of: Sale }) {
  if (due === null) return null;
  const date = <Time at={due} day />;
  if (reason !== null)
    return (
      <div>
        Held: {HELD[reason]}. Checked again on {date}
      </div>
    );
  return payable ? <div>Available on {date}</div> : <div>Paid by granted credit: credit on {date}</div>;
}

interface RefundOptions {
  readonly charge: string;
  readonly sale: Sale;
}

const Refund = (options: RefundOptions) => (
  <DialogButton text="Refund" title="Refund a sale" className="button small">
    {(close) => <RefundForm {...options} onClose={close} />}
  </DialogButton>
);

/** Returns what a refund of everything ends: of a subscription, only the charge for the current period counts. */
const refundEnd = (charge: string): string =>
  charge.startsWith('sub_')
    ? 'A refund of everything that was paid for the current period ends the subscription.'
    : 'A refund of everything ends the purchase.';

function RefundForm({ charge, sale, onClose }: RefundOptions & { readonly onClose: () => void }) {
  const whole = usdField(sale.price - sale.refunded);
  const [amount, setAmount] = useState(whole);
  // A second attempt after a lost response is the same request.
  const [request] = useState(() => crypto.randomUUID());
  const refund = async () => {
    await call('/api/v1/refunds', {
      method: 'POST',
      body: { charge, amount: centsOf(amount) },
      headers: { 'idempotency-key': request },
    });
    await refreshSales();
    onClose();
  };
  return (
    <Form submit="Refund" onSubmit={refund} onCancel={onClose} labels={{ amount: 'Amount, USD' }}>
      <p>
        {sale.listing_name ?? 'A listing that was removed'}, <Money nano={sale.price} />
        {sale.refunded === 0n ? null : (
          <>
            , of which <Money nano={sale.refunded} /> is refunded already
          </>
        )}
        .
      </p>
      <Input
        label="Amount, USD"
        type="number"
        min="0.01"
        max={whole}
        step="0.01"
        value={amount}
        onChange={setAmount}
        required
        hint={`The buyer receives it as credit. ${refundEnd(charge)}`}
      />
    </Form>
  );
}
