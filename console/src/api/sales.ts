/** The queries of what is sold: subscriptions, builds, earnings and payouts. */
import { useQuery } from '@tanstack/react-query';
import { ApiError, call, withQuery } from './client.ts';
import { type MarketSection, useAcquisitions } from './market.ts';
import { isFree } from './offers.ts';
import { list, queryClient, usePages } from './queries.ts';
import type * as Api from './types.ts';

/** Requests again what is shown: a sale changes listings, balances and subscriptions together. */
export const refreshSales = (): Promise<void> => queryClient.invalidateQueries();

/** Reads the subscriptions of the account, to one listing or to all. */
export const useSubscriptions = (listingId?: string) =>
  useQuery({
    queryKey: ['subscriptions', listingId],
    queryFn: () => list<Api.SubscriptionBody>('/api/v1/subscriptions', { listing_id: listingId }),
  });

/** Reads what a change to a plan costs: once for each time that it is shown, so that the amount stays. */
export const usePlanPreview = (id: string, plan: string) =>
  useQuery({
    queryKey: ['subscription', id, plan],
    queryFn: () =>
      call<Api.ChargedSubscriptionBody>(
        withQuery(`/api/v1/subscriptions/${encodeURIComponent(id)}`, { plan }),
      ),
    refetchOnWindowFocus: false,
    gcTime: 0,
  });

/** Reads a listing whose kind is not known; undefined if it is no longer on the market. */
export const useAnyListing = (id: string | null) =>
  useQuery({
    queryKey: ['listing', 'any', id],
    enabled: id !== null,
    queryFn: async (): Promise<Api.ListingBody | null> => {
      for (const section of ['apps', 'ai-agents'])
        try {
          return await call<Api.ListingBody>(`/${section}/${encodeURIComponent(id ?? '')}`);
        } catch (failure) {
          if (!(failure instanceof ApiError && failure.status === 404)) throw failure;
        }
      return null;
    },
  });

/** Returns whether the account may use a listing that is not free; undefined until that is known. */
export const useIsEntitled = (listingId: string): boolean | undefined =>
  useQuery({
    queryKey: ['entitlements', listingId],
    queryFn: () => list<Api.EntitlementBody>('/api/v1/entitlements', { listing_id: listingId }),
  }).data?.some(({ active }) => active);

/** Returns whether the account may review a listing of another account. */
export function useIsCustomer(listing: Api.ListingBody): boolean {
  const own = useAcquisitions().data?.find(({ listing_id: id }) => id === listing.id);
  const subscriptions = useSubscriptions(listing.id).data ?? [];
  const { installed = null, purchased = null } = own ?? {};
  return purchased !== null || subscriptions.length > 0 || (installed !== null && isFree(listing));
}

const WAITING: ReadonlySet<Api.BuildBody['status']> = new Set(['awaiting_upload', 'scanning']);

export const useBuilds = (section: MarketSection, id: string) =>
  useQuery({
    queryKey: ['builds', id],
    queryFn: () => list<Api.BuildBody>(`/${section}/${encodeURIComponent(id)}/builds`),
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => WAITING.has(status)) ? 2_000 : false),
  });

export const EARNINGS_TRANSACTIONS: readonly string[] = ['earnings', 'transactions'];

/** Reads the earnings. The transactions, if they are shown, are read with them: a page lists the sales of its amounts. */
export const useEarnings = () =>
  useQuery({
    queryKey: ['earnings'],
    queryFn: async () => {
      const earnings = await call<Api.EarningsBody>('/api/v1/earnings');
      await queryClient.invalidateQueries({ queryKey: EARNINGS_TRANSACTIONS }, { cancelRefetch: false });
      return earnings;
    },
    refetchInterval: 15_000,
  });

export const usePayouts = () =>
  usePages<Api.PayoutBody>({ queryKey: ['payouts'], path: '/api/v1/payouts', refetchMs: () => 15_000 });
