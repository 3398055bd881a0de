/** Market: search and list of apps and agents; owners create their listings here. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { call } from '../api/client.ts';
import { type MarketSection, useCategories, useListings } from '../api/market.ts';
import { offerText } from '../api/offers.ts';
import { queryClient, useAccount } from '../api/queries.ts';
import type { ListingBody } from '../api/types.ts';
import { Badge, Empty, Loaded, More, numberOf, PageHead } from '../parts/basics.tsx';
import { DialogButton } from '../parts/dialog.tsx';
import { Input, Select, Tabs } from '../parts/form.tsx';
import { ListingForm, type ListingInput } from '../parts/listing/listing-form.tsx';
import { sectionOf } from '../parts/listing/listing-links.tsx';

export function Market() {
  const { section = 'apps' } = useSearch({ from: '/market' });
  const navigate = useNavigate({ from: '/market' });
  const [text, setText] = useState('');
  const [category, setCategory] = useState('');
  const categories = useCategories();
  const ownId = useAccount().data?.id;
  const isOwn = section === 'own' && ownId !== undefined;
  const kind = section === 'ai-agents' ? section : 'apps';
  const listings = useListings(kind, useDeferredValue(text.trim()), category, isOwn ? ownId : undefined);
  return (
    <div className="page">
      <PageHead title="Market" about="Apps and agents that others have published.">
        <Link to="/installed" className="button">
          Installed
        </Link>
        <DialogButton
          text="Publish a listing"
          title={kind === 'apps' ? 'Publish an app' : 'Publish an agent'}
          className="button main"
        >
          {(close) => <Publish section={kind} onClose={close} />}
        </DialogButton>
      </PageHead>
      <Tabs
        label="Kind of listing"
        tabs={[
          ['apps', 'Apps'],
          ['ai-agents', 'Agents'],
          ...(ownId === undefined ? [] : ([['own', 'My listings']] as const)),
        ]}
        current={isOwn ? section : kind}
        onChange={(to) => navigate({ search: { section: to } })}
      />
      <div className="filters">
        <Input label="Search" type="search" value={text} onChange={setText} />
        <Select
          label="Category"
          value={category}
          onChange={setCategory}
          options={[
            ['', 'All categories'],
            ...(categories.data ?? []).map(({ name }) => [name, name] as const),
          ]}
        />
      </div>
      <Loaded query={listings}>{(list) => <Listings listings={list} />}</Loaded>
      <More of={listings} />
    </div>
  );
}

function Listings({ listings }: { readonly listings: readonly ListingBody[] }) {
  const account = useAccount();
  if (listings.length === 0)
    return <Empty>Nothing is listed here. Publish the first one, or search in the other tab.</Empty>;
  return (
    <ul className="columns">
      {listings.map((listing) => (
        <li key={listing.id}>
          <Link
            to="/market/$section/$id"
            params={{ section: sectionOf(listing), id: listing.id }}
            className="panel listing"
          >
            <span className="letter" aria-hidden="true">
              {[...listing.name][0]?.toUpperCase()}
            </span>
            <span className="stack tight">
              <strong className="break">{listing.name}</strong>
              <span className="small quiet break">{listing.summary}</span>
              <span className="row small">
                <Badge>{offerText(listing)}</Badge>
                <span className="quiet">{numberOf(listing.installs, 'install')}</span>
                {listing.rating === null ? null : (
                  <span className="quiet">★ {listing.rating.toFixed(1)}</span>
                )}
                {listing.owner_id === account.data?.id ? <Badge tone="good">yours</Badge> : null}
              </span>
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Publish({ section, onClose }: { readonly section: MarketSection; readonly onClose: () => void }) {
  const navigate = useNavigate();
  const publish = async (body: ListingInput) => {
    const newListing = await call<ListingBody>(`/${section}`, { method: 'POST', body });
    await queryClient.invalidateQueries({ queryKey: ['listings'] });
    await navigate({ to: '/market/$section/$id', params: { section, id: newListing.id } });
  };
  return <ListingForm submit="Publish" onSubmit={publish} onCancel={onClose} />;
}
