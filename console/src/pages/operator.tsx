/** The operator's view, in a separate session: accounts, sellers, routes and circuits, the catalog, the audit, dead letters. */
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { useHasMarket } from '../api/queries.ts';
import { signOutOperator } from '../api/session.ts';
import type {
  AccountSummaryBody,
  AuditView,
  CatalogView,
  DeadLettersBody,
  RouteSummary,
} from '../api/types.ts';
import {
  Badge,
  countText,
  Empty,
  Facts,
  Loaded,
  Money,
  numberOf,
  PageHead,
  Panel,
  Time,
} from '../parts/basics.tsx';
import { Tabs } from '../parts/form.tsx';
import { Overview } from '../parts/operator/overview.tsx';
import { Sellers } from '../parts/operator/sellers.tsx';
import { pagesOf, useView } from '../parts/operator/views.tsx';
import { SignIn } from '../parts/sign-in.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { TablePages } from '../parts/table-pages.tsx';

const VIEWS = [
  ['overview', 'Overview'],
  ['accounts', 'Accounts'],
  ['sellers', 'Sellers'],
  ['routes', 'Routes'],
  ['catalog', 'Catalog'],
  ['audit', 'Audit'],
  ['dead-letters', 'Dead letters'],
] as const;

/**
 * Renders the operator's view, or a sign-in for users without an operator's session. The owner's session is a different
 * one.
 */
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
  const navigate = useNavigate();
  const { view: named } = useParams({ strict: false });
  const hasMarket = useHasMarket();
  const views = VIEWS.filter(([id]) => hasMarket || id !== 'sellers');
  const view = views.find(([id]) => id === named)?.[0] ?? 'overview';
  const leave = async () => {
    await signOutOperator().catch(() => {});
    await queries.resetQueries({ queryKey: ['operator'] });
  };
  const shown: Readonly<Record<typeof view, ReactNode>> = {
    overview: <Overview />,
    accounts: (
      <TablePages<AccountSummaryBody> {...pagesOf('accounts')} columns={ACCOUNTS} idOf={({ id }) => id} />
    ),
    sellers: <Sellers />,
    routes: (
      <TablePages<RouteSummary>
        {...pagesOf('routes')}
        columns={ROUTES}
        idOf={({ id, model }) => `${model} ${id}`}
      />
    ),
    catalog: <Catalog />,
    audit: <Audit />,
    'dead-letters': (
      <TablePages<DeadLettersBody> {...pagesOf('dead-letters')} columns={QUEUES} idOf={({ id }) => id} />
    ),
  };
  return (
    <div className="page">
      <PageHead
        title="Operator"
        about={`Accounts, ${hasMarket ? 'sellers, ' : ''}routes, the catalog and the ledger. The admin command makes changes.`}
      >
        <Link to="/" className="button">
          Console
        </Link>
        <button type="button" className="button" onClick={leave}>
          Sign out
        </button>
      </PageHead>
      <Tabs
        label="Views"
        tabs={views}
        current={view}
        onChange={(to) => navigate({ to: '/operator/$view', params: { view: to } })}
      />
      <Fragment key={view}>{shown[view]}</Fragment>
    </div>
  );
}

const ACCOUNTS: readonly Column<AccountSummaryBody>[] = [
  {
    head: 'Account',
    cell: ({ id, email }) => (
      <>
        <div className="break">{email ?? <span className="quiet">no email</span>}</div>
        <div className="mono small quiet">{id}</div>
      </>
    ),
  },
  { head: 'Opened', cell: ({ created }) => (created === null ? '–' : <Time at={created} />) },
  { head: 'Balance', right: true, cell: ({ balance }) => <Money nano={balance} /> },
  { head: 'Held', right: true, cell: ({ held }) => <Money nano={held} /> },
  { head: 'Spent, all time', right: true, cell: ({ spent }) => <Money nano={spent} /> },
  { head: 'Owed', right: true, cell: ({ owed }) => (owed === 0n ? '–' : <Money nano={owed} />) },
];

const CIRCUIT_TONES = { closed: 'good', half_open: 'warn', open: 'bad' } as const;

