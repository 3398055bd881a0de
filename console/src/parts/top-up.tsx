/** Adding credit on the payment provider's page, and how a payment ended. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { queryClient, useCalls, useOrder } from '../api/queries.ts';
import type { OrderBody } from '../api/types.ts';
import { ORDER_USD } from '../api/values.ts';
import { webAddress } from '../api/web-address.ts';
import { Money, Panel } from './basics.tsx';
import { Form, Input } from './form.tsx';

const { min, max } = ORDER_USD;

export function TopUp({ title }: { readonly title: string }) {
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
    <Panel title={title}>
      <Form submit="Continue to payment" onSubmit={order} labels={{ amount: 'Amount, USD' }}>
        <Input
          label="Amount, USD"
          type="number"
          min={min}
          max={max}
          step="0.01"
          value={amount}
          onChange={setAmount}
          required
          hint={`At least $${Number(min).toFixed(2)}, at most $${Number(max).toLocaleString('en-US')}. You pay at the payment provider's page.`}
        />
      </Form>
    </Panel>
  );
}

/**
 * The end of a payment that the browser has just returned from, as the service reports it. The provider's own word, in
 * the address, counts only while the order is open: anybody can write an address.
 */
export function PaymentResult({ of: id, canceled }: { readonly of: string; readonly canceled: boolean }) {
  const { data: order } = useOrder(id);
  if (order === undefined) return null;
  const { status, amount } = order;
  if (status === 'pending' && canceled)
    return (
      <p className="note warn" role="status">
        Payment canceled: nothing was charged. The order of <Money nano={amount} /> is below, and can still be
        paid.
      </p>
    );
  if (status === 'pending')
    return (
      <p className="note" role="status">
        Waiting until the payment provider confirms <Money nano={amount} /> …
      </p>
    );
  if (status !== 'paid')
    return (
      <p className="note warn" role="status">
        The order of <Money nano={amount} /> is {status.replace('_', ' ')}.
      </p>
    );
  return (
    <p className="note good" role="status">
      <Money nano={amount} /> received. <NextStep />
    </p>
  );
}

/** The use of the credit: an account without calls makes its first. */
function NextStep() {
  const calls = useCalls({}, 1);
  return calls.data?.pages[0]?.data.length === 0 ? <Link to="/start">Make your first call</Link> : null;
}
