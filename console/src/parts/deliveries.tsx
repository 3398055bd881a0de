/** The deliveries of a webhook, each with its attempts. */
import { useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { queryClient, useDeliveries } from '../api/queries.ts';
import type { DeliveryBody } from '../api/types.ts';
import { Badge, Time } from './basics.tsx';
import { useAction } from './form.tsx';
import { Problem } from './problem.tsx';
import { type Column, TablePanel } from './table.tsx';

/** The path of a webhook. */
export const pathOf = (id: string): string => `/api/v1/webhooks/${encodeURIComponent(id)}`;

/** Refreshes the cached data of a webhook. */
export const refresh = async (id: string): Promise<void> => {
  for (const queryKey of [['webhook', id], ['deliveries', id], ['webhooks']])
    await queryClient.invalidateQueries({ queryKey });
};

/** The service names the events that an owner sends as a test. */
const isTest = (eventId: string): boolean => eventId.startsWith('evt_test_');

const TONES = { pending: 'warn', delivered: 'good', dead: 'bad' } as const;

export function Deliveries({ id }: { readonly id: string }) {
  const deliveries = useDeliveries(id);
  const outcomes = deliveries.data?.map(({ id: delivery, attempt_count: count }) => `${delivery} ${count}`);
  const state = outcomes?.join();
  // The figures above follow the rows, which are requested more often.
  useEffect(() => {
    if (state !== undefined) queryClient.invalidateQueries({ queryKey: ['webhook', id] });
  }, [id, state]);
  return (
    <TablePanel
      query={deliveries}
      title="Deliveries"
      columns={columnsOf(id)}
      idOf={({ id: delivery }) => delivery}
      empty="Nothing has been delivered yet. Send a test to see how your server answers."
    />
  );
}

const columnsOf = (webhookId: string): readonly Column<DeliveryBody>[] => [
  {
    head: 'Event',
    cell: ({ id, event_id: event, event_type: type }) => (
      <>
        <div>
          {type} {isTest(event) ? <Badge>test</Badge> : null}
        </div>
        <div className="small quiet mono break">{id}</div>
      </>
    ),
  },
  { head: 'Created', cell: ({ created }) => <Time at={created} /> },
  {
    head: 'Status',
    cell: ({ status, dead_reason: reason }) => (
      <Badge tone={TONES[status]}>
        {status}
        {reason === undefined ? '' : `: ${reason}`}
      </Badge>
    ),
  },
  { head: 'Attempts', cell: (delivery) => <Attempts of={delivery} /> },
  {
    head: 'Redeliver',
    hidden: true,
    right: true,
    cell: (delivery) => <Redeliver webhookId={webhookId} of={delivery} />,
  },
];

function Redeliver({ webhookId, of: delivery }: { readonly webhookId: string; readonly of: DeliveryBody }) {
  const isPending = delivery.status === 'pending';
  const [countBefore, setCountBefore] = useState<number>();
  const { run, busy, error } = useAction(async () => {
    const path = `${pathOf(webhookId)}/deliveries/${encodeURIComponent(delivery.id)}/redeliver`;
    await call(path, { method: 'POST' });
    setCountBefore(delivery.attempt_count);
    await refresh(webhookId);
  });
  return (
    <>
      <button
        type="button"
        className="button small"
        disabled={busy || isPending}
        title={isPending ? 'Not while it is pending' : undefined}
        onClick={() => run()}
      >
        Redeliver
      </button>
      {countBefore === undefined ? null : (
        <div role="status" className="small quiet">
          {delivery.attempt_count > countBefore ? 'sent again' : 'sending again …'}
        </div>
      )}
      <Problem error={error} />
    </>
  );
}

function Attempts({
  of: { attempts, attempt_count: count, next_attempt: next },
}: {
  readonly of: DeliveryBody;
}) {
  if (count === 0) return <span className="quiet">none yet</span>;
  return (
    <details>
      <summary>{count}</summary>
      <ol className="stack tight small">
        {attempts.map(
          ({ attempt, at, outcome, response_status: status, duration_ms: ms, response_body: body }) => (
            <li key={attempt}>
              <Time at={at} /> · {status ?? outcome} · {Math.round(ms)} ms
              {body === null || body === '' ? null : <div className="quiet break">{body}</div>}
            </li>
          ),
        )}
      </ol>
      {next === null ? null : (
        <p className="small quiet">
          next: <Time at={next} />
        </p>
      )}
    </details>
  );
}
