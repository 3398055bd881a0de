/** The receipt of a call: the hold, and the cost by line item, as recorded in the ledger. */
import { Link, useParams } from '@tanstack/react-router';
import { isNotFound } from '../api/client.ts';
import { lineAmount, perText, roundingOf } from '../api/money.ts';
import { useReceipt } from '../api/queries.ts';
import type { AccountReceipt } from '../api/types.ts';
import { KIND_NAMES, STATUS_TEXTS } from '../api/values.ts';
import {
  Badge,
  countText,
  Empty,
  Facts,
  Loaded,
  MetricCard,
  Money,
  PageHead,
  Panel,
  Time,
} from '../parts/basics.tsx';
import { KeyName, Status, unitsText } from '../parts/call-table.tsx';
import { type Column, Table } from '../parts/table.tsx';

export function ReceiptPage() {
  const { id } = useParams({ from: '/activity/$id' });
  const receipt = useReceipt(id);
  return (
    <div className="page">
      <PageHead title="Receipt" about={<span className="mono break">{id}</span>}>
        <Link to="/activity" className="button">
          All activity
        </Link>
      </PageHead>
      {isNotFound(receipt.error) ? (
        <Empty>
          Your account has no receipt with this id. What the service itself rejects is not recorded: the error
          that your client received says why. A call has its receipt when its response has ended.
        </Empty>
      ) : (
        <Loaded query={receipt}>{(data) => <Receipt of={data} />}</Loaded>
      )}
    </div>
  );
}

const Receipt = ({ of: receipt }: { readonly of: AccountReceipt }) => (
  <>
    <div className="columns">
      <MetricCard title="Charged" test="cost" value={<Money nano={receipt.cost} large />} />
      <MetricCard
        title="Held before"
        value={receipt.held === null ? 'not known' : <Money nano={receipt.held} large />}
      />
      <MetricCard
        title="Status"
        value={
          <span className="row">
            <Status status={receipt.status} />
            {receipt.estimated ? <Badge tone="warn">counted by the service</Badge> : null}
          </span>
        }
      >
        <p className="small quiet">{STATUS_TEXTS[receipt.status]}</p>
      </MetricCard>
      <MetricCard title="Units" value={unitsText(receipt)} />
    </div>
    <Lines of={receipt} />
    <Call of={receipt} />
  </>
);

const COLUMNS: readonly Column<AccountReceipt['lines'][number]>[] = [
  { head: 'Item', of: 'break', cell: ({ item }) => item.replaceAll('_', ' ') },
  { head: 'Quantity', right: true, cell: ({ quantity }) => countText(quantity) },
  {
    head: 'Price',
    right: true,
    cell: (line) => (
      <>
        <Money nano={line.price} /> <span className="quiet">{perText(line)}</span>
      </>
    ),
  },
  { head: 'Amount', right: true, cell: (line) => <Money nano={lineAmount(line)} /> },
];

const FootRow = ({ text, nano }: { readonly text: string; readonly nano: bigint }) => (
  <tr>
    <td colSpan={COLUMNS.length - 1}>{text}</td>
    <td className="right">
      <Money nano={nano} />
    </td>
  </tr>
);

function Lines({ of: { lines, cost, waived } }: { readonly of: AccountReceipt }) {
  const rounding = roundingOf(lines, cost + waived);
  return (
    <Panel title="Bill" flush>
      <Table
        columns={COLUMNS}
        rows={lines}
        idOf={({ item, price }) => `${item} ${price}`}
        empty="No lines."
        foot={
          <>
            {rounding === 0n ? null : <FootRow text="Rounded up once to a nano-dollar" nano={rounding} />}
            {waived === 0n ? null : (
              <FootRow text="Waived: the service's own count beyond the hold" nano={-waived} />
            )}
            <FootRow text="Charged" nano={cost} />
          </>
        }
      />
    </Panel>
  );
}

const Call = ({ of: receipt }: { readonly of: AccountReceipt }) => (
  <Panel title="Call">
    <Facts
      of={{
        Time: <Time at={receipt.created} />,
        Key: <KeyName of={receipt} />,
        Model: receipt.model ?? 'unknown',
        Kind: KIND_NAMES[receipt.kind],
        Route: receipt.route ?? 'none served',
        Replayed: receipt.replayed === null ? 'no' : <Time at={receipt.replayed} />,
        'Routes tried': receipt.attempts ?? 'not known',
        'First content after':
          receipt.first_token_ms === null ? '–' : `${countText(receipt.first_token_ms)} ms`,
        'Of the input, cached': countText(receipt.cached_units),
        'Service tier': receipt.service_tier ?? 'standard',
        'Catalog version': <span className="mono">{receipt.catalog ?? '–'}</span>,
      }}
    />
  </Panel>
);
