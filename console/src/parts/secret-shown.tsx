/** A newly created secret, shown only once. */
import type { ReactNode } from 'react';
import { Code } from './basics.tsx';

export const SecretShown = ({
  secret,
  label,
  onDone,
  children,
}: {
  readonly secret: string;
  readonly label: string;
  /** Closes what shows it; absent where it stays on the page. */
  readonly onDone?: () => void;
  /** The reason why it must be copied now. */
  readonly children: ReactNode;
}) => (
  <div className="stack">
    <p className="note warn">{children}</p>
    <Code text={secret} label={label} />
    {onDone === undefined ? null : (
      <div className="row end">
        <button type="button" className="button main" onClick={onDone}>
          Done
        </button>
      </div>
    )}
  </div>
);

/** An API key, new or rotated. */
export const KeyShown = ({ secret, onDone }: { readonly secret: string; readonly onDone?: () => void }) => (
  <SecretShown secret={secret} label="API key" {...(onDone === undefined ? {} : { onDone })}>
    Copy the key now: it is not stored, and cannot be shown again.
  </SecretShown>
);
