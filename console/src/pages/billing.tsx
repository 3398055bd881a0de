/** Billing: purchases of credit on the payment provider's page, orders, refunds and the debt. */
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { dateOf, isSpan } from '../api/day-span.ts';
import { useBalance, useOrders } from '../api/queries.ts';
import { statementPath } from '../api/statements.ts';
import type { OrderBody } from '../api/types.ts';
import { dayStart, monthStart } from '../api/usage-rollups.ts';
import { webAddress } from '../api/web-address.ts';
import { Alerts } from '../parts/alerts.tsx';
import { Badge, Loaded, Money, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Charges } from '../parts/charges.tsx';
import { Input, SpanProblem } from '../parts/form.tsx';
import { Statements } from '../parts/statement.tsx';
import { type Column, CsvButton, TablePanel } from '../parts/table.tsx';
import { PaymentResult, TopUp } from '../parts/top-up.tsx';

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
  const { order, outcome } = useSearch({ from: '/billing' });
  return (
    <div className="page">
      <PageHead title="Billing" about="Prepaid: a call is rejected before it costs more than the balance." />
      {order === undefined ? null : <PaymentResult of={order} canceled={outcome === 'canceled'} />}
      <div className="columns">
        <Standing />
        <TopUp title="Add credit" />
      </div>
      <Alerts />
      <SpannedStatements />
      <TablePanel
        query={orders}
        title="Orders"
        columns={COLUMNS}
        idOf={({ order_id: id }) => id}
        empty="No orders yet. An order is made when you continue to payment."
      />
    </div>
  );
}

/** The statements of the days that the reader chooses; at first, of this month. */
function SpannedStatements() {
  const [from, setFrom] = useState(() => dateOf(monthStart()));
  const [to, setTo] = useState(() => dateOf(dayStart()));
  const hasSpan = isSpan({ from, to });
  return (
    <section className="stack" aria-label="Statement">
      <div className="row">
        <Input label="From (UTC)" type="date" value={from} onChange={setFrom} />
        <Input label="To (UTC)" type="date" value={to} onChange={setTo} />
        {hasSpan ? (
          <CsvButton path={statementPath({ from, to }, 'csv')} filename={`statement-${from}-to-${to}.csv`} />
        ) : null}
      </div>
      {hasSpan ? (
        <>
          <Statements span={{ from, to }} title="in this span" />
          <Charges span={{ from, to }} />
        </>
      ) : (
        <SpanProblem />
      )}
    </section>
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

const COLUMNS: readonly Column<OrderBody>[] = [
  { head: 'Order', cell: ({ order_id: id }) => <span className="mono small">{id}</span> },
  { head: 'Created', cell: ({ created }) => <Time at={created} /> },
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
