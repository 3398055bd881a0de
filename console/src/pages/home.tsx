/** Home: the balance, what is held, what the month has cost, and the last calls. */
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { useBalance, useCalls, useKeys, useSums } from '../api/queries.ts';
import type { Sums } from '../api/types.ts';
import { Badge, countText, Empty, Loaded, Money, PageHead, Panel } from '../parts/basics.tsx';
import { CallTable } from '../parts/call-table.tsx';
import type { DaySpend } from '../parts/spend-chart.tsx';

const SpendChart = lazy(async () => ({ default: (await import('../parts/spend-chart.tsx')).SpendChart }));

const DAY = 86_400;

/** The first second of this month, UTC. */
export function monthStart(now = new Date()): number {
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) / 1000;
}

/** Every day since `start`, those without a call too. */
export function daysOf(sums: Sums, start: number, nowSeconds: number): readonly DaySpend[] {
  const spent = new Map<number, bigint>();
  for (const { start: day, cost } of sums.data) spent.set(day, (spent.get(day) ?? 0n) + cost);
  const count = Math.floor((nowSeconds - start) / DAY) + 1;
  return Array.from({ length: count }, (_, at) => {
    const day = start + at * DAY;
    return { start: day, cost: spent.get(day) ?? 0n };
  });
}

/** What each model has cost, the dearest first. */
export function byModel(sums: Sums) {
  const models = new Map<string, { cost: bigint; calls: number }>();
  for (const { model, cost, calls } of sums.data) {
    const name = model ?? 'unknown';
    const { cost: before, calls: made } = models.get(name) ?? { cost: 0n, calls: 0 };
    models.set(name, { cost: before + cost, calls: made + calls });
  }
  return [...models].toSorted(([, a], [, b]) => (a.cost < b.cost ? 1 : -1));
}

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
          You have no API key yet. <Link to="/start">Make one and see your first call here</Link>.
        </p>
      ) : null}
      <Figures />
      <Month />
      <LastCalls />
    </div>
  );
}

function Figures() {
  const balance = useBalance();
  const start = monthStart();
  const month = useSums({ start, interval: 'day', groupBy: 'model' });
  return (
    <div className="columns">
      <Panel>
        <dl className="figure">
          <dt>Balance</dt>
          <dd data-testid="balance">
            <Loaded query={balance}>{({ balance: nano }) => <Money nano={nano} large />}</Loaded>
          </dd>
        </dl>
        {balance.data !== undefined && balance.data.owed > 0n ? (
          <p className="small">
            <Badge tone="bad">Owed</Badge> <Money nano={balance.data.owed} /> after a refund or dispute.
          </p>
        ) : null}
      </Panel>
      <Panel>
        <dl className="figure">
          <dt>Held by open calls</dt>
          <dd data-testid="held">
            <Loaded query={balance}>{({ held }) => <Money nano={held} large />}</Loaded>
          </dd>
        </dl>
      </Panel>
      <Panel>
        <dl className="figure">
          <dt>Spent this month (UTC)</dt>
          <dd data-testid="month">
            <Loaded query={month}>{({ total }) => <Money nano={total.cost} large />}</Loaded>
          </dd>
        </dl>
        {month.data === undefined ? null : (
          <p className="small quiet">
            {countText(month.data.total.calls)} calls{month.data.complete ? '' : ', still counting'}
          </p>
        )}
      </Panel>
    </div>
  );
}

function Month() {
  const start = monthStart();
  const month = useSums({ start, interval: 'day', groupBy: 'model' });
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
          {(sums) => {
            const models = byModel(sums).slice(0, 6);
            if (models.length === 0) return <Empty>No calls this month.</Empty>;
            return (
              <div className="scroll">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Model</th>
                      <th scope="col" className="right">
                        Calls
                      </th>
                      <th scope="col" className="right">
                        Cost
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {models.map(([model, { cost, calls }]) => (
                      <tr key={model}>
                        <td className="break">
                          <Link to="/activity" search={{ model }}>
                            {model}
                          </Link>
                        </td>
                        <td className="right">{countText(calls)}</td>
                        <td className="right">
                          <Money nano={cost} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            );
          }}
        </Loaded>
      </Panel>
    </div>
  );
}

function LastCalls() {
  const calls = useCalls({}, 10);
  return (
    <Panel title="Last calls" flush aside={<Link to="/activity">All activity</Link>}>
      <Loaded query={calls}>
        {({ pages }) => <CallTable calls={pages.flatMap(({ data }) => data).slice(0, 10)} />}
      </Loaded>
    </Panel>
  );
}
