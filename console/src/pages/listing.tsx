/** One listing: installed or bought, reviewed; its owner changes it and publishes releases. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import {
  type MarketSection,
  queryClient,
  useAccount,
  useAcquisitions,
  useListing,
  useReleases,
  useReviews,
} from '../api/queries.ts';
import type { ListingBody, ReviewBody } from '../api/types.ts';
import { Badge, countText, Empty, Facts, Loaded, PageHead, Panel, Time } from '../parts/basics.tsx';
import { Confirmed, DialogButton } from '../parts/dialog.tsx';
import { Form, Input, Select, TextArea, useAction } from '../parts/form.tsx';
import { ListingForm } from '../parts/listing/listing-form.tsx';
import { OpenListing, sectionOf } from '../parts/listing/listing-links.tsx';
import { Problem } from '../parts/problem.tsx';
import { priceText } from './market.tsx';

const pathOf = (listing: ListingBody): string => `/${sectionOf(listing)}/${encodeURIComponent(listing.id)}`;

const refresh = async (): Promise<void> => {
  for (const queryKey of [
    ['listing'],
    ['listings'],
    ['reviews'],
    ['releases'],
    ['balance'],
    ['acquisitions'],
  ])
    await queryClient.invalidateQueries({ queryKey });
};

export function ListingPage() {
  const { section, id } = useParams({ from: '/market/$section/$id' });
  const listing = useListing(section === 'ai-agents' ? 'ai-agents' : 'apps', id);
  return <Loaded query={listing}>{(data) => <ListingView of={data} />}</Loaded>;
}

function ListingView({ of: listing }: { readonly of: ListingBody }) {
  const account = useAccount();
  const isOwner = account.data?.id === listing.owner_id;
  return (
    <div className="page">
      <PageHead title={listing.name} about={<span className="break">{listing.summary}</span>}>
        {isOwner ? <OwnActions of={listing} /> : <AcquireListing of={listing} />}
      </PageHead>
      <Panel title="About">
        <div className="stack">
          <p className="break">{listing.description === '' ? 'No description.' : listing.description}</p>
          <Facts
            of={{
              Price: priceText(listing.price),
              Version: listing.version,
              Category: listing.category,
              Installs: countText(listing.installs),
              Rating: listing.rating === null ? 'none yet' : `${listing.rating.toFixed(1)} of 5`,
              Address: <OpenListing of={listing} />,
            }}
          />
        </div>
      </Panel>
      <Reviews of={listing} mayReview={!isOwner} />
      <Releases of={listing} isOwner={isOwner} />
    </div>
  );
}

/** Installing what is free, buying what is not; the price that is shown is the price that is paid. */
function AcquireListing({ of: listing }: { readonly of: ListingBody }) {
  const acquisitions = useAcquisitions();
  const own = acquisitions.data?.find(({ listing_id: id }) => id === listing.id);
  const isBought = own !== undefined && own.purchased !== null;
  const acquire = async () => {
    const { price } = listing;
    if (price !== null && !isBought)
      await call(`${pathOf(listing)}/purchase`, {
        method: 'POST',
        body: { amount: Number(price.amount), currency: price.currency },
        headers: { 'idempotency-key': crypto.randomUUID() },
      });
    await call(`${pathOf(listing)}/install`, { method: 'POST' });
    await refresh();
  };
  if (acquisitions.data === undefined) return <Problem error={acquisitions.error} />;
  if (own !== undefined && own.installed !== null)
    return (
      <>
        <Badge tone="good">{isBought ? 'Bought and installed' : 'Installed'}</Badge>
        <Link to="/installed">All installed</Link>
      </>
    );
  if (listing.price === null || isBought) return <Install onInstall={acquire} />;
  const text = `Buy for ${priceText(listing.price)}`;
  return (
    <Confirmed
      text={text}
      question="It is paid from your balance."
      action={acquire}
      className="button main"
    />
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
    await refresh();
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
              await refresh();
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

function Reviews({ of: listing, mayReview }: { readonly of: ListingBody; readonly mayReview: boolean }) {
  const section: MarketSection = sectionOf(listing);
  const reviews = useReviews(section, listing.id);
  const account = useAccount();
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
              {mayReview && !list.some(isOwn) ? <NewReview of={listing} /> : null}
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
    await refresh();
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

function Releases({ of: listing, isOwner }: { readonly of: ListingBody; readonly isOwner: boolean }) {
  const releases = useReleases(sectionOf(listing), listing.id);
  const [version, setVersion] = useState('');
  const [notes, setNotes] = useState('');
  const release = async () => {
    await call(`${pathOf(listing)}/releases`, { method: 'POST', body: { version, notes } });
    setVersion('');
    setNotes('');
    await refresh();
  };
  const back = async (to: string) => {
    await call(`${pathOf(listing)}/releases/${encodeURIComponent(to)}/rollback`, { method: 'POST' });
    await refresh();
  };
  return (
    <Panel title="Releases">
      <div className="stack">
        <Loaded query={releases}>
          {(list) =>
            list.length === 0 ? (
              <Empty>No releases yet.</Empty>
            ) : (
              <ul className="stack">
                {list.map(({ id, version: name, notes: releaseNotes, created }) => (
                  <li key={id} className="row apart">
                    <span>
                      <strong>{name}</strong>{' '}
                      <span className="quiet small">
                        <Time at={created} />
                      </span>
                      <span className="break"> {releaseNotes}</span>
                    </span>
                    {isOwner && name !== listing.version ? (
                      <Confirmed
                        text={`Back to ${name}`}
                        question="This release becomes the listing's version again."
                        action={() => back(name)}
                        className="button small"
                      />
                    ) : null}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
        {isOwner ? (
          <Form submit="Publish the release" onSubmit={release}>
            <div className="columns">
              <Input label="Version" value={version} onChange={setVersion} required placeholder="1.1.0" />
              <Input label="Notes" value={notes} onChange={setNotes} />
            </div>
          </Form>
        ) : null}
      </div>
    </Panel>
  );
}
