/** Installed: the listings that the account has installed, bought or subscribed to. */
import { Link } from '@tanstack/react-router';
import { useAcquisitions } from '../api/market.ts';
import { isBySubscriptionOnly, isFree } from '../api/offers.ts';
import { useAnyListing, useIsEntitled, useSubscriptions } from '../api/sales.ts';
import type { AcquisitionBody, SubscriptionBody } from '../api/types.ts';
import { Badge, PageHead, Time, ZoneNote } from '../parts/basics.tsx';
import { OpenListing, sectionOf } from '../parts/listing/listing-links.tsx';
import { NextCharge, PlanPrice, SubscriptionStatus } from '../parts/listing/subscription-state.tsx';
import { type Column, TablePanel } from '../parts/table.tsx';

export function Installed() {
  const acquisitions = useAcquisitions();
  const subscriptions = useSubscriptions();
  return (
    <div className="page">
      <PageHead
        title="Installed"
        about="The apps and agents that you have installed, bought or subscribed to."
      >
        <Link to="/market" className="button main">
          Find more
        </Link>
      </PageHead>
      <TablePanel
        query={acquisitions}
        columns={COLUMNS}
        idOf={({ listing_id: id }) => id}
        empty={
          <>
            Nothing installed yet. <Link to="/market">Find an app or an agent</Link>.
          </>
        }
      />
      <TablePanel
        query={subscriptions}
        title="Subscriptions"
        columns={SUBSCRIPTIONS}
        idOf={({ id }) => id}
        empty="No subscriptions. Listings with plans offer them."
      />
      <ZoneNote />
    </div>
  );
}

const COLUMNS: readonly Column<AcquisitionBody>[] = [
  { head: 'Listing', of: 'break', cell: (acquisition) => <ListingCell of={acquisition} /> },
  { head: 'Version', cell: ({ listing }) => listing?.version ?? '–' },
  {
    head: 'Bought',
    cell: (acquisition) =>
      acquisition.purchased === null ? <NotBought of={acquisition} /> : <Time at={acquisition.purchased} />,
  },
  {
    head: 'Installed',
    cell: ({ installed }) =>
      installed === null ? <span className="quiet">no</span> : <Time at={installed} />,
  },
  {
    head: 'Open',
    hidden: true,
    right: true,
    cell: ({ listing }) => (listing === null ? null : <OpenListing of={listing} />),
  },
];

/** States why the account may use a listing that it has not bought; otherwise it links to the offer, as after a refund. */
function NotBought({ of: { listing_id: id } }: { readonly of: AcquisitionBody }) {
  const { data: listing } = useAnyListing(id);
  const isEntitled = useIsEntitled(id);
  if (listing == null || isEntitled === undefined) return <span className="quiet">no</span>;
  if (isFree(listing)) return <span className="quiet">free</span>;
  if (isEntitled) return <span className="quiet">by subscription</span>;
  return (
    <>
      <span className="quiet">no</span>{' '}
      <Link
        to="/market/$section/$id"
        params={{ section: sectionOf(listing), id }}
        className="button small"
        aria-label={`${isBySubscriptionOnly(listing) ? 'Subscribe to' : 'Buy'} ${listing.name}`}
      >
        {isBySubscriptionOnly(listing) ? 'Subscribe' : 'Buy'}
      </Link>
    </>
  );
}

const SUBSCRIPTIONS: readonly Column<SubscriptionBody>[] = [
  { head: 'Listing', of: 'break', cell: ({ listing_id: id }) => <SubscribedListing id={id} /> },
  { head: 'Plan', of: 'break', cell: (subscription) => <PlanName of={subscription} /> },
  { head: 'Price', cell: (subscription) => <PlanPrice of={subscription} /> },
  { head: 'Status', cell: (subscription) => <SubscriptionStatus of={subscription} /> },
  { head: 'Next', cell: (subscription) => <NextCharge of={subscription} /> },
];

function SubscribedListing({ id }: { readonly id: string }) {
  const { data: listing } = useAnyListing(id);
  return listing === undefined ? null : <ListingCell of={{ listing, listing_id: id }} />;
}

/** A plan that its listing no longer offers has only its id. */
function PlanName({ of: { listing_id: id, plan } }: { readonly of: SubscriptionBody }) {
  const { data: listing } = useAnyListing(id);
  return listing?.plans.find((each) => each.id === plan)?.name ?? plan;
}

function ListingCell({
  of: { listing, listing_id: id },
}: {
  readonly of: Pick<AcquisitionBody, 'listing' | 'listing_id'>;
}) {
  if (listing === null)
    return (
      <>
        <span className="mono small">{id}</span> <Badge tone="warn">no longer on the market</Badge>
      </>
    );
  return (
    <div>
      <Link to="/market/$section/$id" params={{ section: sectionOf(listing), id }}>
        {listing.name}
      </Link>
      <div className="small quiet">{listing.summary}</div>
    </div>
  );
}
