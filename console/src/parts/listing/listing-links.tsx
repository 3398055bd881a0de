/** The links of a listing: its page in the market, and the address that its publisher gives. */
import type { MarketSection } from '../../api/market.ts';
import type { ListingBody } from '../../api/types.ts';
import { webAddress } from '../../api/web-address.ts';

export const sectionOf = ({ kind }: Pick<ListingBody, 'kind'>): MarketSection =>
  kind === 'app' ? 'apps' : 'ai-agents';

export function OpenListing({ of: { url, name } }: { readonly of: Pick<ListingBody, 'url' | 'name'> }) {
  const address = url === null ? undefined : webAddress(url);
  if (address === undefined) return <span className="quiet">a download, on its page</span>;
  return (
    <a
      href={address}
      className="button small"
      rel="noreferrer noopener"
      target="_blank"
      aria-label={`Open ${name}`}
      title={address}
    >
      Open
    </a>
  );
}

/** The seller's name, and the contact that the seller gives. */
export function Seller({
  of: { seller, contact },
}: {
  readonly of: Pick<ListingBody, 'seller' | 'contact'>;
}) {
  const address = webAddress(contact ?? '');
  return (
    <span className="break">
      {seller ?? <span className="quiet">No name given</span>}
      {contact === null ? null : (
        <>
          {', '}
          <a href={address ?? `mailto:${contact}`} rel="noreferrer noopener">
            {contact}
          </a>
        </>
      )}
    </span>
  );
}

/** The path of a listing in the API. */
export const pathOf = (listing: Pick<ListingBody, 'id' | 'kind'>): string =>
  `/${sectionOf(listing)}/${encodeURIComponent(listing.id)}`;
