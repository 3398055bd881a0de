/** A table of a list that the service returns in pages, with a button for the next one. */
import { usePages } from '../api/queries.ts';
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
  const pages = usePages<T>({ queryKey, path });
  return <TablePanel query={pages} {...(title === undefined ? {} : { title })} {...table} />;
}
