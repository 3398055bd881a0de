/** The queries of the pages, by TanStack Query: one place for paths, keys and the maximum age of a response. */
import {
  type InfiniteData,
  keepPreviousData,
  QueryCache,
  QueryClient,
  skipToken,
  useInfiniteQuery,
  useIsFetching,
  useQuery,
} from '@tanstack/react-query';
import { account } from './account.ts';
import { ApiError, call, isNotFound, withQuery } from './client.ts';
import { DAY_SECONDS, secondsOf } from './day-span.ts';
import type * as Api from './types.ts';
import { incompleteRollupsDelayMs } from './usage-rollups.ts';
import { EVENTS, EVENTS_WITHOUT_MARKET, type EventName } from './values.ts';

/** Returns whether to retry: a rejected request stays rejected, only transient failures are retried. */
const retry = (failures: number, failure: Error): boolean =>
  failures < 2 && (!(failure instanceof ApiError) || failure.status >= 500);

/** Returns whether the session itself was rejected: signed out elsewhere, or expired. */
const isSessionRejected = (failure: Error): boolean =>
  failure instanceof ApiError && ['missing_session', 'invalid_session'].includes(failure.code);

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (failure) => {
      if (isSessionRejected(failure)) refreshAccount();
    },
  }),
  defaultOptions: { queries: { retry, staleTime: 5_000, refetchOnWindowFocus: true } },
});

/** Requests again whether the browser has a session. */
export const refreshAccount = () => queryClient.invalidateQueries({ queryKey: ['account'] });

/** Refreshes the keys, if they are shown. */
export const listKeysAgain = () => queryClient.invalidateQueries({ queryKey: ['keys'] });

/** Removes all cached data of an account's owner after the session has ended. */
export async function forgetAccount(): Promise<void> {
  // A response that is still pending would restore the account.
  await queryClient.cancelQueries();
  queryClient.setQueryData(['account'], null);
  queryClient.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'account' });
}

/** Returns the session of the browser; undefined while no user is signed in. */
export const useAccount = () =>
  useQuery({
    queryKey: ['account'],
    staleTime: 60_000,
    queryFn: async () => {
      try {
        return await account();
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 401) return null;
        throw failure;
      }
    },
  });

/** Returns whether the service has a market, by its index; undefined until that is read. */
export const useMarket = (): boolean | undefined =>
  useQuery({
    queryKey: ['index'],
    staleTime: 300_000,
    queryFn: () => call<Api.IndexBody>('/'),
  }).data?.endpoints.some(({ path }) => path === '/apps');

/** The same, true until the index is read: an index that cannot be read hides no page. */
export const useHasMarket = (): boolean => useMarket() ?? true;

/** Returns the events that a webhook can subscribe to: most are of the market. */
export const useEvents = (): readonly EventName[] => (useHasMarket() ? EVENTS : EVENTS_WITHOUT_MARKET);

export const useBalance = () =>
  useQuery({
    queryKey: ['balance'],
    queryFn: () => call<Api.Balance>('/api/v1/credits'),
    refetchInterval: 15_000,
  });

/** Below the key of the balance: whatever refreshes it, such as a payment, refreshes them. */
export const ALERTS = ['balance', 'alerts'];

export const useAlerts = () =>
  useQuery({
    queryKey: ALERTS,
    queryFn: () => call<Api.AlertsBody>('/api/v1/alerts'),
    refetchInterval: 15_000,
  });

interface UsageRollupsParams {
  /** Seconds since the epoch. */
  readonly start: number;
  readonly interval: 'hour' | 'day';
  readonly groupBy?: string;
}

/** Returns usage rollups; requests them again soon while the service reports that it has not read everything yet. */
export const useUsageRollups = ({ start, interval, groupBy }: UsageRollupsParams) =>
  useQuery({
    queryKey: ['rollups', start, interval, groupBy],
    queryFn: () =>
      call<Api.UsageRollupsBody>(withQuery('/api/v1/usage/rollups', { start, interval, group_by: groupBy })),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.complete === false ? incompleteRollupsDelayMs(dataUpdateCount) : 30_000,
    placeholderData: keepPreviousData,
  });

