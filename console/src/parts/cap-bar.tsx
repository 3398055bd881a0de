/** A cap as a bar: spent, held, free. */
import { Badge, Money } from './basics.tsx';

/** Returns a share of the whole in percent, only for the width of a bar segment. */
const share = (part: bigint, whole: bigint): number =>
  whole <= 0n ? 100 : Math.min(100, Number((part * 10_000n) / whole) / 100);

/** Shows a cap. `usedAmount` is the cost of its settled calls and the holds of the open ones. */
export function CapBar({
  name,
  cap,
  usedAmount,
}: {
  readonly name: string;
  readonly cap: bigint;
  readonly usedAmount: bigint;
}) {
  const free = cap > usedAmount ? cap - usedAmount : 0n;
  const width = share(usedAmount, cap);
  return (
    <div className="stack tight">
      <div className="row apart">
        <h3>{name}</h3>
        {free === 0n ? <Badge tone="bad">cap reached</Badge> : null}
      </div>
      <div
        className={free === 0n ? 'bar full' : 'bar'}
        role="img"
        aria-label={`${width.toFixed(0)} % of the cap is spent or held`}
      >
        <i style={{ width: `${width}%` }} />
      </div>
      <p className="legend">
        <span>
          Spent or held <Money nano={usedAmount} />
        </span>
        <span>
          Free <Money nano={free} />
        </span>
        <span>
          Cap <Money nano={cap} />
        </span>
      </p>
    </div>
  );
}
