/** Keys: created, shown once, and listed with their caps. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { listKeysAgain, useKeys, useUsageRollups } from '../api/queries.ts';
import type { ApiKey, NewApiKey } from '../api/types.ts';
import { byKey, dayStart, type KeySpendRow, monthStart, spendOfOthers } from '../api/usage-rollups.ts';
import { Badge, Loaded, Money, PageHead, Panel, Time } from '../parts/basics.tsx';
import { DialogButton } from '../parts/dialog.tsx';
import { KeyForm, type KeyInput } from '../parts/policy-form.tsx';
import { Problem } from '../parts/problem.tsx';
import { KeyShown } from '../parts/secret-shown.tsx';
import { type Column, Table } from '../parts/table.tsx';

export function Keys() {
  const keys = useKeys();
  return (
    <div className="page">
      <PageHead
        title="Keys"
        about="Each key has caps, rates and scopes of its own, effective for the next call."
      >
        <Link to="/start" className="button">
          First call: snippets for your SDK
        </Link>
        <DialogButton text="Create key" className="button main">
          {(close) => <MakeKey onClose={close} />}
        </DialogButton>
      </PageHead>
      <Loaded query={keys}>{(list) => <KeyTable keys={list} />}</Loaded>
    </div>
  );
}

export const KeyState = ({ of: { disabled, previous_secret_expires: until } }: { readonly of: ApiKey }) => {
  if (disabled) return <Badge tone="warn">disabled</Badge>;
  return until === null ? <Badge tone="good">active</Badge> : <Badge>two secrets</Badge>;
};

/** The cost of a key's settled calls, out of its cap. */
const SpendCell = ({
  nano,
  cap,
}: {
  readonly nano: bigint | undefined;
  readonly cap: bigint | undefined;
}) => (
  <>
    {nano === undefined ? <span className="quiet">…</span> : <Money nano={nano} />}
    {cap === undefined ? null : (
      <span className="quiet">
        {' of '}
        <Money nano={cap} />
      </span>
    )}
  </>
);

/** Returns the columns. `spendOf` returns undefined until the usage rollups have arrived. */
const columnsOf = (spendOf: (key: ApiKey) => KeySpendRow | undefined): readonly Column<ApiKey>[] => [
  {
    head: 'Name',
    of: 'break',
    cell: ({ id, name }) => (
      <Link to="/keys/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { head: 'State', cell: (key) => <KeyState of={key} /> },
  {
    head: 'Spent today',
    right: true,
    cell: (key) => <SpendCell nano={spendOf(key)?.today} cap={key.policy.daily_usd} />,
  },
  {
    head: 'Spent this month',
    right: true,
    cell: (key) => <SpendCell nano={spendOf(key)?.month} cap={key.policy.monthly_usd} />,
  },
  { head: 'Created', cell: ({ created }) => <Time at={created} /> },
];

const NOTHING: KeySpendRow = { today: 0n, month: 0n };

/** The spending of this month that no listed key has. */
const OtherSpend = ({ of: { today, month } }: { readonly of: KeySpendRow }) =>
  month === 0n ? null : (
    <p>
      Revoked and Playground keys: <Money nano={today} /> today, <Money nano={month} /> this month.
    </p>
  );

/** One question for all keys, however many there are. */
function KeyTable({ keys }: { readonly keys: readonly ApiKey[] }) {
  const rollups = useUsageRollups({ start: monthStart(), interval: 'day', groupBy: 'api_key' });
  const spend = rollups.data === undefined ? undefined : byKey(rollups.data, dayStart());
  const spendOf = ({ id }: ApiKey) => (spend === undefined ? undefined : (spend.get(id) ?? NOTHING));
  return (
    <>
      <Panel flush>
        <Table
          columns={columnsOf(spendOf)}
          rows={keys}
          idOf={({ id }) => id}
          empty={
            <>
              No keys yet. <Link to="/start">Create one and make your first call</Link>.
            </>
          }
        />
      </Panel>
      <Problem error={rollups.error} />
      {spend === undefined ? null : (
        <OtherSpend
          of={spendOfOthers(
            spend,
            keys.map(({ id }) => id),
          )}
        />
      )}
      {keys.length === 0 ? null : (
        <p className="small quiet">
          Spent by calls that have ended, by UTC days and months
          {rollups.data?.complete === false ? '; still counting' : ''}. What open calls hold of a cap is on
          the key's own page.
        </p>
      )}
    </>
  );
}

function MakeKey({ onClose }: { readonly onClose: () => void }) {
  const [newKey, setNewKey] = useState<NewApiKey>();
  const make = async (body: KeyInput) => {
    setNewKey(await call<NewApiKey>('/api-keys', { method: 'POST', body }));
    await listKeysAgain();
  };
  if (newKey !== undefined) return <KeyShown secret={newKey.key} onDone={onClose} />;
  return <KeyForm submit="Create" onSubmit={make} onCancel={onClose} />;
}
