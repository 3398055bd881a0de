/** A newly created secret, shown only once. */
import { type ReactNode, useEffect, useRef } from 'react';
import { Code } from './basics.tsx';
import { useKeptOpen } from './dialog.tsx';
import { useLeaveWarning } from './leave-warning.ts';

export function SecretShown({
  secret,
  label,
  onDone,
  children,
}: {
  readonly secret: string;
  readonly label: string;
  /** Closes what shows it; until then nothing else does, and the browser asks before the page goes away. */
  readonly onDone: () => void;
  /** The reason why it must be copied now. */
  readonly children: ReactNode;
}) {
  useKeptOpen();
  useLeaveWarning(true);
  // The button that made it is gone, and the focus with it.
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('button')?.focus(), []);
  return (
    <div className="stack" ref={box}>
      <p className="note warn">{children}</p>
      <Code text={secret} label={label} wrap />
      <div className="row end">
        <button type="button" className="button main" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}

/** An API key, new or rotated. */
export const KeyShown = ({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) => (
  <SecretShown secret={secret} label="API key" onDone={onDone}>
    Copy the key now, then choose Done: it is not stored, and cannot be shown again.
  </SecretShown>
);