export interface CallFilter {
  readonly api_key?: string | undefined;
  readonly model?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  /** UTC days, both inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export function callsPath({ from, to, ...filter }: CallFilter, page: Query): string {
  const start = from === undefined ? undefined : secondsOf(from);
  const end = to === undefined ? undefined : secondsOf(to) + DAY_SECONDS;
  return withQuery('/api/v1/usage', { ...filter, start, end, ...page });
}

export const useCalls = (filter: CallFilter, limit = 50) =>
  useInfiniteQuery({
    queryKey: ['calls', filter, limit],
    queryFn: ({ pageParam }) =>
      call<Api.ApiPage<Api.UsageEntry>>(callsPath(filter, { limit, cursor: pageParam })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : 4_000),
    placeholderData: keepPreviousData,
  });

/** Returns the calls that are in the cache, whatever they were filtered by, again when more have come. */
export function useLoadedCalls(): readonly Api.UsageEntry[] {
  useIsFetching({ queryKey: ['calls'] });
  return queryClient
    .getQueriesData<InfiniteData<Api.ApiPage<Api.UsageEntry>>>({ queryKey: ['calls'] })
    .flatMap(([, lists]) => lists?.pages.flatMap(({ data }) => data) ?? []);
}

export const useReceipt = (id: string) =>
  useQuery({
    queryKey: ['receipt', id],
    queryFn: () => call<Api.AccountReceipt>(`/api/v1/usage/${encodeURIComponent(id)}`),
    staleTime: 60_000,
  });

export const useKeys = () => useQuery({ queryKey: ['keys'], queryFn: () => list<Api.ApiKey>('/api-keys') });

/** The key of the first call, and its secret until somebody has confirmed that it is copied. */
interface FirstKey {
  readonly id: string;
  readonly name: string;
  readonly secret: string | undefined;
}

const FIRST_KEY = ['first-key'];

/**
 * Returns the key that was made for the first call. It exists only in the memory of this page load, so that a look at
 * another page does not lose it; signing out forgets it with everything else.
 */
export const useFirstKey = () =>
  useQuery<FirstKey>({
    queryKey: FIRST_KEY,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;

export const holdFirstKey = (key: FirstKey) => queryClient.setQueryData(FIRST_KEY, key);

/** Reads the amounts that a key has spent of its caps. */
export const useKeyCredits = (id: string) =>
  useQuery({
    queryKey: ['credits', id],
    queryFn: () => call<Api.CreditsBody>(`/credits/${encodeURIComponent(id)}`),
    refetchInterval: 15_000,
  });

/** A model with its prices, and the other names that callers may use for it. */
export type PricedModel = Api.PriceBody & { readonly aliases: readonly string[] };

/** Reads the prices of the models, each once: an alias has the prices of its model. */
export const usePrices = () =>
  useQuery({
    queryKey: ['prices'],
    staleTime: 300_000,
    queryFn: async (): Promise<readonly PricedModel[]> => {
      const { models } = await call<Api.PriceList>('/api/v1/models');
      const namesOf = Map.groupBy(models, ({ alias_of: of }) => of);
      return (namesOf.get(undefined) ?? []).map((model) => ({
        ...model,
        aliases: namesOf.get(model.model_id)?.map(({ model: alias }) => alias) ?? [],
      }));
    },
  });

/** A model as an option to choose: by its id, with the name that the catalog shows for it. */
export const modelOption = ({
  model_id: id,
  display_name: name,
}: Pick<PricedModel, 'model_id' | 'display_name'>): readonly [string, string] => [
  id,
  name === undefined ? id : `${id} · ${name}`,
];

export const useOrders = () =>
  usePages<Api.OrderBody>({
    queryKey: ['orders'],
    path: '/api/orders',
    refetchMs: (orders) => (orders.some(({ status }) => status === 'pending') ? 3_000 : false),
  });

/** Reads an order whose payment has just ended, until the payment provider has reported how. */
export const useOrder = (id: string) =>
  useQuery({
    queryKey: ['orders', id],
    queryFn: async () => {
      const order = await call<Api.OrderBody>(`/api/orders/${encodeURIComponent(id)}`);
      if (order.status !== 'pending') await queryClient.invalidateQueries({ queryKey: ['balance'] });
      return order;
    },
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? 1_500 : false),
  });

export const useWebhooks = () =>
  useQuery({ queryKey: ['webhooks'], queryFn: () => list<Api.Webhook>('/api/v1/webhooks') });

export const useWebhook = (id: string) =>
  useQuery({
    queryKey: ['webhook', id],
    queryFn: () => call<Api.WebhookWithStatistics>(`/api/v1/webhooks/${encodeURIComponent(id)}`),
  });

export const useDeliveries = (id: string) =>
  usePages<Api.DeliveryBody>({
    queryKey: ['deliveries', id],
    path: `/api/v1/webhooks/${encodeURIComponent(id)}/deliveries`,
    refetchMs: ({ length }) => (length > PAGE_LIMIT ? 15_000 : 2_000),
  });

/** Returns the receiver of telemetry; null while there is none. */
export const useTelemetry = () =>
  useQuery({
    queryKey: ['telemetry'],
    queryFn: () =>
      call<Api.TelemetryBody>('/api/v1/telemetry').catch((failure: unknown) => {
        if (isNotFound(failure)) return null;
        throw failure;
      }),
  });

type Query = Parameters<typeof withQuery>[1];

/** The most entries of a page. */
const PAGE_LIMIT = 100;

/** Reads a list to its end, page after page. */
export async function list<T>(path: string, query: Query = {}): Promise<readonly T[]> {
  const entries: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await call<Api.ApiPage<T>>(withQuery(path, { ...query, limit: PAGE_LIMIT, cursor }));
    entries.push(...page.data);
    // A list without pages has no cursor.
    if (typeof page.next_cursor !== 'string') return entries;
    cursor = page.next_cursor;
  }
}

interface PagesOptions<T> {
  readonly queryKey: readonly unknown[];
  readonly path: string;
  readonly query?: Query;
  readonly refetchMs?: (entries: readonly T[]) => number | false;
}

/** Reads the first page of a list that may be long. The next ones follow on request: `Pages` has a button for it. */
export const usePages = <T>({ queryKey, path, query = {}, refetchMs }: PagesOptions<T>) =>
  useInfiniteQuery({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ pageParam: cursor }) =>
      call<Api.ApiPage<T>>(withQuery(path, { ...query, limit: PAGE_LIMIT, cursor })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state }) => refetchMs?.(state.data?.pages.flatMap(({ data }) => data) ?? []) ?? false,
    placeholderData: keepPreviousData,
  });
