/** The purchases, subscription charges and refunds of a span of UTC days, each with its listing and amount. */
import { Link } from '@tanstack/react-router';
import type { DateSpan } from '../api/day-span.ts';
import { useHasMarket } from '../api/queries.ts';
import { useAnyListing } from '../api/sales.ts';
import { type ChargeBody, useCreditStatement } from '../api/statements.ts';
import { countText, Loaded, Money, Panel, Time } from './basics.tsx';
import { sectionOf } from './listing/listing-links.tsx';
import { type Column, Table } from './table.tsx';

const TYPES = { purchase: 'Purchase', subscription: 'Subscription', refund: 'Refund' } as const;

const COLUMNS: readonly Column<ChargeBody>[] = [
  { head: 'Time', cell: ({ created }) => <Time at={created} /> },
  { head: 'Listing', of: 'break', cell: ({ listing_id: id }) => <ListingName id={id} /> },
  { head: 'Type', cell: ({ type }) => TYPES[type] },
  { head: 'Charge', of: 'break', cell: ({ id }) => <span className="mono small quiet">{id}</span> },
  { head: 'Amount', right: true, cell: ({ amount }) => <Money nano={amount} /> },
];

function ListingName({ id }: { readonly id: string | null }) {
  const { data: listing } = useAnyListing(id);
  if (listing == null) return <span className="mono small quiet">{id ?? 'unknown'}</span>;
  return (
    <Link to="/market/$section/$id" params={{ section: sectionOf(listing), id: listing.id }}>
      {listing.name}
    </Link>
  );
}

/** Nothing for a service without a market. */
export const Charges = ({ span }: { readonly span: DateSpan }) =>
  useHasMarket() ? <ListedCharges span={span} /> : null;

function ListedCharges({ span }: { readonly span: DateSpan }) {
  const statement = useCreditStatement(span);
  return (
    <Panel title="Purchases and subscriptions" flush>
      <Loaded query={statement}>
        {({ charges, charges_omitted: omitted }) => (
          <>
            <Table
              columns={COLUMNS}
              rows={charges}
              idOf={({ id, type, created, amount }) => `${id} ${type} ${created} ${amount}`}
              empty={
                <>
                  No purchases in these days. <Link to="/market">Find an app or an agent</Link>.
                </>
              }
            />
            {omitted === 0 ? null : (
              <p className="note warn">
                {countText(omitted)} older ones are not listed: choose a shorter span to see them.
              </p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}
