/** Billing: purchases of credit on the payment provider's page, orders, refunds and the debt. */
import { useState } from 'react';
import { call } from '../api/client.ts';
import { queryClient, useBalance, useOrders } from '../api/queries.ts';
import type { OrderBody } from '../api/types.ts';
import { webAddress } from '../api/web-address.ts';
import { Badge, Loaded, Money, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Form, Input } from '../parts/form.tsx';
import { type Column, TablePanel } from '../parts/table.tsx';

const TONES = {
  pending: 'warn',
  paid: 'good',
  partially_refunded: '',
  refunded: '',
  expired: '',
  failed: 'bad',
} as const;

export function Billing() {
  const orders = useOrders();
  return (
    <div className="page">
      <PageHead title="Billing" about="Prepaid: a call is rejected before it costs more than the balance." />
      <div className="columns">
        <Standing />
        <TopUp />
      </div>
      <TablePanel
        query={orders}
        title="Orders"
        columns={COLUMNS}
        idOf={({ order_id: id }) => id}
        empty="No orders yet."
      />
    </div>
  );
}

function Standing() {
  const balance = useBalance();
  return (
    <Panel title="Balance">
      <Loaded query={balance}>
        {({ balance: nano, held, owed }) => (
          <div className="stack tight">
            <Money nano={nano} large />
            <p className="legend">
              <span>
                Held by open calls <Money nano={held} />
              </span>
              <span>
                Owed <Money nano={owed} />
              </span>
            </p>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function TopUp() {
  const [amount, setAmount] = useState('10');
  const order = async () => {
    const newOrder = await call<OrderBody>('/api/create-order', {
      method: 'POST',
      body: { amount, currency: 'USD' },
      headers: { 'idempotency-key': crypto.randomUUID() },
    });
    await queryClient.invalidateQueries({ queryKey: ['orders'] });
    const address = newOrder.checkout_url === null ? undefined : webAddress(newOrder.checkout_url);
    if (address === undefined) throw new Error('The order has no page to pay at.');
    location.assign(address);
  };
  return (
    <Panel title="Add credit">
      <Form submit="Continue to payment" onSubmit={order}>
        <Input
          label="Amount, USD"
          value={amount}
          onChange={setAmount}
          required
          hint="Paid at the payment provider's page."
        />
      </Form>
    </Panel>
  );
}

const COLUMNS: readonly Column<OrderBody>[] = [
  { head: 'Order', cell: ({ order_id: id }) => <span className="mono small">{id}</span> },
  { head: 'Made', cell: ({ created }) => <Time at={created} /> },
  {
    head: 'Status',
    cell: ({ status }) => <Badge tone={TONES[status]}>{status.replace('_', ' ')}</Badge>,
  },
  { head: 'Amount', right: true, cell: ({ amount }) => <Money nano={amount} /> },
  { head: 'Refunded', right: true, cell: ({ refunded }) => <Money nano={refunded} /> },
  { head: 'Payment', hidden: true, cell: (order) => <Pay order={order} /> },
];

function Pay({ order: { status, checkout_url: url } }: { readonly order: OrderBody }) {
  const address = url === null || status !== 'pending' ? undefined : webAddress(url);
  return address === undefined ? null : (
    <a href={address} rel="noreferrer">
      Pay
    </a>
  );
}
