/** The first run: a key, ready text for the client, and a line that waits for the first call. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { callsPath, listKeysAgain, useBalance } from '../api/queries.ts';
import type { ApiPage, NewApiKey, UsageEntry } from '../api/types.ts';
import { Money, PageHead, Panel } from '../parts/basics.tsx';
import { Form, Input } from '../parts/form.tsx';
import { KeyShown } from '../parts/secret-shown.tsx';
import { SnippetTabs, useExample } from '../parts/snippets/tabs.tsx';

export function Start() {
  const [newKey, setNewKey] = useState<NewApiKey>();
  const [name, setName] = useState('first key');
  const balance = useBalance();
  const example = useExample();
  const make = async () => {
    setNewKey(await call<NewApiKey>('/api-keys', { method: 'POST', body: { name } }));
    await listKeysAgain();
  };
  return (
    <div className="page">
      <PageHead
        title="First call"
        about="A key, a line to paste, and the call's cost as the ledger has it."
      />
      {balance.data?.balance === 0n ? (
        <p className="note warn">
          The balance is $0.00: <Link to="/billing">add credit</Link> before the first call.
        </p>
      ) : null}
      {newKey === undefined ? (
        <Panel title="1. Make a key">
          <Form submit="Make the key" onSubmit={make}>
            <Input label="Name" value={name} onChange={setName} required />
          </Form>
        </Panel>
      ) : (
        <>
          <Panel title="1. Your key">
            <KeyShown secret={newKey.key} />
          </Panel>
          <Panel title="2. Call it">
            <SnippetTabs apiKey={newKey.key} request={example} />
          </Panel>
          <Panel title="3. See it here">
            <Waiting keyId={newKey.id} />
          </Panel>
        </>
      )}
    </div>
  );
}

/** Waits for the first call of a key. */
function Waiting({ keyId }: { readonly keyId: string }) {
  const first = useQuery({
    queryKey: ['first-call', keyId],
    queryFn: () => call<ApiPage<UsageEntry>>(callsPath({ api_key: keyId }, 1)),
    refetchInterval: ({ state }) => (state.data?.data.length ? false : 1_500),
  });
  const [firstCall] = first.data?.data ?? [];
  return (
    <p role="status">
      {firstCall === undefined ? (
        <span className="quiet">Waiting for your first call …</span>
      ) : (
        <>
          Got it: {firstCall.model} for{' '}
          <strong>
            <Money nano={firstCall.cost} />
          </strong>
          .{' '}
          <Link to="/activity/$id" params={{ id: firstCall.id }}>
            See its receipt
          </Link>
          .
        </>
      )}
    </p>
  );
}
