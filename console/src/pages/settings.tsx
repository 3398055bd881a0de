/** Settings: who is signed in, and the end of all sessions. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SERVICE } from '../api/client.ts';
import { forgetAccount, useAccount } from '../api/queries.ts';
import { providers, signOut } from '../api/session.ts';
import { Code, Facts, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Confirmed } from '../parts/dialog.tsx';
import { Telemetry } from '../parts/telemetry.tsx';

export function Settings() {
  const account = useAccount();
  const providersQuery = useQuery({ queryKey: ['providers'], queryFn: providers, staleTime: 60_000 });
  const leave = async () => {
    await signOut(true);
    await forgetAccount();
  };
  return (
    <div className="page">
      <PageHead title="Settings" />
      <Panel title="Account">
        <Facts
          of={{
            Account: <span className="mono">{account.data?.id}</span>,
            Email: account.data?.email ?? 'none given',
            Opened: account.data ? <Time at={account.data.created} /> : null,
          }}
        />
      </Panel>
      <Panel title="Sign-in">
        <div className="stack">
          <Loaded query={providersQuery}>
            {(list) => (
              <p className="quiet">
                {list.length === 0
                  ? 'No identity provider is set up.'
                  : `Accounts sign in with ${list.map(({ name }) => name).join(', ')}. Each identity has an account of its own.`}
              </p>
            )}
          </Loaded>
          <p className="quiet">
            A session lasts an hour and is renewed while a page is open, for a day at most. Its token is out
            of reach of scripts.
          </p>
          <div className="row">
            <Confirmed
              text="Sign out everywhere"
              question="Every session of this account ends at once, this one too. API keys go on."
              action={leave}
              className="button bad"
            />
          </div>
        </div>
      </Panel>
      <Telemetry />
      <Panel title="Base URLs">
        <div className="stack">
          <h3>OpenAI SDK: base URL</h3>
          <Code text={`${SERVICE}/v1`} label="Base URL of OpenAI's SDKs" />
          <h3>Anthropic SDK: base URL</h3>
          <Code text={SERVICE} label="Base URL of Anthropic's SDKs" />
          <p>
            <a href={`${SERVICE}/docs`}>API reference</a>, <Link to="/operator">operator's view</Link>
          </p>
        </div>
      </Panel>
    </div>
  );
}
