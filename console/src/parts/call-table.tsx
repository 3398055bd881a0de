/** Calls as rows, each with the way to its receipt. */
import { Link } from '@tanstack/react-router';
import type { Call } from '../api/types.ts';
import { Badge, countText, Empty, Money, Time } from './basics.tsx';

const TONES = { completed: 'good', interrupted: 'warn', failed: 'bad', expired: '' } as const;

export const Status = ({ status }: { readonly status: Call['status'] }) => (
  <Badge tone={TONES[status]}>{status}</Badge>
);

/** `13 in, 24 out`, in whatever the call was counted in. */
export function unitsText({
  unit,
  input_units: input,
  output_units: output,
}: Pick<Call, 'unit' | 'input_units' | 'output_units'>): string {
  if (unit === 'image') return `${countText(output)} ${output === 1 ? 'image' : 'images'}`;
  if (unit === 'second') return `${countText(input)} s`;
  return `${countText(input)} in · ${countText(output)} out`;
}

export function CallTable({ calls }: { readonly calls: readonly Call[] }) {
  if (calls.length === 0) return <Empty>No calls.</Empty>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Model</th>
            <th scope="col">Status</th>
            <th scope="col" className="right">
              Units
            </th>
            <th scope="col" className="right">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {calls.map((each) => (
            <tr key={each.id}>
              <td>
                <Link to="/activity/$id" params={{ id: each.id }}>
                  <Time at={each.created} />
                </Link>
              </td>
              <td className="break">{each.model ?? <span className="quiet">unknown</span>}</td>
              <td>
                <Status status={each.status} />
              </td>
              <td className="right quiet">{unitsText(each)}</td>
              <td className="right">
                <Money nano={each.cost} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
