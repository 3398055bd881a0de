/** The state of a listing that a writer has read, as an entity tag (RFC 9110, sections 8.8.3 and 13.1.1). */
import { ServiceError } from '../../../platform/core/errors.ts';
/** Counts the owner's changes only: installs and reviews must not make an edit fail. */
export const etagOf = (revision: number): string => `"${revision}"`;

/** A writer's condition: any state, or one of these. */
export type Precondition = (revision: number) => boolean;

/** Returns whether a request names a state. Without `If-Match`, and with `*`, it does not. */
export const namesState = (headers: Pick<Headers, 'get'>): boolean =>
  !['', '*'].includes(headers.get('if-match')?.trim() ?? '');

const TAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * Reads `If-Match`. Without it any state will do; a weak tag never matches. Throws 400 `invalid_value` when it is no
 * list of entity tags: taking it for absent would overwrite what its sender meant to protect.
 */
export function readIfMatch(headers: Pick<Headers, 'get'>): Precondition {
  const value = headers.get('if-match')?.trim();
  if (value === undefined || value === '*') return () => true;
  const tags = value.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => TAG.test(tag))) {
    throw new ServiceError('invalid_value', 'If-Match must be the ETag of the listing as you read it.', {
      param: 'If-Match',
    });
  }
  return (revision) => tags.includes(etagOf(revision));
}

export const revisionConflict = (revision: number): ServiceError =>
  new ServiceError('conflict', 'The listing was modified since you read it: read it again.', {
    param: 'If-Match',
    headers: { etag: etagOf(revision) },
  });
