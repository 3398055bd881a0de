/** One webhook: how its deliveries go, each with its attempts. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { queryClient, useWebhook } from '../api/queries.ts';
import type { RotatedSecretBody, WebhookWithStatistics } from '../api/types.ts';
import { EVENTS } from '../api/values.ts';
import { countText, Loaded, PageHead, Panel, Problem, Time } from '../parts/basics.tsx';
import { Deliveries, pathOf, refresh } from '../parts/deliveries.tsx';
import { Confirmed, Dialog, Form, Select, useAction } from '../parts/form.tsx';
import { SecretShown } from '../parts/secret-shown.tsx';
import { WebhookState } from './webhooks.tsx';

export function WebhookPage() {
  const { id } = useParams({ from: '/webhooks/$id' });
  const webhook = useWebhook(id);
  return <Loaded query={webhook}>{(found) => <WebhookView of={found} />}</Loaded>;
}

function WebhookView({ of: webhook }: { readonly of: WebhookWithStatistics }) {
  const navigate = useNavigate();
  const { id, status } = webhook;
  const toggle = useAction(async () => {
    const body = { status: status === 'active' ? 'disabled' : 'active' };
    await call(pathOf(id), { method: 'PATCH', body });
    await refresh(id);
  });
  const remove = async () => {
    await call(pathOf(id), { method: 'DELETE' });
    await queryClient.invalidateQueries({ queryKey: ['webhooks'] });
    await navigate({ to: '/webhooks' });
  };
  return (
    <div className="page">
      <PageHead title="Webhook" about={<span className="break">{webhook.url}</span>}>
        <WebhookState of={webhook} />
        <Test id={id} />
        <RotateSecret id={id} />
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
  return (
    <div className="columns">
      <Panel>
        <dl className="figure">
          <dt>Last deliveries</dt>
          <dd className="number">{countText(deliveries)}</dd>
        </dl>
      </Panel>
      <Panel>
        <dl className="figure">
          <dt>Delivered</dt>
          <dd className="number">{rate === null ? '–' : `${(rate * 100).toFixed(1)} %`}</dd>
        </dl>
      </Panel>
      <Panel>
        <dl className="figure">
          <dt>Answer within (p95)</dt>
          <dd className="number">{p95 === null ? '–' : `${Math.round(p95)} ms`}</dd>
        </dl>
      </Panel>
      <Panel>
        <dl className="figure">
          <dt>Events</dt>
          <dd>
            {events.length} of {EVENTS.length}
          </dd>
        </dl>
      </Panel>
    </div>
  );
}

function Test({ id }: { readonly id: string }) {
  const [open, setOpen] = useState(false);
  const [type, setType] = useState<string>(EVENTS[0]);
  const close = () => setOpen(false);
  const send = async () => {
    await call(`${pathOf(id)}/test`, { method: 'POST', body: { type } });
    await refresh(id);
    close();
  };
  return (
    <>
      <button type="button" className="button main" onClick={() => setOpen(true)}>
        Send a test
      </button>
      {open ? (
        <Dialog title="Send a test event" onClose={close}>
          <Form submit="Send" onSubmit={send} onCancel={close}>
            <Select
              label="Event"
              value={type}
              onChange={setType}
              options={EVENTS.map((each) => [each, each] as const)}
            />
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}

function RotateSecret({ id }: { readonly id: string }) {
  const [open, setOpen] = useState(false);
  const [made, setMade] = useState<RotatedSecretBody>();
  const close = () => {
    setOpen(false);
    setMade(undefined);
  };
  const rotate = async () => {
    setMade(await call<RotatedSecretBody>(`${pathOf(id)}/rotate-secret`, { method: 'POST' }));
  };
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Rotate the secret
      </button>
      {open ? (
        <Dialog title="Rotate the signing secret" onClose={close}>
          {made === undefined ? (
            <Form submit="Rotate" onSubmit={rotate} onCancel={close}>
              <p>Events are signed with both secrets until the old one ends.</p>
            </Form>
          ) : (
            <SecretShown secret={made.secret} label="Signing secret" onDone={close}>
              Copy the secret now. The old one signs beside it until{' '}
              <Time at={made.previous_secret_expires} />.
            </SecretShown>
          )}
        </Dialog>
      ) : null}
    </>
  );
}
