/** Fields of a part, block or message that belong to one of another kind. */
import type * as z from 'zod';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';

/**
 * Rejects fields of `contents` that are not among the `allowedFields` of a kind. A prompt in such a field would be read by
 * some routes and ignored by others. Null counts as absent. A field that no kind has is not rejected.
 */
export const only =
  (kind: string, contents: readonly string[], allowedFields: readonly string[]) =>
  (value: JsonObject, context: z.core.$RefinementCtx): void => {
    for (const field of contents) {
      if (allowedFields.includes(field) || value[field] === undefined || value[field] === null) continue;
      context.addIssue({ code: 'custom', path: [field], message: `is not a field of ${kind}` });
    }
  };
