/** One listing: installed, bought or subscribed to, reviewed; its owner changes it, its plans, builds and releases. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, isNotFound } from '../api/client.ts';
import { type MarketSection, useAcquisitions, useIsEmpty, useListing, useReviews } from '../api/market.ts';
import { isBySubscriptionOnly } from '../api/offers.ts';
import { centsNano, isLive } from '../api/plans.ts';
import { useAccount, useBalance } from '../api/queries.ts';
import { refreshSales, useIsCustomer, useIsEntitled, useSubscriptions } from '../api/sales.ts';
import type { ListingBody, ReviewBody } from '../api/types.ts';
import {
  Badge,
  countText,
  Facts,
  Loaded,
  Money,
  More,
  NotFound,
  PageHead,
  Panel,
  Time,
} from '../parts/basics.tsx';
import { Confirmed, DialogButton } from '../parts/dialog.tsx';
import { Form, Select, TextArea, useAction } from '../parts/form.tsx';
import { Builds } from '../parts/listing/builds.tsx';
import { ListingForm } from '../parts/listing/listing-form.tsx';
import { OpenListing, pathOf, Seller, sectionOf } from '../parts/listing/listing-links.tsx';
import { Plans } from '../parts/listing/plans.tsx';
import { Releases } from '../parts/listing/releases.tsx';
import { Problem } from '../parts/problem.tsx';
import { offerText, priceText } from './market.tsx';

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
        {isEmpty && !isOwner ? <Badge tone="warn">Nothing to download yet</Badge> : null}
        {isOwner ? <OwnActions of={listing} /> : <AcquireListing of={listing} isEmpty={isEmpty} />}
      </PageHead>
      {isEmpty && isOwner ? (
        <p className="note warn">
          Buyers receive nothing until a build is released: the listing has no URL. Upload a build below, then
          publish a release with it.
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

/**
 * Installing what is free, buying what is not; the price that is shown is the price that is paid. What is sold by
 * subscription only is installed once a plan is subscribed to.
 */
function AcquireListing({ of: listing, isEmpty }: { readonly of: ListingBody; readonly isEmpty: boolean }) {
  const acquisitions = useAcquisitions();
  const own = acquisitions.data?.find(({ listing_id: id }) => id === listing.id);
  const isBought = own !== undefined && own.purchased !== null && !isBySubscriptionOnly(listing);
  const isEntitled = useIsEntitled(listing.id);
  const subscription = useSubscriptions(listing.id).data?.find(isLive);
  const acquire = async () => {
    const { price } = listing;
    if (price !== null && !isBought)
      await call(`${pathOf(listing)}/purchase`, {
        method: 'POST',
        body: {
          amount: Number(price.amount),
          currency: price.currency,
          while_subscribed: subscription !== undefined,
        },
        headers: { 'idempotency-key': crypto.randomUUID() },
      });
    await call(`${pathOf(listing)}/install`, { method: 'POST' });
    await refreshSales();
  };
  if (acquisitions.data === undefined) return <Problem error={acquisitions.error} />;
  if (own !== undefined && own.installed !== null)
    return (
      <>
        <Badge tone="good">{isBought ? 'Bought and installed' : 'Installed'}</Badge>
        <Link to="/installed">All installed</Link>
      </>
    );
  if (isBySubscriptionOnly(listing) && !isEntitled) return null;
  if (listing.price === null || isBought) return <Install onInstall={acquire} />;
  return (
    <Confirmed
      text={`Buy for ${priceText(listing.price)}`}
      question={
        <PurchaseTerms price={listing.price} isSubscriber={subscription !== undefined} isEmpty={isEmpty} />
      }
      action={acquire}
      className="button main"
    />
  );
}

interface PurchaseTermsOptions {
  readonly price: NonNullable<ListingBody['price']>;
  readonly isSubscriber: boolean;
  readonly isEmpty: boolean;
}

function PurchaseTerms({ price, isSubscriber, isEmpty }: PurchaseTermsOptions) {
  const balance = useBalance().data?.balance;
  return (
    <>
      {isEmpty ? 'There is nothing to download yet: no build has been released. ' : ''}
      {isSubscriber
        ? 'You subscribe to it already, and may use it. The price is in addition: the subscription continues until you cancel it. '
        : ''}
      {priceText(price)} is paid from your balance once, and you may use it for ever.
      {balance === undefined ? null : (
        <>
          {' '}
          Balance now: <Money nano={balance} />, then: <Money nano={balance - centsNano(price.amount)} />.
        </>
      )}
    </>
  );
}

function Install({ onInstall }: { readonly onInstall: () => Promise<void> }) {
  const { run, busy, error } = useAction(onInstall);
  return (
    <>
      <button type="button" className="button main" disabled={busy} onClick={() => run()}>
        Install
      </button>
      <Problem error={error} />
    </>
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
      <Confirmed text="Delete" question="The listing is taken down." action={remove} className="button bad" />
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
