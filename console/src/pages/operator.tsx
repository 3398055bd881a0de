/** The operator's view, in a session of its own: accounts, routes and circuits, the catalog, the audit, dead letters. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../api/client.ts';
import { signOutOperator } from '../api/session.ts';
import type {
  AccountSummary,
  AuditView,
  CatalogView,
  DeadLetters,
  Page,
  RouteSummary,
} from '../api/types.ts';
import { Badge, countText, Empty, Loaded, Money, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Tabs } from '../parts/form.tsx';
import { Pages, Table, useView } from '../parts/operator/tables.tsx';
import { SignIn } from '../parts/sign-in.tsx';

const VIEWS = [
  ['accounts', 'Accounts'],
  ['routes', 'Routes'],
  ['catalog', 'Catalog'],
  ['audit', 'Audit'],
  ['dead-letters', 'Dead letters'],
] as const;

/** Whoever has no operator's session is asked to sign in for one; the owner's own session is another. */
export function OperatorView() {
  const audit = useView<AuditView>('audit');
  if (audit.error instanceof ApiError && audit.error.status === 401) return <SignIn as="operator" />;
  return (
    <main>
      <Loaded query={audit}>{() => <Views />}</Loaded>
    </main>
  );
}

function Views() {
  const queries = useQueryClient();
  const [view, setView] = useState<(typeof VIEWS)[number][0]>('accounts');
  const leave = async () => {
    await signOutOperator().catch(() => {});
    await queries.resetQueries({ queryKey: ['operator'] });
  };
  const shown: Readonly<Record<typeof view, ReactNode>> = {
    accounts: <Accounts />,
    routes: <Routes />,
    catalog: <Catalog />,
    audit: <Audit />,
    'dead-letters': <DeadLetterQueues />,
  };
  return (
    <div className="page">
      <PageHead
        title="Operator"
        about="What is there, and how it does. Changes are made by the admin command."
      >
        <button type="button" className="button" onClick={leave}>
          Sign out
        </button>
      </PageHead>
      <Tabs label="Views" tabs={VIEWS} current={view} onChange={setView} />
      {shown[view]}
    </div>
  );
}

const Accounts = () => (
  <Pages<AccountSummary>
    view="accounts"
    heads={['Account', 'Opened', 'Balance', 'Held', 'Spent', 'Owed']}
    row={({ id, email, created, balance, held, spent, owed }) => (
      <tr key={id}>
        <td>
          <div className="break">{email ?? <span className="quiet">no address</span>}</div>
          <div className="mono small quiet">{id}</div>
        </td>
        <td>{created === null ? '–' : <Time at={created} />}</td>
        <td>
          <Money nano={balance} />
        </td>
        <td>
          <Money nano={held} />
        </td>
        <td>
          <Money nano={spent} />
        </td>
        <td>{owed === 0n ? '–' : <Money nano={owed} />}</td>
      </tr>
    )}
  />
);

const CIRCUIT_TONES = { closed: 'good', half_open: 'warn', open: 'bad' } as const;

const Routes = () => (
  <Pages<RouteSummary>
    view="routes"
    heads={['Route', 'Model', 'Protocol', 'Priority', 'Circuit']}
    row={({ id, model, protocol, priority, circuit, since, accounts_affected: affected }) => (
      <tr key={`${model} ${id}`}>
        <td className="break">{id}</td>
        <td className="break">{model}</td>
        <td>{protocol}</td>
        <td className="number">{priority}</td>
        <td>
          <Badge tone={CIRCUIT_TONES[circuit]}>{circuit.replace('_', ' ')}</Badge>{' '}
          <span className="small quiet">
            {since === null ? null : <Time at={since} />}
            {affected === 0 ? '' : ` · ${countText(affected)} accounts`}
          </span>
        </td>
      </tr>
    )}
  />
);

function Catalog() {
  const catalog = useView<CatalogView>('catalog');
  return (
    <Panel title="In force">
      <Loaded query={catalog}>
        {({ version, applied, models, routes, diff }) => (
          <div className="stack">
            <dl className="facts">
              <dt>Version</dt>
              <dd className="mono">{version}</dd>
              <dt>Applied</dt>
              <dd>{applied === null ? 'not known' : <Time at={applied} />}</dd>
              <dt>Models, routes</dt>
              <dd className="number">
                {countText(models)}, {countText(routes)}
              </dd>
            </dl>
            {diff === null ? <p className="quiet">There is no version before it.</p> : <Diff of={diff} />}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const Diff = ({ of: diff }: { readonly of: NonNullable<CatalogView['diff']> }) => (
  <div className="stack">
    <h3>Since version {diff.previous_version}</h3>
    <p className="legend">
      <span>{countText(diff.added_count)} added</span>
      <span>{countText(diff.removed_count)} removed</span>
      <span>{countText(diff.changed_count)} with other prices</span>
    </p>
    <Table
      heads={['Model', 'Rate', 'Before', 'Now']}
      rows={diff.changed.flatMap(({ model, rates }) =>
        rates.map(({ rate, old, new: now, large }) => (
          <tr key={`${model} ${rate}`}>
            <td className="break">{model}</td>
            <td>
              {rate} {large ? <Badge tone="warn">large</Badge> : null}
            </td>
            <td>{old === null ? '–' : <Money nano={old} />}</td>
            <td>{now === null ? '–' : <Money nano={now} />}</td>
          </tr>
        )),
      )}
    />
  </div>
);

function Audit() {
  const audit = useView<AuditView>('audit');
  return (
    <Panel title="Last audit of the books">
      <Loaded query={audit}>
        {({ last }) =>
          last === null ? (
            <Empty>No audit has run yet: the first is tonight.</Empty>
          ) : (
            <dl className="facts">
              <dt>Result</dt>
              <dd>{last.exact ? <Badge tone="good">exact</Badge> : <Badge tone="bad">not exact</Badge>}</dd>
              <dt>Ended</dt>
              <dd>
                <Time at={last.ended} />
              </dd>
              <dt>Accounts</dt>
              <dd className="number">
                {countText(last.accounts)}, of which {countText(last.unproven)} could not be proven
              </dd>
              <dt>Drift</dt>
              <dd>
                <Money nano={last.drift} />
              </dd>
            </dl>
          )
        }
      </Loaded>
    </Panel>
  );
}

function DeadLetterQueues() {
  const queues = useView<Page<DeadLetters>>('dead-letters');
  return (
    <Panel flush>
      <Loaded query={queues}>
        {({ data }) => (
          <Table
            heads={['Queue', 'Messages']}
            rows={data.map(({ id, messages }) => (
              <tr key={id}>
                <td>{id}</td>
                <td>
                  {messages === 0 ? (
                    <Badge tone="good">0</Badge>
                  ) : (
                    <Badge tone="bad">{countText(messages)}</Badge>
                  )}
                </td>
              </tr>
            ))}
          />
        )}
      </Loaded>
    </Panel>
  );
}
