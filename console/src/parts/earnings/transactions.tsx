/** The transactions of a seller, each sale with its state, the time of its next check, and its refund. */
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { centsOf, usdField } from '../../api/money.ts';
import { EARNINGS_TRANSACTIONS, refreshSales } from '../../api/sales.ts';
import type { EarningsTransactionBody } from '../../api/types.ts';
import { Badge, Money, Time } from '../basics.tsx';
import { DialogButton } from '../dialog.tsx';
import { Form, Input } from '../form.tsx';
import type { Column } from '../table.tsx';
import { TablePages } from '../table-pages.tsx';

type Sale = NonNullable<EarningsTransactionBody['sale']>;

/** The transactions of a seller, whose available earnings cover the refunds of sales that have matured. */
export const Transactions = ({ available }: { readonly available: bigint }) => (
  <TablePages<EarningsTransactionBody>
    path="/api/v1/earnings/transactions"
    queryKey={EARNINGS_TRANSACTIONS}
    title="Transactions"
    columns={columnsOf(available)}
    idOf={({ id }) => id}
    empty="No transactions yet. A sale of one of your listings is the first."
  />
);

const columnsOf = (available: bigint): readonly Column<EarningsTransactionBody>[] => [
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
        <Refund charge={charge} sale={sale} available={available} />
      ) : null,
  },
];

/** A sale stays matured when its proceeds have been paid out: the available earnings are another amount. */
const STATES = {
  pending: ['pending', 'warn'],
  available: ['matured', 'good'],
  credited: ['credited', ''],
  reversed: ['reversed', 'bad'],
} as const;

function SaleState({ of: sale }: { readonly of: Sale | null }) {
  if (sale === null) return null;
  const [state, tone] = STATES[sale.status];
  return (
    <div>
      <Badge tone={tone}>{state}</Badge>
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
  if (payable) return <div>Available on {date}</div>;
  return <div>Paid by granted credit, in full or in part: all of it becomes credit on {date}</div>;
}

interface RefundOptions {
  readonly charge: string;
  readonly sale: Sale;
  readonly available: bigint;
}

function Refund(options: RefundOptions) {
  if (options.sale.status !== 'pending' && options.available <= 0n)
    return <span className="small quiet">No earnings are available for a refund</span>;
  return (
    <DialogButton text="Refund" title="Refund a sale" className="button small">
      {(close) => <RefundForm {...options} onClose={close} />}
    </DialogButton>
  );
}

/** Returns what a refund of everything ends: of a subscription, only the charge for the current period counts. */
const refundEnd = (charge: string): string =>
  charge.startsWith('sub_')
    ? 'A refund of everything that was paid for the current period ends the subscription.'
    : 'A refund of everything ends the purchase.';

function RefundForm({ charge, sale, available, onClose }: RefundOptions & { readonly onClose: () => void }) {
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
      {sale.status === 'pending' ? null : (
        <p>
          The sale has matured: the refund, less its part of the fee, is taken from your available earnings,{' '}
          <Money nano={available} />.
        </p>
      )}
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
