/** One webhook: how its deliveries go, each with its attempts. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, isNotFound } from '../api/client.ts';
import { queryClient, useEvents, useWebhook } from '../api/queries.ts';
import type { RotatedSecretBody, WebhookWithStatistics } from '../api/types.ts';
import { EVENT_CAUSES, type EventName } from '../api/values.ts';
import { countText, Loaded, MetricCard, NotFound, PageHead, Time } from '../parts/basics.tsx';
import { Deliveries, pathOf, refresh } from '../parts/deliveries.tsx';
import { Confirmed, DialogButton } from '../parts/dialog.tsx';
import { Form, Select, useAction } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { SecretShown } from '../parts/secret-shown.tsx';
import { WebhookForm, WebhookState } from './webhooks.tsx';

export function WebhookPage() {
  const { id } = useParams({ from: '/webhooks/$id' });
  const webhook = useWebhook(id);
  if (isNotFound(webhook.error))
    return <NotFound title="Webhook not found">Your account has no such webhook.</NotFound>;
  return <Loaded query={webhook}>{(data) => <WebhookView of={data} />}</Loaded>;
}

function WebhookView({ of: webhook }: { readonly of: WebhookWithStatistics }) {
  const navigate = useNavigate();
  const { id, status } = webhook;
  const change = async (body: object) => {
    await call(pathOf(id), { method: 'PATCH', body });
    await refresh(id);
  };
  const toggle = useAction(() => change({ status: status === 'active' ? 'disabled' : 'active' }));
  const remove = async () => {
    await call(pathOf(id), { method: 'DELETE' });
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    await navigate({ to: '/webhooks' });
  };
  return (
    <div className="page">
      <PageHead title="Webhook" about={<span className="break">{webhook.url}</span>}>
        <WebhookState of={webhook} />
        <DialogButton text="Send a test" title="Send a test event" className="button main">
          {(close) => <Test id={id} onClose={close} />}
        </DialogButton>
        <DialogButton text="Edit" title="Edit the webhook">
          {(close) => (
            <WebhookForm
              of={webhook}
              submit="Save"
              onSubmit={(body) => change(body).then(close)}
              onCancel={close}
            />
          )}
        </DialogButton>
        <DialogButton text="Rotate the secret" title="Rotate the signing secret">
          {(close) => <RotateSecret id={id} onClose={close} />}
        </DialogButton>
        <button type="button" className="button" disabled={toggle.busy} onClick={() => toggle.run()}>
          {status === 'active' ? 'Disable' : 'Enable'}
        </button>
        <Confirmed
          text="Delete"
          question="No event is sent there any more."
          action={remove}
          className="button bad"
        />
      </PageHead>
      <Problem error={toggle.error} />
      <Statistics of={webhook} />
      <Deliveries id={id} />
    </div>
  );
}

function Statistics({ of: { stats, events } }: { readonly of: WebhookWithStatistics }) {
  const { deliveries, success_rate: rate, p95_ms: p95 } = stats;
  const offered = useEvents();
  return (
    <div className="columns">
      <MetricCard title="Last deliveries" value={countText(deliveries)} />
      <MetricCard title="Delivered" value={rate === null ? '–' : `${(rate * 100).toFixed(1)} %`} />
      <MetricCard title="Answer within (p95)" value={p95 === null ? '–' : `${Math.round(p95)} ms`} />
      <MetricCard title="Events" value={`${events.length} of ${offered.length}`} />
    </div>
  );
}

function Test({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const events = useEvents();
  const [type, setType] = useState<EventName>(events[0] ?? 'endpoint.disabled');
  const send = async () => {
    await call(`${pathOf(id)}/test`, { method: 'POST', body: { type } });
    await refresh(id);
    onClose();
  };
  return (
    <Form submit="Send" onSubmit={send} onCancel={onClose}>
      <Select
        label="Event"
        value={type}
        onChange={(event) => setType(event as EventName)}
        options={events.map((each) => [each, each] as const)}
        hint={EVENT_CAUSES[type]}
      />
    </Form>
  );
}

function RotateSecret({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const [newSecret, setNewSecret] = useState<RotatedSecretBody>();
  const rotate = async () => {
    setNewSecret(await call<RotatedSecretBody>(`${pathOf(id)}/rotate-secret`, { method: 'POST' }));
  };
  if (newSecret === undefined)
    return (
      <Form submit="Rotate" onSubmit={rotate} onCancel={onClose}>
        <p>Events are signed with both secrets until the old one ends.</p>
      </Form>
    );
  return (
    <SecretShown secret={newSecret.secret} label="Signing secret" onDone={onClose}>
      Copy the secret now. The old one also signs until <Time at={newSecret.previous_secret_expires} />.
    </SecretShown>
  );
}
