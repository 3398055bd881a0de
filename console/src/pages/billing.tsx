/** Billing: credit is bought at the payment provider's own page; orders, refunds and what is owed. */
import { useState } from 'react';
import { call } from '../api/client.ts';
import { queryClient, useBalance, useOrders } from '../api/queries.ts';
import type { Order } from '../api/types.ts';
import { Badge, Empty, Loaded, Money, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Form, Input } from '../parts/form.tsx';

const TONES = {
  pending: 'warn',
  paid: 'good',
  partially_refunded: '',
  refunded: '',
  expired: '',
  failed: 'bad',
} as const;

/** Only a page of the web is gone to, whatever an answer says. */
export const webAddress = (address: string): string | undefined => {
  const url = URL.parse(address);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
};

export function Billing() {
  const orders = useOrders();
  return (
    <div className="page">
      <PageHead title="Billing" about="Prepaid: a call is refused before it costs more than there is." />
      <div className="columns">
        <Standing />
        <TopUp />
      </div>
      <Panel title="Orders" flush>
        <Loaded query={orders}>
          {(list) => (list.length === 0 ? <Empty>No orders yet.</Empty> : <OrderTable orders={list} />)}
        </Loaded>
      </Panel>
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
    const made = (await call<Order>('/api/create-order', {
      method: 'POST',
      body: { amount, currency: 'USD' },
      headers: { 'idempotency-key': crypto.randomUUID() },
    })) as Order;
    await queryClient.invalidateQueries({ queryKey: ['orders'] });
    const address = made.checkout_url === null ? undefined : webAddress(made.checkout_url);
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

const OrderTable = ({ orders }: { readonly orders: readonly Order[] }) => (
  <div className="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Made</th>
          <th scope="col">Status</th>
          <th scope="col" className="right">
            Amount
          </th>
          <th scope="col" className="right">
            Refunded
          </th>
          <th scope="col">
            <span className="hidden">Payment</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <tr key={order.order_id}>
            <td className="mono small">{order.order_id}</td>
            <td>
              <Time at={order.created} />
            </td>
            <td>
              <Badge tone={TONES[order.status]}>{order.status.replace('_', ' ')}</Badge>
            </td>
            <td className="right">
              <Money nano={order.amount} />
            </td>
            <td className="right">
              <Money nano={order.refunded} />
            </td>
            <td>
              <Pay order={order} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function Pay({ order: { status, checkout_url: url } }: { readonly order: Order }) {
  const address = url === null || status !== 'pending' ? undefined : webAddress(url);
  return address === undefined ? null : (
    <a href={address} rel="noreferrer">
      Pay
    </a>
  );
}
