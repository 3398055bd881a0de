/** The statements of the account: what changed its credit, and its earnings if it has any, in a span of UTC days. */
import type { DateSpan } from '../api/day-span.ts';
import { useEarningsStatement } from '../api/earnings-statement.ts';
import { type StatementOfSpan, useCreditStatement } from '../api/statements.ts';
import { Loaded, Money, Panel } from './basics.tsx';
import { type Column, Table } from './table.tsx';

const OPENING = 'Opening balance';

const COLUMNS: readonly Column<StatementOfSpan['lines'][number]>[] = [
  { head: 'Movement', cell: ({ name }) => name },
  { head: 'Amount', right: true, cell: ({ amount }) => <Money nano={amount} /> },
];

function StatementTable({ opening, lines, closing }: StatementOfSpan) {
  return (
    <Table
      columns={COLUMNS}
      rows={[{ name: OPENING, amount: opening }, ...lines]}
      idOf={({ name }) => name}
      empty=""
      foot={
        <tr>
          <td>Closing balance</td>
          <td className="right">
            <Money nano={closing} />
          </td>
        </tr>
      }
    />
  );
}

export function Statements({ span, title }: { readonly span: DateSpan; readonly title: string }) {
  const credit = useCreditStatement(span);
  const { data } = useEarningsStatement(span);
  const hasEarnings = data !== undefined && (data.lines.length > 0 || data.closing !== 0n);
  return (
    <div className={hasEarnings ? 'halves' : undefined}>
      <Panel title={`Credit ${title}`} flush>
        <Loaded query={credit}>{StatementTable}</Loaded>
      </Panel>
      {hasEarnings ? (
        <Panel title={`Earnings ${title}`} flush>
          <StatementTable {...data} />
        </Panel>
      ) : null}
    </div>
  );
}
