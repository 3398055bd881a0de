/** A table of a list that the service returns in pages, with a button for the next one. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { call, withQuery } from '../api/client.ts';
import type { ApiPage } from '../api/types.ts';
import { type TableOptions, TablePanel } from './table.tsx';

export function TablePages<T>({
  path,
  queryKey,
  title,
  ...table
}: Omit<TableOptions<T>, 'rows'> & {
  readonly path: string;
  readonly queryKey: readonly string[];
  readonly title?: string;
}) {
  const pages = useInfiniteQuery({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ pageParam: cursor }) => call<ApiPage<T>>(withQuery(path, { limit: 100, cursor })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
    select: ({ pages: loadedPages }) => loadedPages.flatMap(({ data }) => data),
  });
  return (
    <>
      <TablePanel query={pages} {...(title === undefined ? {} : { title })} {...table} />
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
