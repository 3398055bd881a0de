/**
 * How a host differs from the protocol that it speaks; an entry of the catalog document. A field that is absent means
 * that the host does as its protocol says.
 */
import * as z from 'zod';

/** What an `openai` host must not be sent, or takes in another form. */
const requests = {
  /** `false`: the host refuses messages of the role `developer`; they are sent as `system`. */
  developer_role: z.literal(false).optional(),
  /** The one name under which the host knows the bound of the output; absent: as the route's `reasoning` says. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  /** `false`: the host refuses `strict` on tools; it is left out. */
  strict_tools: z.literal(false).optional(),
  /** `false`: the host refuses `store`; it is left out (callers may only say `false`). */
  store: z.literal(false).optional(),
  /** `false`: the host refuses `stream_options`; usage is read where it comes, else counted. */
  stream_options: z.literal(false).optional(),
  /** `false`: the host refuses `parallel_tool_calls`; it is left out. */
  parallel_tool_calls: z.literal(false).optional(),
  /** `string`: the host takes the texts of a message as one string only, joined by a blank line. */
  text_content: z.literal('string').optional(),
  /** `false`: the host refuses an assistant message without content; one is sent with a text that says so. */
  empty_assistant: z.literal(false).optional(),
  /** `true`: the host wants an assistant message between a tool's result and a user's message. */
  assistant_after_tools: z.literal(true).optional(),
  /**
   * Where the host takes system messages: `anywhere`, or `first`, so that one between turns is sent as a reminder in a
   * user's message. Absent: anywhere on `openai` routes; first on `anthropic` routes, but with the beta that moves them.
   */
  system_messages: z.enum(['first', 'anywhere']).optional(),
  /** `nine-characters`: ids of tool calls must be nine letters and digits (Mistral). */
  tool_call_ids: z.literal('nine-characters').optional(),
  /** `simple`: schemas without tuples, without `type` beside `anyOf`, and with a type for every `enum`. */
  schemas: z.literal('simple').optional(),
  /** `true`: every property of an object must be `required`; one that may be left out is required and may be null. */
  all_properties_required: z.literal(true).optional(),
  /** `false`: an `openai-responses` host refuses `custom` tools; they are sent as functions, as on other protocols. */
  custom_tools: z.literal(false).optional(),
};

/** What of an `openai` host's answers stands elsewhere than the protocol has it. */
const answers = {
  /** `reasoning`: where a caller asked for JSON and the text is empty, the text is what stands in the reasoning. */
  json_answer: z.literal('reasoning').optional(),
};

export const dialect = z.strictObject({
  /**
   * How the model is asked to think; absent: it is not asked where the caller does not speak the route's protocol.
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
  ...requests,
  ...answers,
});

export type Dialect = z.infer<typeof dialect>;
