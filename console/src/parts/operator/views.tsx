/** The queries of the operator's views, and the table of a view that has pages. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { call, withQuery } from '../../api/client.ts';
import type { ApiPage } from '../../api/types.ts';
import { type Column, TablePanel } from '../table.tsx';

const pathOf = (view: string): string => `/api/v1/operator/${view}`;

export const useView = <T,>(view: string) =>
  useQuery({ queryKey: ['operator', view], queryFn: () => call<T>(pathOf(view)) });

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
  const pages = useInfiniteQuery({
    queryKey: ['operator', view, 'pages'],
    queryFn: ({ pageParam: cursor }) => call<ApiPage<T>>(withQuery(pathOf(view), { limit: 100, cursor })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages: loadedPages }) => loadedPages.flatMap(({ data }) => data),
  });
  return (
    <>
      <TablePanel query={pages} columns={columns} idOf={idOf} empty="None." />
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
