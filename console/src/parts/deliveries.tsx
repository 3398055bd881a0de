/** The deliveries of a webhook, each with its attempts. */
import { call } from '../api/client.ts';
import { queryClient, useDeliveries } from '../api/queries.ts';
import type { Delivery } from '../api/types.ts';
import { Badge, Empty, Loaded, Panel, Problem, Time } from './basics.tsx';
import { useAction } from './form.tsx';

/** The path of a webhook. */
export const pathOf = (id: string): string => `/api/v1/webhooks/${encodeURIComponent(id)}`;

/** Asks again for what is known of a webhook. */
export const refresh = async (id: string): Promise<void> => {
  for (const queryKey of [['webhook', id], ['deliveries', id], ['webhooks']])
    await queryClient.invalidateQueries({ queryKey });
};

const TONES = { pending: 'warn', delivered: 'good', dead: 'bad' } as const;

export function Deliveries({ id }: { readonly id: string }) {
  const deliveries = useDeliveries(id);
  return (
    <Panel title="Deliveries" flush>
      <Loaded query={deliveries}>
        {(list) =>
          list.length === 0 ? (
            <Empty>Nothing has been delivered yet.</Empty>
          ) : (
            <div className="scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Event</th>
                    <th scope="col">Made</th>
                    <th scope="col">Status</th>
                    <th scope="col">Attempts</th>
                    <th scope="col">
                      <span className="hidden">Redeliver</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {list.map((delivery) => (
                    <DeliveryRow key={delivery.id} webhookId={id} of={delivery} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Panel>
  );
}

function DeliveryRow({ webhookId, of: delivery }: { readonly webhookId: string; readonly of: Delivery }) {
  const { run, busy, error } = useAction(async () => {
    const path = `${pathOf(webhookId)}/deliveries/${encodeURIComponent(delivery.id)}/redeliver`;
    await call(path, { method: 'POST' });
    await refresh(webhookId);
  });
  return (
    <tr>
      <td>
        <div>{delivery.event_type}</div>
        <div className="small quiet mono break">{delivery.id}</div>
      </td>
      <td>
        <Time at={delivery.created} />
      </td>
      <td>
        <Badge tone={TONES[delivery.status]}>
          {delivery.status}
          {delivery.dead_reason === undefined ? '' : `: ${delivery.dead_reason}`}
        </Badge>
      </td>
      <td>
        <Attempts of={delivery} />
      </td>
      <td className="right">
        <button
          type="button"
          className="button small"
          disabled={busy || delivery.status === 'pending'}
          onClick={() => run()}
        >
          Redeliver
        </button>
        <Problem error={error} />
      </td>
    </tr>
  );
}

function Attempts({ of: { attempts, attempt_count: count, next_attempt: next } }: { readonly of: Delivery }) {
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
