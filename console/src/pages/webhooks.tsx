/** Webhooks: the addresses that events are sent to. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { queryClient, useWebhooks } from '../api/queries.ts';
import type { NewWebhook, Webhook } from '../api/types.ts';
import { Badge, Code, Empty, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Dialog, Form, Input } from '../parts/form.tsx';

export const EVENTS = [
  'listing.installed',
  'purchase.completed',
  'subscription.created',
  'subscription.canceled',
  'app.build.scanned',
  'release.created',
  'release.rolled_back',
  'review.created',
  'payout.paid',
  'endpoint.disabled',
] as const satisfies readonly Webhook['events'][number][];

export function Webhooks() {
  const webhooks = useWebhooks();
  const [making, setMaking] = useState(false);
  return (
    <div className="page">
      <PageHead title="Webhooks" about="Signed events, retried for 24 hours.">
        <button type="button" className="button main" onClick={() => setMaking(true)}>
          Add a webhook
        </button>
      </PageHead>
      <Panel flush>
        <Loaded query={webhooks}>
          {(list) => (list.length === 0 ? <Empty>No webhooks yet.</Empty> : <WebhookTable webhooks={list} />)}
        </Loaded>
      </Panel>
      {making ? <AddWebhook onClose={() => setMaking(false)} /> : null}
    </div>
  );
}

export const WebhookState = ({ of: { status, disabled_reason: reason } }: { readonly of: Webhook }) =>
  status === 'active' ? (
    <Badge tone="good">active</Badge>
  ) : (
    <Badge tone="warn">disabled{reason === undefined ? '' : `: ${reason}`}</Badge>
  );

const WebhookTable = ({ webhooks }: { readonly webhooks: readonly Webhook[] }) => (
  <div className="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col">State</th>
          <th scope="col">Events</th>
          <th scope="col">Made</th>
        </tr>
      </thead>
      <tbody>
        {webhooks.map((webhook) => (
          <tr key={webhook.id}>
            <td className="break">
              <Link to="/webhooks/$id" params={{ id: webhook.id }}>
                {webhook.url}
              </Link>
              {webhook.description === undefined ? null : (
                <div className="small quiet break">{webhook.description}</div>
              )}
            </td>
            <td>
              <WebhookState of={webhook} />
            </td>
            <td className="small">
              {webhook.events.length} of {EVENTS.length}
            </td>
            <td>
              <Time at={webhook.created} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

function AddWebhook({ onClose }: { readonly onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<readonly string[]>(EVENTS);
  const [made, setMade] = useState<NewWebhook>();
  const add = async () => {
    const body = { url, events, ...(description === '' ? {} : { description }) };
    setMade((await call<NewWebhook>('/api/v1/webhooks', { method: 'POST', body })) as NewWebhook);
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
  };
  if (made !== undefined) {
    return (
      <Dialog title="The signing secret" onClose={onClose}>
        <p className="note warn">Copy the secret now: it cannot be shown again.</p>
        <Code text={made.secret} label="Signing secret" />
        <div className="row end">
          <button type="button" className="button main" onClick={onClose}>
            Done
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <Form submit="Add" onSubmit={add} onCancel={onClose}>
        <Input
          label="Address"
          type="url"
          value={url}
          onChange={setUrl}
          required
          placeholder="https://example.com/hook"
        />
        <Input label="Description" value={description} onChange={setDescription} />
        <EventChoice chosen={events} onChange={setEvents} />
      </Form>
    </Dialog>
  );
}

export const EventChoice = ({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (events: readonly string[]) => void;
}) => (
  <fieldset className="stack tight">
    <legend>Events</legend>
    <div className="columns tight">
      {EVENTS.map((event) => (
        <label key={event} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(event)}
            onChange={() =>
              onChange(chosen.includes(event) ? chosen.filter((each) => each !== event) : [...chosen, event])
            }
          />
          {event}
        </label>
      ))}
    </div>
  </fieldset>
);
