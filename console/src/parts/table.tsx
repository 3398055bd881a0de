/** Tables: every list of the console, with the style and headers of its columns in one file, and downloads of them. */
import type { ReactNode } from 'react';
import { download } from '../api/client.ts';
import { Empty, Loaded, More, type PagedQuery, Panel } from './basics.tsx';
import { useAction } from './form.tsx';
import { Problem } from './problem.tsx';

export interface Column<T> {
  /** The heading of the column, unique within a table. */
  readonly head: string;
  /** Numbers end at the right, below each other. */
  readonly right?: boolean;
  /** Hides the header visually if the column explains itself; screen readers still read it. */
  readonly hidden?: boolean;
  /** A class of its cells. */
  readonly of?: 'break' | 'quiet' | 'small';
  readonly cell: (row: T) => ReactNode;
}

export interface TableOptions<T> {
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly idOf: (row: T) => string;
  /** The text that is shown if there are no rows, with the next step. */
  readonly empty: ReactNode;
  /** Rows of totals. */
  readonly foot?: ReactNode;
}

export function Table<T>({ columns, rows, idOf, empty, foot }: TableOptions<T>) {
  if (rows.length === 0 && foot === undefined) return <Empty>{empty}</Empty>;
  return (
    <div className="scroll">
      <table className={columns.length > 2 ? 'cards' : undefined}>
        <thead>
          <tr>
            {columns.map(({ head, right, hidden }) => (
              <th key={head} scope="col" className={right ? 'right' : undefined}>
                {hidden ? <span className="hidden">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={idOf(row)}>
              {columns.map(({ head, hidden, right, of = '', cell }) => (
                <td
                  key={head}
                  className={`${right ? 'right ' : ''}${of}`}
                  data-head={hidden ? undefined : head}
                >
                  <div className="value">{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot === undefined ? null : <tfoot>{foot}</tfoot>}
      </table>
    </div>
  );
}

/** A button that saves a list as CSV. */
export function CsvButton({ path, filename }: { readonly path: string; readonly filename: string }) {
  const { run, busy, error } = useAction(() => download(path, filename));
  return (
    <>
      <button type="button" className="button" disabled={busy} onClick={() => run()}>
        Download CSV
      </button>
      <Problem error={error} />
    </>
  );
}

/** Renders a panel that contains the table of a query's results, with a button for the next page of a long list. */
export const TablePanel = <T,>({
  query,
  title,
  ...table
}: Omit<TableOptions<T>, 'rows'> & {
  readonly query: { readonly data: readonly T[] | undefined; readonly error: Error | null } & (
    | PagedQuery
    | object
  );
  readonly title?: string;
}) => (
  <>
    <Panel {...(title === undefined ? {} : { title })} flush>
      <Loaded query={query}>{(rows) => <Table {...table} rows={rows} />}</Loaded>
    </Panel>
    {'hasNextPage' in query ? <More of={query} /> : null}
  </>
);
