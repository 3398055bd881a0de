/** Webhooks: the addresses that events are sent to. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call, SERVICE } from '../api/client.ts';
import { queryClient, useEvents, useHasMarket, useWebhooks } from '../api/queries.ts';
import type { NewWebhook, Webhook } from '../api/types.ts';
import { EVENT_CAUSES, EVENTS_OF_MONEY, type EventName } from '../api/values.ts';
import { Badge, PageHead, Time } from '../parts/basics.tsx';
import { DialogButton } from '../parts/dialog.tsx';
import { Choices, Form, Input } from '../parts/form.tsx';
import { SecretShown } from '../parts/secret-shown.tsx';
import { type Column, TablePanel } from '../parts/table.tsx';

export function Webhooks() {
  const webhooks = useWebhooks();
  const subject = useHasMarket() ? "your listings' sales and reviews" : 'webhooks that fail';
  return (
    <div className="page">
      <PageHead title="Webhooks" about="Signed events, retried for 24 hours.">
        <DialogButton text="Add a webhook" className="button main">
          {(close) => <AddWebhook onClose={close} />}
        </DialogButton>
      </PageHead>
      <TablePanel
        query={webhooks}
        columns={COLUMNS}
        idOf={({ id }) => id}
        empty={
          <>
            No webhooks yet. Add one above to hear of {subject};{' '}
            <a href={`${SERVICE}/docs`}>the API reference</a> describes the events.
          </>
        }
      />
    </div>
  );
}

export const WebhookState = ({ of: { status, disabled_reason: reason } }: { readonly of: Webhook }) =>
  status === 'active' ? (
    <Badge tone="good">active</Badge>
  ) : (
    <Badge tone="warn">disabled{reason === undefined ? '' : `: ${reason}`}</Badge>
  );

const EventCount = ({ of: events }: { readonly of: Webhook['events'] }) =>
  `${events.length} of ${useEvents().length}`;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    head: 'Endpoint URL',
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
  { head: 'Events', of: 'small', cell: ({ events }) => <EventCount of={events} /> },
  { head: 'Created', cell: ({ created }) => <Time at={created} /> },
];

function AddWebhook({ onClose }: { readonly onClose: () => void }) {
  const [newWebhook, setNewWebhook] = useState<NewWebhook>();
  const add = async ({ description, ...rest }: WebhookInput) => {
    const body = { ...rest, ...(description === '' ? {} : { description }) };
    setNewWebhook(await call<NewWebhook>('/api/v1/webhooks', { method: 'POST', body }));
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
  };
  if (newWebhook !== undefined) {
    return (
      <SecretShown secret={newWebhook.secret} label="Signing secret" onDone={onClose}>
        Copy the secret now: it cannot be shown again.
      </SecretShown>
    );
  }
  return <WebhookForm submit="Add" onSubmit={add} onCancel={onClose} />;
}

interface WebhookInput {
  readonly url: string;
  readonly description: string;
  readonly events: readonly EventName[];
}

/** The form of a new webhook, or of one that there is. */
export function WebhookForm({
  of: webhook,
  submit,
  onSubmit,
  onCancel,
}: {
  readonly of?: Webhook;
  readonly submit: string;
  readonly onSubmit: (input: WebhookInput) => Promise<unknown>;
  readonly onCancel: () => void;
}) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const offered = useEvents();
  const [events, setEvents] = useState<readonly EventName[]>(
    offered.filter((event) => webhook?.events.includes(event) ?? !EVENTS_OF_MONEY.includes(event)),
  );
  return (
    <Form
      submit={submit}
      onSubmit={() => onSubmit({ url, description, events })}
      onCancel={onCancel}
      labels={{ url: 'Endpoint URL', events: 'Events', description: 'Description' }}
    >
      <Input
        label="Endpoint URL"
        type="url"
        value={url}
        onChange={setUrl}
        required
        placeholder="https://example.com/hook"
      />
      <Input label="Description" value={description} onChange={setDescription} />
      <fieldset className="stack tight">
        <legend>Events</legend>
        <Choices
          options={offered.map((event) => [event, <EventText key={event} of={event} />])}
          chosen={events}
          onChange={setEvents}
        />
      </fieldset>
    </Form>
  );
}

const EventText = ({ of: event }: { readonly of: EventName }) => (
  <>
    {event}
    <span className="small quiet"> {EVENT_CAUSES[event]}</span>
  </>
);
