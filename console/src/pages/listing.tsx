/** One listing: installed, bought or subscribed to, reviewed; its owner changes it, its plans, builds and releases. */
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, isNotFound } from '../api/client.ts';
import { type MarketSection, useIsEmpty, useListing, useReviews } from '../api/market.ts';
import { offerText } from '../api/offers.ts';
import { useAccount } from '../api/queries.ts';
import { refreshSales, useIsCustomer } from '../api/sales.ts';
import type { ListingBody, ReviewBody } from '../api/types.ts';
import { Badge, countText, Facts, Loaded, More, NotFound, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Confirmed, DialogButton } from '../parts/dialog.tsx';
import { Form, Select, TextArea } from '../parts/form.tsx';
import { AcquireListing } from '../parts/listing/acquire.tsx';
import { Builds } from '../parts/listing/builds.tsx';
import { ListingForm } from '../parts/listing/listing-form.tsx';
import { OpenListing, pathOf, Seller, sectionOf } from '../parts/listing/listing-links.tsx';
import { Plans } from '../parts/listing/plans.tsx';
import { Releases } from '../parts/listing/releases.tsx';

export function ListingPage() {
  const { section, id } = useParams({ from: '/market/$section/$id' });
  const listing = useListing(section === 'ai-agents' ? 'ai-agents' : 'apps', id);
  if (isNotFound(listing.error))
    return <NotFound title="Listing not found">There is no such listing.</NotFound>;
  return <Loaded query={listing}>{(data) => <ListingView of={data} />}</Loaded>;
}

function ListingView({ of: listing }: { readonly of: ListingBody }) {
  const account = useAccount();
  const isOwner = account.data?.id === listing.owner_id;
  const isEmpty = useIsEmpty(sectionOf(listing), listing);
  return (
    <div className="page">
      <PageHead title={listing.name} about={<span className="break">{listing.summary}</span>}>
        {isEmpty && !isOwner ? <Badge tone="warn">The current release has no download</Badge> : null}
        {isOwner ? <OwnActions of={listing} /> : <AcquireListing of={listing} isEmpty={isEmpty} />}
      </PageHead>
      {isEmpty && isOwner ? (
        <p className="note warn">
          Buyers receive nothing until a build is released: the listing has no URL, and its current release,{' '}
          {listing.version}, has no build. Upload one below, then publish a release with it.
        </p>
      ) : null}
      <Panel title="About">
        <div className="stack">
          <p className="break">{listing.description === '' ? 'No description.' : listing.description}</p>
          <Facts
            of={{
              Price: offerText(listing),
              Version: listing.version,
              Category: listing.category,
              Installs: countText(listing.installs),
              Rating: listing.rating === null ? 'none yet' : `${listing.rating.toFixed(1)} of 5`,
              URL: <OpenListing of={listing} />,
              Seller: <Seller of={listing} />,
            }}
          />
        </div>
      </Panel>
      <Plans of={listing} isOwner={isOwner} />
      <Reviews of={listing} isOwner={isOwner} />
      {isOwner ? <Builds of={listing} /> : null}
      <Releases of={listing} isOwner={isOwner} />
    </div>
  );
}

function OwnActions({ of: listing }: { readonly of: ListingBody }) {
  const navigate = useNavigate();
  const remove = async () => {
    await call(pathOf(listing), { method: 'DELETE' });
    await refreshSales();
    await navigate({ to: '/market', search: { section: sectionOf(listing) } });
  };
  return (
    <>
      <Badge tone="good">yours</Badge>
      <DialogButton text="Edit" title="Edit the listing">
        {(close) => (
          <ListingForm
            of={listing}
            submit="Save"
            onCancel={close}
            onSubmit={async (body) => {
              await call(pathOf(listing), { method: 'PUT', body });
              await refreshSales();
              close();
            }}
          />
        )}
      </DialogButton>
      <Confirmed
        text="Delete"
        question="The listing is taken off the market, and its subscriptions end with their periods. Sales that have not matured are held for up to 90 days, because their buyers can no longer download what they paid for: to be paid on time, delete it seven days after its last sale."
        action={remove}
        className="button bad"
      />
    </>
  );
}

const RATINGS = [
  ['', 'Choose a rating'] as const,
  ...['5', '4', '3', '2', '1'].map((stars) => [stars, `${stars} of 5`] as const),
];

function Reviews({ of: listing, isOwner }: { readonly of: ListingBody; readonly isOwner: boolean }) {
  const section: MarketSection = sectionOf(listing);
  const reviews = useReviews(section, listing.id);
  const account = useAccount();
  const isCustomer = useIsCustomer(listing);
  const isOwn = ({ reviewer_id: reviewer }: ReviewBody) => reviewer === account.data?.id;
  return (
    <Panel title="Reviews">
      <div className="stack">
        <Loaded query={reviews}>
          {(list) => (
            <>
              {list.length === 0 ? (
                <p className="quiet">No reviews yet.</p>
              ) : (
                <ul className="stack">
                  {list.map((each) => (
                    <Review key={each.id} of={each} isOwn={isOwn(each)} />
                  ))}
                </ul>
              )}
              <More of={reviews} />
              {!isOwner && isCustomer && !list.some(isOwn) ? <NewReview of={listing} /> : null}
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}

const Review = ({
  of: { rating, text, created },
  isOwn,
}: {
  readonly of: ReviewBody;
  readonly isOwn: boolean;
}) => (
  <li>
    <strong>{rating} of 5</strong>{' '}
    <span className="quiet small">
      <Time at={created} />
    </span>{' '}
    {isOwn ? <Badge tone="good">yours</Badge> : null}
    <p className="break">{text}</p>
  </li>
);

/** An account reviews a listing once, so nothing is chosen ahead. */
function NewReview({ of: listing }: { readonly of: ListingBody }) {
  const [rating, setRating] = useState('');
  const [text, setText] = useState('');
  const review = async () => {
    await call(`${pathOf(listing)}/reviews`, { method: 'POST', body: { rating: Number(rating), text } });
    await refreshSales();
  };
  return (
    <Form submit="Review" onSubmit={review} labels={{ rating: 'Rating', text: 'Review' }}>
      <Select label="Rating" value={rating} onChange={setRating} options={RATINGS} required />
      <TextArea
        label="What do you think of it?"
        value={text}
        onChange={setText}
        rows={2}
        hint="It is published, and cannot be changed."
      />
    </Form>
  );
}
