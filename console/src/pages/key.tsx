/** One key: its caps, its policy, its secrets. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { listKeysAgain, queryClient, useKeyCredits, useKeys } from '../api/queries.ts';
import type { ApiKey, NewApiKey } from '../api/types.ts';
import { DEFAULT_RPM, KIND_NAMES } from '../api/values.ts';
import { countText, Facts, Loaded, Money, NotFound, PageHead, Panel, Time } from '../parts/basics.tsx';
import { CapBar } from '../parts/cap-bar.tsx';
import { Confirmed, DialogButton } from '../parts/dialog.tsx';
import { Form, Select } from '../parts/form.tsx';
import { KeyForm } from '../parts/policy-form.tsx';
import { KeyShown } from '../parts/secret-shown.tsx';
import { SnippetTabs, useExample } from '../parts/snippets/tabs.tsx';
import { KeyState } from './keys.tsx';

const pathOf = (id: string): string => `/api-keys/${encodeURIComponent(id)}`;

export function KeyPage() {
  const { id } = useParams({ from: '/keys/$id' });
  const keys = useKeys();
  return (
    <Loaded query={keys}>
      {(list) => {
        const key = list.find((each) => each.id === id);
        return key === undefined ? (
          <NotFound title="Key not found">
            Your account has no such key, or it has been revoked. Its calls stay in your activity.
          </NotFound>
        ) : (
          <KeyView of={key} />
        );
      }}
    </Loaded>
  );
}

function KeyView({ of: key }: { readonly of: ApiKey }) {
  const example = useExample(key.policy);
  const changed = async () => {
    await listKeysAgain();
    await queryClient.invalidateQueries({ queryKey: ['credits', key.id] });
  };
  const change = async (body: object) => {
    await call(pathOf(key.id), { method: 'PATCH', body });
    await changed();
  };
  return (
    <div className="page">
      <PageHead title={key.name} about={<span className="mono break">{key.id}</span>}>
        <KeyState of={key} />
        <DialogButton text="Edit" title="Edit the key">
          {(close) => (
            <KeyForm
              of={key}
              submit="Save"
              onSubmit={(input) => change(input).then(close)}
              onCancel={close}
            />
          )}
        </DialogButton>
        <button type="button" className="button" onClick={() => change({ disabled: !key.disabled })}>
          {key.disabled ? 'Enable' : 'Disable'}
        </button>
        <DialogButton text="Rotate" title="Rotate the secret">
          {(close) => <Rotate of={key} onRotated={changed} onClose={close} />}
        </DialogButton>
        <EndKey of={key} onEnded={changed} />
      </PageHead>
      <Overlap of={key} />
      <Caps of={key} />
      <Scope of={key} />
      <Panel title="Use it">
        <SnippetTabs request={example} />
      </Panel>
    </div>
  );
}

function Caps({ of: key }: { readonly of: ApiKey }) {
  const credits = useKeyCredits(key.id);
  const { daily_usd: daily, monthly_usd: monthly } = key.policy;
  return (
    <Panel
      title="Caps"
      aside={
        <Link to="/activity" search={{ api_key: key.id }}>
          Its calls
        </Link>
      }
    >
      <Loaded query={credits}>
        {({ spend }) => (
          <div className="columns">
            {daily === undefined ? (
              <Uncapped name="Today" usedAmount={spend.today} />
            ) : (
              <CapBar name="Today" cap={daily} usedAmount={spend.today} />
            )}
            {monthly === undefined ? (
              <Uncapped name="This month" usedAmount={spend.month} />
            ) : (
              <CapBar name="This month" cap={monthly} usedAmount={spend.month} />
            )}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const Uncapped = ({ name, usedAmount }: { readonly name: string; readonly usedAmount: bigint }) => (
  <div className="stack tight">
    <h3>{name}</h3>
    <p className="legend">
      <span>
        Spent or held <Money nano={usedAmount} />
      </span>
      <span>No cap</span>
    </p>
  </div>
);

const Scope = ({ of: { policy, created } }: { readonly of: ApiKey }) => (
  <Panel title="Scope and rates">
    <Facts
      of={{
        Models: policy.allowed_models?.join(', ') ?? 'all',
        Kinds:
          policy.allowed_kinds
            ?.map((kind) => KIND_NAMES[kind])
            .join(', ')
            .replace(/^$/, 'none') ?? 'all',
        'Requests a minute': countText(policy.rpm ?? DEFAULT_RPM),
        'Tokens a minute': policy.tpm === undefined ? 'no limit' : countText(policy.tpm),
        'Reads the usage of': policy.reads === undefined ? 'this key' : 'the whole account',
        Created: <Time at={created} />,
      }}
    />
  </Panel>
);

/** The remaining time for which the secret before the last rotation is valid, as a countdown. */
function Overlap({ of: { previous_secret_expires: until } }: { readonly of: ApiKey }) {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
    return () => clearInterval(timer);
  }, []);
  if (until === null || until <= now) return null;
  const remainingSeconds = Math.ceil(until - now);
  const clock = [
    Math.floor(remainingSeconds / 3600),
    Math.floor(remainingSeconds / 60) % 60,
    remainingSeconds % 60,
  ];
  return (
    <p className="note">
      The secret before the last rotation is still good for{' '}
      <strong className="number">{clock.map((part) => String(part).padStart(2, '0')).join(':')}</strong>.
    </p>
  );
}

const OVERLAPS = [
  ['0', 'none: the old secret ends now'],
  ['3600', '1 hour'],
  ['86400', '1 day'],
] as const;

function Rotate({
  of: key,
  onRotated,
  onClose,
}: {
  readonly of: ApiKey;
  readonly onRotated: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const [newKey, setNewKey] = useState<NewApiKey>();
  const [overlap, setOverlap] = useState('3600');
  const rotate = async () => {
    const body = { overlap_seconds: Number(overlap) };
    setNewKey(await call<NewApiKey>(`${pathOf(key.id)}/rotate`, { method: 'POST', body }));
    await onRotated();
  };
  if (newKey !== undefined) return <KeyShown secret={newKey.key} onDone={onClose} />;
  return (
    <Form submit="Rotate" onSubmit={rotate} onCancel={onClose}>
      <Select label="Overlap" value={overlap} onChange={setOverlap} options={OVERLAPS} />
    </Form>
  );
}

function EndKey({ of: key, onEnded }: { readonly of: ApiKey; readonly onEnded: () => Promise<void> }) {
  const navigate = useNavigate();
  const endKey = async () => {
    await call(pathOf(key.id), { method: 'DELETE' });
    await onEnded();
    await navigate({ to: '/keys' });
  };
  return (
    <Confirmed
      text="Revoke"
      question="The next call with this key is rejected. Its past calls stay in your activity."
      action={endKey}
      className="button bad"
    />
  );
}
