/** The deviations of a host from its protocol. An absent field means that the host follows its protocol. */
import * as z from 'zod';

/**
 * The amounts of thinking that can be requested of a model, in ascending order from nothing. Protocols with fewer steps
 * take the nearest.
 */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** Request fields that an `openai` host must not receive, or takes in another form. */
const requests = {
  /** `false`: the host refuses messages of the role `developer`; they are sent as `system`, as `openai` hosts always get them. */
  developer_role: z.literal(false),
  /** The one name under which the host knows the bound of the output; absent: as the route's `reasoning` says. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']),
  /** `false`: the host refuses `strict` on tools; it is left out. */
  strict_tools: z.literal(false),
  /** `false`: the host refuses `store`; it is left out (callers may only say `false`). */
  store: z.literal(false),
  /** `false`: the host refuses `stream_options`; usage is read where it comes, else counted. */
  stream_options: z.literal(false),
  /** `false`: the host refuses `parallel_tool_calls`; it is left out. */
  parallel_tool_calls: z.literal(false),
  /** `string`: the host takes the texts of a message as one string only, joined by a blank line. */
  text_content: z.literal('string'),
  /** `false`: the host refuses an assistant message without content; one is sent with a text that says so. */
  empty_assistant: z.literal(false),
  /** `true`: the host wants an assistant message between a tool's result and a user's message. */
  assistant_after_tools: z.literal(true),
  /**
   * The position at which the host takes system messages: `anywhere` or `first`. With `first`, one between turns is
   * sent as a reminder in a user's message. Default: `anywhere` on `openai` routes. On `anthropic` routes it is
   * `first`, unless they list the beta for it and the caller has it.
   */
  system_messages: z.enum(['first', 'anywhere']),
  /** `nine-characters`: ids of tool calls must be nine letters and digits (Mistral). */
  tool_call_ids: z.literal('nine-characters'),
  /** `simple`: schemas without tuples, without `type` beside `anyOf`, and with a type for every `enum`. */
  schemas: z.literal('simple'),
  /** `true`: every property of an object must be `required`; one that may be left out is required and may be null. */
  all_properties_required: z.literal(true),
  /** `false`: an `openai-responses` host refuses `custom` tools; they are sent as functions, as on other protocols. */
  custom_tools: z.literal(false),
};

/** Fields of an `openai` host's answers that differ in position from the protocol. */
const answers = {
  /** `reasoning`: where a caller asked for JSON and the text is empty, the text is what stands in the reasoning. */
  json_answer: z.literal('reasoning'),
};

const reasoning = {
  /**
   * The method by which the model is requested to think. If it is absent and the caller does not speak the route's
   * protocol, no thinking is requested. If the caller does, its own fields request it.
   * `effort`: `reasoning_effort`.
   * `budget`: a number of tokens (Claude's `thinking: {type: "enabled"}`).
   * `adaptive`: the model decides, at an effort (Claude's `thinking: {type: "adaptive"}`).
   * `switch`: `thinking: {type: "enabled"}` without a budget.
   * `enable_thinking`: that field, with a `thinking_budget` that is subtracted from the bound of the output.
   * `chat_template_kwargs`: the switches of chat templates in it.
   * `reasoning`: an object with `effort`, `max_tokens` or `enabled`.
   * `reasoning_enabled`: an object with `enabled` alone.
   * `prompt_mode`: `reasoning` or nothing.
   * `none`: the host has no field for it and receives none.
   */
  reasoning_request: z.enum([
    'effort',
    'budget',
    'adaptive',
    'switch',
    'enable_thinking',
    'chat_template_kwargs',
    'reasoning',
    'reasoning_enabled',
    'prompt_mode',
    'none',
  ] as const),
  /**
   * The efforts that an `openai` host knows; any other becomes the nearest of them. Beside a request that only
   * switches reasoning on, they are sent as `reasoning_effort`.
   */
  reasoning_efforts: z.tuple([z.enum(EFFORTS)], z.enum(EFFORTS)),
  /**
   * The reasoning that an `openai` route requires back. It is the text under one of two names (DeepSeek: with every
   * tool call), or the signatures of tool calls (Gemini). Absent: nothing, because most hosts reject the field.
   */
  reasoning_return: z.enum(['reasoning_content', 'reasoning', 'thought_signature']),
};

/** The pattern of a field as `fields/table.ts` has it, such as `messages[].prefix`. */
export const fieldPattern = z
  .string()
  .max(128)
  .regex(/^\w+(\[\])*(\.\w+(\[\])*)*$/, 'must be a path of fields, such as "messages[].prefix"');

const fields = {
  /** The fields that the host takes although its protocol does not document them. */
  passes: z.array(fieldPattern),
};

export const dialect = z.strictObject({ ...reasoning, ...requests, ...answers, ...fields }).partial();

export type Dialect = z.infer<typeof dialect>;
