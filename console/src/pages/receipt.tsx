/** The receipt of a call: what was held, what it came to, line by line, as the ledger has it. */
import { Link, useParams } from '@tanstack/react-router';
import { useReceipt } from '../api/queries.ts';
import type { AccountReceipt } from '../api/types.ts';
import { KIND_NAMES } from '../api/values.ts';
import { Badge, countText, Loaded, Money, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Status, unitsText } from '../parts/call-table.tsx';
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
      <Loaded query={receipt}>{(found) => <Receipt of={found} />}</Loaded>
    </div>
  );
}

const Receipt = ({ of: receipt }: { readonly of: AccountReceipt }) => (
  <>
    <div className="columns">
      <Panel>
        <dl className="figure">
          <dt>Charged</dt>
          <dd data-testid="cost">
            <Money nano={receipt.cost} large />
          </dd>
        </dl>
      </Panel>
      <Panel>
        <dl className="figure">
          <dt>Held before</dt>
          <dd>{receipt.held === null ? 'not known' : <Money nano={receipt.held} large />}</dd>
        </dl>
      </Panel>
      <Panel>
        <dl className="figure">
          <dt>Status</dt>
          <dd className="row">
            <Status status={receipt.status} />
            {receipt.estimated ? <Badge tone="warn">counted by the service</Badge> : null}
          </dd>
        </dl>
      </Panel>
      <Panel>
        <dl className="figure">
          <dt>Units</dt>
          <dd className="number">{unitsText(receipt)}</dd>
        </dl>
      </Panel>
    </div>
    <Lines of={receipt} />
    <Facts of={receipt} />
  </>
);

/** `$0.15 for 1,000,000`; the price of one needs no number. */
const per = (count: number): string => (count === 1 ? 'each' : `for ${countText(count)}`);

const COLUMNS: readonly Column<AccountReceipt['lines'][number]>[] = [
  { head: 'Item', of: 'break', cell: ({ item }) => item.replaceAll('_', ' ') },
  { head: 'Quantity', right: true, cell: ({ quantity }) => countText(quantity) },
  {
    head: 'Price',
    right: true,
    cell: ({ price, per: of }) => (
      <>
        <Money nano={price} /> <span className="quiet">{per(of)}</span>
      </>
    ),
  },
];

const FootRow = ({ text, nano }: { readonly text: string; readonly nano: bigint }) => (
  <tr>
    <td colSpan={COLUMNS.length - 1}>{text}</td>
    <td className="right">
      <Money nano={nano} />
    </td>
  </tr>
);

const Lines = ({ of: { lines, cost, waived } }: { readonly of: AccountReceipt }) => (
  <Panel title="Bill" flush>
    <Table
      columns={COLUMNS}
      rows={lines}
      idOf={({ item, price }) => `${item} ${price}`}
      empty="No lines."
      foot={
        <>
          <FootRow text="Charged, rounded up once to a nano-dollar" nano={cost} />
          {waived === 0n ? null : (
            <FootRow text="Waived: the service's own count beyond the hold" nano={waived} />
          )}
        </>
      }
    />
  </Panel>
);

const Facts = ({ of: receipt }: { readonly of: AccountReceipt }) => (
  <Panel title="Call">
    <dl className="facts">
      <dt>Time</dt>
      <dd>
        <Time at={receipt.created} />
      </dd>
      <dt>Key</dt>
      <dd>
        <Link to="/keys/$id" params={{ id: receipt.api_key }} className="mono">
          {receipt.api_key}
        </Link>
      </dd>
      <dt>Model</dt>
      <dd>{receipt.model ?? 'unknown'}</dd>
      <dt>Kind</dt>
      <dd>{KIND_NAMES[receipt.kind]}</dd>
      <dt>Route</dt>
      <dd>{receipt.route ?? 'none served'}</dd>
      <dt>Replayed</dt>
      <dd>{receipt.replayed === null ? 'no' : <Time at={receipt.replayed} />}</dd>
      <dt>Routes tried</dt>
      <dd className="number">{receipt.attempts ?? 'not known'}</dd>
      <dt>First content after</dt>
      <dd className="number">
        {receipt.first_token_ms === null
          ? 'not streamed, or not known'
          : `${countText(receipt.first_token_ms)} ms`}
      </dd>
      <dt>Of the input, cached</dt>
      <dd className="number">{countText(receipt.cached_units)}</dd>
      <dt>Service tier</dt>
      <dd>{receipt.service_tier ?? 'standard'}</dd>
      <dt>Prices of catalog</dt>
      <dd className="mono">{receipt.catalog ?? 'unknown'}</dd>
    </dl>
  </Panel>
);
