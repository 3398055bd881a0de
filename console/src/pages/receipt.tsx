/** The receipt of a call: what was held, what it came to, line by line, as the ledger has it. */
import { Link, useParams } from '@tanstack/react-router';
import { useReceipt } from '../api/queries.ts';
import type { AccountReceipt } from '../api/types.ts';
import { Badge, countText, Loaded, Money, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Status, unitsText } from '../parts/call-table.tsx';

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

function Lines({ of: receipt }: { readonly of: AccountReceipt }) {
  const { lines, cost, written_off: writtenOff, waived } = receipt;
  return (
    <Panel title="Bill" flush>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Item</th>
              <th scope="col" className="right">
                Quantity
              </th>
              <th scope="col" className="right">
                Price
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ item, quantity, price, per: of }) => (
              <tr key={`${item} ${price}`}>
                <td className="break">{item.replaceAll('_', ' ')}</td>
                <td className="right">{countText(quantity)}</td>
                <td className="right">
                  <Money nano={price} /> <span className="quiet">{per(of)}</span>
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td colSpan={2}>Charged, rounded up once to a nano-dollar</td>
              <td className="right">
                <Money nano={cost} />
              </td>
            </tr>
            {writtenOff === 0n ? null : (
              <tr>
                <td colSpan={2}>Written off: beyond the hold and the balance</td>
                <td className="right">
                  <Money nano={writtenOff} />
                </td>
              </tr>
            )}
            {waived === 0n ? null : (
              <tr>
                <td colSpan={2}>Waived: the service's own count beyond the hold</td>
                <td className="right">
                  <Money nano={waived} />
                </td>
              </tr>
            )}
          </tfoot>
        </table>
      </div>
    </Panel>
  );
}

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
      <dd>{receipt.kind}</dd>
      <dt>Route</dt>
      <dd>{receipt.route ?? 'none served'}</dd>
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
