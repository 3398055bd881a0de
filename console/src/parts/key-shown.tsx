/** A key just made: shown this once. */
import type { NewApiKey } from '../api/types.ts';
import { Code } from './basics.tsx';

export const KeyShown = ({ made }: { readonly made: NewApiKey }) => (
  <div className="stack">
    <p className="note warn">Copy the key now: it is not stored, and cannot be shown again.</p>
    <Code text={made.key} label="API key" />
  </div>
);
