/** Fields of a part, block or message that belong to one of another kind. */
import type * as z from 'zod';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';

/**
 * Refuses what of `contents` is not a kind's `own`: a prompt in a field that its kind does not have would be read by
 * some routes and left out by others. Null stands for nothing, and a field of no kind is nobody's and passes on.
 */
export const only =
  (kind: string, contents: readonly string[], own: readonly string[]) =>
  (value: JsonObject, context: z.core.$RefinementCtx): void => {
    for (const field of contents) {
      if (own.includes(field) || value[field] === undefined || value[field] === null) continue;
      context.addIssue({ code: 'custom', path: [field], message: `is not a field of ${kind}` });
    }
  };
