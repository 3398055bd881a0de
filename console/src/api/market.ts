/** The queries of the pages of the market. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call, withQuery } from './client.ts';
import { list } from './queries.ts';
import type * as Api from './types.ts';

/** `apps` or `ai-agents`, as paths have them. */
export type MarketSection = 'apps' | 'ai-agents';

export const useListings = (section: MarketSection, text: string, category: string) =>
  useQuery({
    queryKey: ['listings', section, text, category],
    placeholderData: keepPreviousData,
    queryFn: () => {
      const kind = section === 'apps' ? 'app' : 'ai-agent';
      const path =
        text === ''
          ? withQuery(`/${section}`, { category, limit: 60 })
          : withQuery('/search', { q: text, kind, category, limit: 60 });
      return list<Api.ListingBody>(path);
    },
  });

export const useListing = (section: MarketSection, id: string) =>
  useQuery({
    queryKey: ['listing', section, id],
    queryFn: () => call<Api.ListingBody>(`/${section}/${encodeURIComponent(id)}`),
  });

/** Reads what the account has installed and bought; what is beyond the first hundred listings is left out. */
export const useAcquisitions = () =>
  useQuery({
    queryKey: ['acquisitions'],
    queryFn: () => list<Api.AcquisitionBody>('/api/v1/acquisitions?limit=100'),
  });

export const useReviews = (section: MarketSection, id: string) =>
  useQuery({
    queryKey: ['reviews', id],
    queryFn: () => list<Api.ReviewBody>(`/${section}/${encodeURIComponent(id)}/reviews?limit=50`),
  });

export const useReleases = (section: MarketSection, id: string) =>
  useQuery({
    queryKey: ['releases', id],
    queryFn: () => list<Api.ReleaseBody>(`/${section}/${encodeURIComponent(id)}/releases?limit=50`),
  });

export const useCategories = () =>
  useQuery({
    queryKey: ['categories'],
    staleTime: 60_000,
    queryFn: () => list<Api.Category>('/categories?limit=100'),
  });
