/** The queries of the operator's views, and the table of a view that has pages. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call, withQuery } from '../../api/client.ts';
import type { ApiPage } from '../../api/types.ts';
import { Loaded, Panel } from '../basics.tsx';
import { type Column, Table } from '../table.tsx';

const pathOf = (view: string): string => `/api/v1/operator/${view}`;

export const useView = <T,>(view: string) =>
  useQuery({ queryKey: ['operator', view], queryFn: () => call<T>(pathOf(view)) });

const usePages = <T,>(view: string) =>
  useInfiniteQuery({
    queryKey: ['operator', view, 'pages'],
    queryFn: ({ pageParam }) => call<ApiPage<T>>(withQuery(pathOf(view), { limit: 100, cursor: pageParam })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });

/** A table of pages, with a button for the next one. */
export function Pages<T>({
  view,
  columns,
  idOf,
}: {
  readonly view: string;
  readonly columns: readonly Column<T>[];
  readonly idOf: (row: T) => string;
}) {
  const pages = usePages<T>(view);
  return (
    <>
      <Panel flush>
        <Loaded query={pages}>
          {({ pages: found }) => (
            <Table columns={columns} rows={found.flatMap(({ data }) => data)} idOf={idOf} empty="None." />
          )}
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
