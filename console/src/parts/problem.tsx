/** Errors as they are shown: with the label of the field in place of its name, and a way out where there is one. */
import { Link } from '@tanstack/react-router';
import { ApiError } from '../api/client.ts';
import { type FieldLabels, problemText } from './problem-text.ts';

const NO_LABELS: FieldLabels = {};

export function Problem({
  error,
  labels = NO_LABELS,
}: {
  readonly error: Error | null | undefined;
  readonly labels?: FieldLabels;
}) {
  if (error === null || error === undefined) return null;
  return (
    <p role="alert" className="note bad break">
      {problemText(error, labels)}
      {error instanceof ApiError && error.code === 'insufficient_credit' ? (
        <>
          {' '}
          <Link to="/billing">Add credit</Link>
        </>
      ) : null}
    </p>
  );
}
