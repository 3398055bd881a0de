/** The queries of the pages of the market. */
import { useQuery } from '@tanstack/react-query';
import { call } from './client.ts';
import { list, usePages } from './queries.ts';
import type * as Api from './types.ts';

/** `apps` or `ai-agents`, as paths have them. */
export type MarketSection = 'apps' | 'ai-agents';

/** Reads the listings of a section, or with an owner all that are its. */
export function useListings(section: MarketSection, text: string, category: string, ownerId?: string) {
  const kind = section === 'apps' ? 'app' : 'ai-agent';
  const search = ownerId === undefined ? { q: text, kind } : { q: text, owner_id: ownerId };
  const isList = text === '' && ownerId === undefined;
  return usePages<Api.ListingBody>({
    queryKey: ['listings', section, text, category, ownerId],
    ...(isList
      ? { path: `/${section}`, query: { category } }
      : { path: '/search', query: { ...search, category } }),
  });
}

export const useListing = (section: MarketSection, id: string) =>
  useQuery({
    queryKey: ['listing', section, id],
    queryFn: () => call<Api.ListingBody>(`/${section}/${encodeURIComponent(id)}`),
  });

/** Reads what the account has installed and bought. */
export const useAcquisitions = () =>
  useQuery({
    queryKey: ['acquisitions'],
    queryFn: () => list<Api.AcquisitionBody>('/api/v1/acquisitions'),
  });

export const useReviews = (section: MarketSection, id: string) =>
  usePages<Api.ReviewBody>({
    queryKey: ['reviews', id],
    path: `/${section}/${encodeURIComponent(id)}/reviews`,
  });

export const useReleases = (section: MarketSection, id: string) =>
  usePages<Api.ReleaseBody>({
    queryKey: ['releases', id],
    path: `/${section}/${encodeURIComponent(id)}/releases`,
  });

/** Returns whether a buyer of the listing receives nothing: it has no address to open, and its current release no build. */
export function useIsEmpty(
  section: MarketSection,
  { id, url, version }: Pick<Api.ListingBody, 'id' | 'url' | 'version'>,
): boolean {
  const { data, hasNextPage } = useReleases(section, id);
  const current = data?.find((release) => release.version === version);
  if (url !== null || data === undefined || (current === undefined && hasNextPage)) return false;
  return (current?.build_id ?? null) === null;
}

export const useCategories = () =>
  useQuery({
    queryKey: ['categories'],
    staleTime: 60_000,
    queryFn: () => list<Api.Category>('/categories'),
  });