const ROUTES: readonly Column<RouteSummary>[] = [
  { head: 'Route', of: 'break', cell: ({ id }) => id },
  { head: 'Model', of: 'break', cell: ({ model }) => model },
  { head: 'Protocol', cell: ({ protocol }) => protocol },
  { head: 'Priority', right: true, cell: ({ priority }) => priority },
  {
    head: 'Margin',
    cell: ({ margins }) =>
      margins === null
        ? 'cost not known'
        : margins.map(({ rate, percent }) => `${rate.replaceAll('_', ' ')} ${percent} %`).join(', '),
  },
  {
    head: 'Not billed',
    right: true,
    cell: ({ unbilled }) => (unbilled === null ? '–' : <Money nano={unbilled.amount} />),
  },
  {
    head: 'Circuit',
    cell: ({ circuit, since, accounts_affected: affected }) => (
      <>
        <Badge tone={CIRCUIT_TONES[circuit]}>{circuit.replace('_', ' ')}</Badge>{' '}
        <span className="small quiet">
          {since === null ? null : <Time at={since} />}
          {affected === 0 ? '' : ` · ${numberOf(affected, 'account')}`}
        </span>
      </>
    ),
  },
];

function Catalog() {
  const catalog = useView<CatalogView>('catalog');
  return (
    <Panel title="In force">
      <Loaded query={catalog}>
        {({ version, applied, models, routes, diff }) => (
          <div className="stack">
            <Facts
              of={{
                Version: <span className="mono">{version}</span>,
                Applied: <Time at={applied} />,
                'Models, routes': `${countText(models)}, ${countText(routes)}`,
              }}
            />
            {diff === null ? <p className="quiet">There is no version before it.</p> : <Diff of={diff} />}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

type ModelChange = NonNullable<CatalogView['diff']>['changed'][number];

const Price = ({ nano }: { readonly nano: bigint | null }) => (nano === null ? '–' : <Money nano={nano} />);

const CHANGES: readonly Column<Pick<ModelChange, 'model'> & ModelChange['rates'][number]>[] = [
  { head: 'Model', of: 'break', cell: ({ model }) => model },
  {
    head: 'Rate',
    cell: ({ rate, large }) => (
      <>
        {rate} {large ? <Badge tone="warn">large</Badge> : null}
      </>
    ),
  },
  { head: 'Before', right: true, cell: ({ old }) => <Price nano={old} /> },
  { head: 'Now', right: true, cell: ({ new: now }) => <Price nano={now} /> },
];

const Diff = ({ of: diff }: { readonly of: NonNullable<CatalogView['diff']> }) => (
  <div className="stack">
    <h3>Since version {diff.previous_version}</h3>
    <p className="legend">
      <span>{countText(diff.added_count)} added</span>
      <span>{countText(diff.removed_count)} removed</span>
      <span>{countText(diff.changed_count)} with other prices</span>
    </p>
    <Table
      columns={CHANGES}
      rows={diff.changed.flatMap(({ model, rates }) => rates.map((change) => ({ model, ...change })))}
      idOf={({ model, rate }) => `${model} ${rate}`}
      empty="No price has changed."
    />
    {diff.changed.length < diff.changed_count ? (
      <p className="small quiet">
        These are the first {countText(diff.changed.length)} models with other prices.
      </p>
    ) : null}
  </div>
);

function Audit() {
  const audit = useView<AuditView>('audit');
  return (
    <Panel title="Last scheduled audit of the ledger">
      <Loaded query={audit}>
        {({ last }) =>
          last === null ? (
            <Empty>
              The scheduled audit has not run yet: it runs each night. An audit by the <code>admin</code>{' '}
              command prints its result and is not shown here.
            </Empty>
          ) : (
            <Facts
              of={{
                Result: last.exact ? <Badge tone="good">exact</Badge> : <Badge tone="bad">not exact</Badge>,
                Ended: <Time at={last.ended} />,
                Accounts: `${countText(last.accounts)}, of which ${countText(last.unproven)} could not be proven`,
                Drift: <Money nano={last.drift} />,
              }}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

const QUEUES: readonly Column<DeadLettersBody>[] = [
  { head: 'Queue', cell: ({ id }) => id },
  {
    head: 'Messages',
    right: true,
    cell: ({ messages }) => <Badge tone={messages === 0 ? 'good' : 'bad'}>{countText(messages)}</Badge>,
  },
];
