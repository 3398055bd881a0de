/** The queries of the pages of the market. */
import { useQuery } from '@tanstack/react-query';
import { call } from './client.ts';
import { list, usePages } from './queries.ts';
import type * as Api from './types.ts';

/** `apps` or `ai-agents`, as paths have them. */
export type MarketSection = 'apps' | 'ai-agents';

export function useListings(section: MarketSection, text: string, category: string) {
  const kind = section === 'apps' ? 'app' : 'ai-agent';
  return usePages<Api.ListingBody>({
    queryKey: ['listings', section, text, category],
    ...(text === ''
      ? { path: `/${section}`, query: { category } }
      : { path: '/search', query: { q: text, kind, category } }),
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

export const useCategories = () =>
  useQuery({
    queryKey: ['categories'],
    staleTime: 60_000,
    queryFn: () => list<Api.Category>('/categories'),
  });
