/** Home: the balance, what is held, what the month has cost, and the last calls. */
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { dateOf } from '../api/day-span.ts';
import { useBalance, useCalls, useKeys, useUsageRollups } from '../api/queries.ts';
import { byModel, dayStart, daysOf, type ModelSpend, monthStart } from '../api/usage-rollups.ts';
import { Badge, countText, Loaded, MetricCard, Money, numberOf, PageHead, Panel } from '../parts/basics.tsx';
import { CallTable } from '../parts/call-table.tsx';
import { Statements } from '../parts/statement.tsx';
import { type Column, Table } from '../parts/table.tsx';

const SpendChart = lazy(async () => ({ default: (await import('../parts/spend-chart.tsx')).SpendChart }));

export function Home() {
  const keys = useKeys();
  return (
    <div className="page">
      <PageHead title="Home">
        <Link to="/billing" className="button main">
          Add credit
        </Link>
      </PageHead>
      {keys.data?.length === 0 ? (
        <p className="note">
          You have no API key yet. <Link to="/start">Create one and see your first call here</Link>.
        </p>
      ) : null}
      <AccountMetrics />
      <Statements span={{ from: dateOf(monthStart()), to: dateOf(dayStart()) }} title="this month (UTC)" />
      <Month />
      <LastCalls />
    </div>
  );
}

function AccountMetrics() {
  const balance = useBalance();
  const start = monthStart();
  const month = useUsageRollups({ start, interval: 'day', groupBy: 'model' });
  return (
    <div className="columns">
      <MetricCard
        title="Balance"
        test="balance"
        value={<Loaded query={balance}>{({ balance: nano }) => <Money nano={nano} large />}</Loaded>}
      >
        {balance.data !== undefined && balance.data.owed > 0n ? (
          <p className="small">
            <Badge tone="bad">Owed</Badge> <Money nano={balance.data.owed} /> after a refund or dispute.
          </p>
        ) : null}
      </MetricCard>
      <MetricCard
        title="Held by open calls"
        test="held"
        value={<Loaded query={balance}>{({ held }) => <Money nano={held} large />}</Loaded>}
      />
      <MetricCard
        title="Spent on calls this month (UTC)"
        test="month"
        value={<Loaded query={month}>{({ total }) => <Money nano={total.cost} large />}</Loaded>}
      >
        <p className="small quiet">
          {month.data === undefined
            ? '…'
            : `${numberOf(month.data.total.calls, 'call')}${month.data.complete ? '' : ', still counting'}`}
        </p>
      </MetricCard>
    </div>
  );
}

const COLUMNS: readonly Column<ModelSpend>[] = [
  {
    head: 'Model',
    of: 'break',
    cell: ({ model }) => (
      <Link to="/activity" search={{ model }}>
        {model}
      </Link>
    ),
  },
  { head: 'Calls', right: true, cell: ({ calls }) => countText(calls) },
  { head: 'Cost', right: true, cell: ({ cost }) => <Money nano={cost} /> },
];

function Month() {
  const start = monthStart();
  const month = useUsageRollups({ start, interval: 'day', groupBy: 'model' });
  const days = useMemo(
    () => (month.data === undefined ? [] : daysOf(month.data, start, Date.now() / 1000)),
    [month.data, start],
  );
  return (
    <div className="halves">
      <Panel title="Spend by day">
        <Suspense fallback={<div className="chart waiting" />}>
          <SpendChart days={days} />
        </Suspense>
      </Panel>
      <Panel title="By model" flush>
        <Loaded query={month}>
          {(rollups) => (
            <Table
              columns={COLUMNS}
              rows={byModel(rollups)}
              idOf={({ model }) => model}
              empty="No calls this month."
            />
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

function LastCalls() {
  const calls = useCalls({}, 10);
  return (
    <Panel title="Last calls" flush aside={<Link to="/activity">All activity</Link>}>
      <Loaded query={calls}>{({ pages }) => <CallTable calls={pages.flatMap(({ data }) => data)} />}</Loaded>
    </Panel>
  );
}
