/** How a host differs from the protocol that it speaks; an entry of the catalog document. */
import * as z from 'zod';

export const dialect = z.strictObject({
  /**
   * How the model is asked to think, where the caller does not speak the route's protocol; absent: it is not asked.
   * `effort`: by an effort. `budget`: by a number of tokens (Claude's `thinking: {type: "enabled"}`). `adaptive`: as
   * it sees fit, at an effort (Claude's `thinking: {type: "adaptive"}`). `switch`: on or off (`thinking: {type:
   * "enabled"}` without a budget, as DeepSeek and Z.ai have it).
   */
  reasoning_request: z.enum(['effort', 'budget', 'adaptive', 'switch']).optional(),
  /**
   * What an `openai` route wants back of the model's reasoning: its text (DeepSeek: with every tool call), or the
   * signatures of tool calls (Gemini); absent: nothing, because most hosts refuse the field.
   */
  reasoning_return: z.enum(['reasoning_content', 'thought_signature']).optional(),
});

export type Dialect = z.infer<typeof dialect>;
