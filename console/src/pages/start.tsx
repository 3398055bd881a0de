/** The first run: credit, a key, ready text for the client, and a line that waits for the first call. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { callsPath, holdFirstKey, listKeysAgain, useBalance, useFirstKey } from '../api/queries.ts';
import type { ApiPage, NewApiKey, UsageEntry } from '../api/types.ts';
import { Loaded, Money, PageHead, Panel } from '../parts/basics.tsx';
import { Form, Input } from '../parts/form.tsx';
import { KeyShown } from '../parts/secret-shown.tsx';
import { SnippetTabs, useExample } from '../parts/snippets/tabs.tsx';
import { TopUp } from '../parts/top-up.tsx';

export function Start() {
  const balance = useBalance();
  const firstKey = useFirstKey();
  return (
    <div className="page">
      <PageHead
        title="First call"
        about="Credit, a key, a line to paste, and the call's cost as the ledger has it."
      />
      {/* The payment leaves this page, so it comes before a key that is shown only once. */}
      <Loaded query={balance}>
        {({ balance: nano }) =>
          nano <= 0n && firstKey === undefined ? (
            <>
              <TopUp title="1. Add credit" />
              <p className="quiet">The next steps are a key and a line to paste.</p>
            </>
          ) : (
            <>
              <Panel title="1. Credit">
                <p>
                  Your balance is <Money nano={nano} />.
                </p>
              </Panel>
              <KeySteps />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function KeySteps() {
  const firstKey = useFirstKey();
  const example = useExample();
  if (firstKey === undefined) return <MakeFirstKey />;
  const { id, name, secret } = firstKey;
  return (
    <>
      <Panel title="2. Your key">
        {secret === undefined ? (
          <p>
            <Link to="/keys/$id" params={{ id }}>
              {name}
            </Link>
            : put the key that you have copied in the place of the placeholder below.
          </p>
        ) : (
          <KeyShown secret={secret} onDone={() => holdFirstKey({ id, name, secret: undefined })} />
        )}
      </Panel>
      <Panel title="3. Call it">
        <SnippetTabs {...(secret === undefined ? {} : { apiKey: secret })} request={example} />
        {example.kind === 'chat' ? (
          <p className="small quiet">
            Without <code>max_tokens</code>, an answer on chat or Messages ends after 256 tokens, unless the
            model has another default, and <code>finish_reason</code> is <code>length</code>. The header{' '}
            <code>x-max-tokens</code> has the limit that counted.
          </p>
        ) : null}
      </Panel>
      <Panel title="4. See it here">
        <Waiting keyId={id} />
      </Panel>
    </>
  );
}

function MakeFirstKey() {
  const [name, setName] = useState('first key');
  const make = async () => {
    const { id, key } = await call<NewApiKey>('/api-keys', { method: 'POST', body: { name } });
    holdFirstKey({ id, name, secret: key });
    await listKeysAgain();
  };
  return (
    <Panel title="2. Create a key">
      <Form submit="Create key" onSubmit={make} labels={{ name: 'Name' }}>
        <Input label="Name" value={name} onChange={setName} required />
      </Form>
    </Panel>
  );
}

/** Waits for the first call of a key. */
function Waiting({ keyId }: { readonly keyId: string }) {
  const first = useQuery({
    queryKey: ['first-call', keyId],
    queryFn: () => call<ApiPage<UsageEntry>>(callsPath({ api_key: keyId }, { limit: 1 })),
    refetchInterval: ({ state }) => (state.data?.data.length ? false : 1_500),
  });
  const [firstCall] = first.data?.data ?? [];
  return (
    <div className="stack">
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
      {firstCall === undefined ? <Rejections /> : null}
    </div>
  );
}

/** Explains why a call may not arrive here: the service does not record what it rejects itself. */
function Rejections() {
  const balance = useBalance();
  return (
    <>
      {balance.data !== undefined && balance.data.balance <= 0n ? (
        <p className="note warn" role="alert">
          The balance is <Money nano={balance.data.balance} />, so every call is rejected with 402.{' '}
          <Link to="/billing" target="_blank">
            Add credit in a new tab
          </Link>
          , then call again.
        </p>
      ) : null}
      <p className="small quiet">
        A call that the service itself rejects costs nothing and is not recorded, so it does not appear here;
        your client shows its error. 401: the key is not the one above. 402: the balance, or a cap of the key,
        does not cover the call. 400 and 404: the message says what to change. 429: too many calls in a
        minute.
      </p>
    </>
  );
}
