/** Webhooks: the addresses that events are sent to. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { queryClient, useWebhooks } from '../api/queries.ts';
import type { NewWebhook, Webhook } from '../api/types.ts';
import { EVENTS } from '../api/values.ts';
import { Badge, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Dialog, Form, Input } from '../parts/form.tsx';
import { SecretShown } from '../parts/secret-shown.tsx';
import { type Column, Table } from '../parts/table.tsx';

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
          {(list) => <Table columns={COLUMNS} rows={list} idOf={({ id }) => id} empty="No webhooks yet." />}
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

const COLUMNS: readonly Column<Webhook>[] = [
  {
    head: 'Address',
    of: 'break',
    cell: ({ id, url, description }) => (
      <>
        <Link to="/webhooks/$id" params={{ id }}>
          {url}
        </Link>
        {description === undefined ? null : <div className="small quiet break">{description}</div>}
      </>
    ),
  },
  { head: 'State', cell: (webhook) => <WebhookState of={webhook} /> },
  { head: 'Events', of: 'small', cell: ({ events }) => `${events.length} of ${EVENTS.length}` },
  { head: 'Made', cell: ({ created }) => <Time at={created} /> },
];

function AddWebhook({ onClose }: { readonly onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<readonly string[]>(EVENTS);
  const [made, setMade] = useState<NewWebhook>();
  const add = async () => {
    const body = { url, events, ...(description === '' ? {} : { description }) };
    setMade(await call<NewWebhook>('/api/v1/webhooks', { method: 'POST', body }));
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
  };
  if (made !== undefined) {
    return (
      <Dialog title="The signing secret" onClose={onClose}>
        <SecretShown secret={made.secret} label="Signing secret" onDone={onClose}>
          Copy the secret now: it cannot be shown again.
        </SecretShown>
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

const EventChoice = ({
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
