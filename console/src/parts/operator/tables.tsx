/** What the operator's views read, and the tables that show it. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call, withQuery } from '../../api/client.ts';
import type { Page } from '../../api/types.ts';
import { Empty, Loaded, Panel } from '../basics.tsx';

const pathOf = (view: string): string => `/api/v1/operator/${view}`;

export const useView = <T,>(view: string) =>
  useQuery({ queryKey: ['operator', view], queryFn: () => call<T>(pathOf(view)) as Promise<T> });

const usePages = <T,>(view: string) =>
  useInfiniteQuery({
    queryKey: ['operator', view, 'pages'],
    queryFn: ({ pageParam }) =>
      call<Page<T>>(withQuery(pathOf(view), { limit: 100, cursor: pageParam })) as unknown as Promise<
        Page<T>
      >,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });

/** A table of pages, with a button for the next one. */
export function Pages<T>({
  view,
  heads,
  row,
}: {
  readonly view: string;
  readonly heads: readonly string[];
  readonly row: (entry: T) => ReactNode;
}) {
  const pages = usePages<T>(view);
  return (
    <>
      <Panel flush>
        <Loaded query={pages}>
          {({ pages: found }) => <Table heads={heads} rows={found.flatMap(({ data }) => data).map(row)} />}
        </Loaded>
      </Panel>
      {pages.hasNextPage ? (
        <div className="row">
          <button type="button" className="button" onClick={() => pages.fetchNextPage()}>
            More
          </button>
        </div>
      ) : null}
    </>
  );
}

export const Table = ({
  heads,
  rows,
}: {
  readonly heads: readonly string[];
  readonly rows: readonly ReactNode[];
}) =>
  rows.length === 0 ? (
    <Empty>None.</Empty>
  ) : (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{rows}</tbody>
      </table>
    </div>
  );
