/** The sellers in the operator's view: earnings, held and returned sales, payouts, and the commands that change them. */
import { percentText } from '../../api/money.ts';
import type { SellerSummaryBody } from '../../api/types.ts';
import { Badge, Code, countText, Money, numberOf } from '../basics.tsx';
import { DialogButton } from '../dialog.tsx';
import type { Column } from '../table.tsx';
import { TablePages } from '../table-pages.tsx';
import { pagesOf } from './views.tsx';

export const Sellers = () => (
  <>
    <p className="small quiet">
      The command <code>npm run admin -- market reconcile</code> compares the payouts with Stripe.
    </p>
    <TablePages<SellerSummaryBody> {...pagesOf('sellers')} columns={COLUMNS} idOf={({ id }) => id} />
  </>
);

interface SellerOptions {
  readonly of: SellerSummaryBody;
}

const COLUMNS: readonly Column<SellerSummaryBody>[] = [
  {
    head: 'Seller',
    of: 'break',
    cell: ({ id, maturity_days: days }) => (
      <div>
        <span className="mono small">{id}</span>
        {days === null ? null : <div className="small quiet">sales mature after {numberOf(days, 'day')}</div>}
      </div>
    ),
  },
  { head: 'Pending', right: true, cell: ({ pending }) => <Money nano={pending} /> },
  { head: 'Available', right: true, cell: ({ available }) => <Money nano={available} /> },
  { head: 'In transit', right: true, cell: ({ in_transit: inTransit }) => <Money nano={inTransit} /> },
  { head: 'Paid out', right: true, cell: ({ paid_out: paidOut }) => <Money nano={paidOut} /> },
  { head: 'Sold', right: true, cell: ({ sold }) => <Money nano={sold} /> },
  { head: 'Held', right: true, cell: ({ held, sold }) => <Share part={held} sold={sold} /> },
  { head: 'Returned', right: true, cell: ({ returned, sold }) => <Share part={returned} sold={sold} /> },
  { head: 'Payouts', cell: (seller) => <Payouts of={seller} /> },
];

/** The documentation of `seller show` recommends a check of a seller above a tenth. */
const isHigh = (part: bigint, sold: bigint): boolean => part * 10n > sold;

function Share({ part, sold }: { readonly part: bigint; readonly sold: bigint }) {
  if (part === 0n) return '–';
  return (
    <>
      <Money nano={part} /> <Badge tone={isHigh(part, sold) ? 'bad' : ''}>{percentText(part, sold)}</Badge>
    </>
  );
}

function Payouts({ of: { id, payouts, payouts_paused: isPaused } }: SellerOptions) {
  const [text, command] = isPaused ? ['Resume', 'resume'] : ['Pause', 'pause'];
  return (
    <div className="row">
      {isPaused ? <Badge tone="warn">paused</Badge> : null}
      {payouts.map(({ status, count, total }) => (
        <div key={status} className="small">
          {countText(count)} {status.replace('_', ' ')}: <Money nano={total} />
        </div>
      ))}
      <DialogButton text={text} title={`${text} the payouts of a seller`} className="button small">
        {() => (
          <>
            <Code text={`npm run admin -- seller ${command} --account ${id}`} label="The command" />
            <p className="small quiet">
              In AWS, add <code>--stage</code> and the stage.
            </p>
          </>
        )}
      </DialogButton>
    </div>
  );
}
