/** Keys: made, shown once, and listed with their caps. */
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useKeyCredits, useKeys } from '../api/queries.ts';
import type { ApiKey, NewApiKey } from '../api/types.ts';
import { Badge, Empty, Loaded, Money, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Dialog } from '../parts/form.tsx';
import { KeyShown } from '../parts/key-shown.tsx';
import { KeyForm, type KeyInput } from '../parts/policy-form.tsx';

export function Keys() {
  const keys = useKeys();
  const [making, setMaking] = useState(false);
  return (
    <div className="page">
      <PageHead
        title="Keys"
        about="Each key has caps, rates and scopes of its own, effective for the next call."
      >
        <button type="button" className="button main" onClick={() => setMaking(true)}>
          Make a key
        </button>
      </PageHead>
      <Panel flush>
        <Loaded query={keys}>
          {(list) => (list.length === 0 ? <Empty>No keys yet.</Empty> : <KeyTable keys={list} />)}
        </Loaded>
      </Panel>
      {making ? <MakeKey onClose={() => setMaking(false)} /> : null}
    </div>
  );
}

export const KeyState = ({ of: { disabled, previous_secret_expires: until } }: { readonly of: ApiKey }) => {
  if (disabled) return <Badge tone="warn">disabled</Badge>;
  return until === null ? <Badge tone="good">active</Badge> : <Badge>two secrets</Badge>;
};

const KeyTable = ({ keys }: { readonly keys: readonly ApiKey[] }) => (
  <div className="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">State</th>
          <th scope="col" className="right">
            Today
          </th>
          <th scope="col" className="right">
            This month
          </th>
          <th scope="col">Made</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} of={key} />
        ))}
      </tbody>
    </table>
  </div>
);

function KeyRow({ of: key }: { readonly of: ApiKey }) {
  const credits = useKeyCredits(key.id);
  const spend = credits.data?.spend;
  const { daily_usd: daily, monthly_usd: monthly } = key.policy;
  return (
    <tr>
      <td className="break">
        <Link to="/keys/$id" params={{ id: key.id }}>
          {key.name}
        </Link>
      </td>
      <td>
        <KeyState of={key} />
      </td>
      <td className="right">
        {spend === undefined ? '' : <Money nano={spend.today} />}
        {daily === undefined ? null : (
          <span className="quiet">
            {' of '}
            <Money nano={daily} />
          </span>
        )}
      </td>
      <td className="right">
        {spend === undefined ? '' : <Money nano={spend.month} />}
        {monthly === undefined ? null : (
          <span className="quiet">
            {' of '}
            <Money nano={monthly} />
          </span>
        )}
      </td>
      <td>
        <Time at={key.created} />
      </td>
    </tr>
  );
}

function MakeKey({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [made, setMade] = useState<NewApiKey>();
  const make = async (body: KeyInput) => {
    setMade((await call<NewApiKey>('/api-keys', { method: 'POST', body })) as NewApiKey);
    await queries.invalidateQueries({ queryKey: ['keys'] });
  };
  return (
    <Dialog title={made === undefined ? 'Make a key' : `The key ${made.name}`} onClose={onClose}>
      {made === undefined ? (
        <KeyForm submit="Make the key" onSubmit={make} onCancel={onClose} />
      ) : (
        <>
          <KeyShown made={made} />
          <div className="row end">
            <button type="button" className="button main" onClick={onClose}>
              Done
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
