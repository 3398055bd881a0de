/** The sellers in the operator's view: earnings, held and returned sales, payouts, and the commands that change them. */
import type { SellerSummaryBody } from '../../api/types.ts';
import { Badge, Code, Money, numberOf } from '../basics.tsx';
import type { Column } from '../table.tsx';
import { TablePages } from '../table-pages.tsx';
import { pagesOf } from './views.tsx';

export const Sellers = () => (
  <>
    <p className="small quiet">
      In AWS, add <code>--stage</code> to a command. <code>npm run admin -- market reconcile</code> compares
      the payouts with Stripe.
    </p>
    <TablePages<SellerSummaryBody> {...pagesOf('sellers')} columns={COLUMNS} idOf={({ id }) => id} />
  </>
);

const COLUMNS: readonly Column<SellerSummaryBody>[] = [
  { head: 'Seller', of: 'break', cell: ({ id }) => <span className="mono small">{id}</span> },
  { head: 'Pending', right: true, cell: ({ pending }) => <Money nano={pending} /> },
  { head: 'Available', right: true, cell: ({ available }) => <Money nano={available} /> },
  { head: 'In transit', right: true, cell: ({ in_transit: inTransit }) => <Money nano={inTransit} /> },
  { head: 'Paid out', right: true, cell: ({ paid_out: paidOut }) => <Money nano={paidOut} /> },
  { head: 'Sold', right: true, cell: ({ sold }) => <Money nano={sold} /> },
  { head: 'Held', right: true, cell: ({ held, sold }) => <Share part={held} sold={sold} /> },
  { head: 'Returned', right: true, cell: ({ returned, sold }) => <Share part={returned} sold={sold} /> },
  { head: 'Payouts', cell: ({ payouts }) => <Payouts of={payouts} /> },
  { head: 'State', cell: (seller) => <State of={seller} /> },
];

/** The documentation of `seller show` recommends a check of a seller above a tenth. */
const isHigh = (part: bigint, sold: bigint): boolean => part * 10n > sold;

function Share({ part, sold }: { readonly part: bigint; readonly sold: bigint }) {
  if (part === 0n) return '–';
  return (
    <>
      <Money nano={part} />{' '}
      <Badge tone={isHigh(part, sold) ? 'bad' : ''}>{`${(part * 100n) / sold} %`}</Badge>
    </>
  );
}

function Payouts({ of: payouts }: { readonly of: SellerSummaryBody['payouts'] }) {
  if (payouts.length === 0) return '–';
  return payouts.map(({ status, count, total }) => (
    <div key={status} className="small">
      {numberOf(count, 'payout')} {status.replace('_', ' ')}: <Money nano={total} />
    </div>
  ));
}

function State({
  of: { id, payouts_paused: isPaused, maturity_days: days },
}: {
  readonly of: SellerSummaryBody;
}) {
  const command = isPaused ? 'resume' : 'pause';
  return (
    <>
      <Badge tone={isPaused ? 'warn' : 'good'}>{isPaused ? 'payouts paused' : 'payouts allowed'}</Badge>
      {days === null ? null : <div className="small quiet">sales mature after {numberOf(days, 'day')}</div>}
      <details className="small">
        <summary>{isPaused ? 'Resume' : 'Pause'}</summary>
        <Code text={`npm run admin -- seller ${command} --account ${id}`} label={`${command} ${id}`} />
      </details>
    </>
  );
}
