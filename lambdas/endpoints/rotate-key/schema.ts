/** The body of `POST /api-keys/{id}/rotate`, which may be left out. */
import * as z from 'zod';

/** A week is enough to roll a secret out; a secret that is good for longer has not been rotated. */
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60;

export const rotateKeyRequest = z.object({
  overlap_seconds: z.int().min(0).max(MAX_OVERLAP_SECONDS).default(0),
});
