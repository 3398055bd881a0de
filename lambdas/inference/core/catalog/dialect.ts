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
  /**
   * `false`: the vendor rejects messages of the role `developer`. They are sent as `system`, as always on `openai`
   * routes.
   */
  developer_role: z.literal(false),
  /** The vendor's only name for the output limit. If absent, the route's `reasoning` decides. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']),
  /** `false`: the vendor rejects `strict` on tools. It is dropped. */
  strict_tools: z.literal(false),
  /** `false`: the vendor rejects `store`. It is dropped (callers may only send `false`). */
  store: z.literal(false),
  /** `false`: the vendor rejects `stream_options`. Usage is read if the stream contains it, else counted. */
  stream_options: z.literal(false),
  /** `false`: the vendor rejects `parallel_tool_calls`. It is dropped. */
  parallel_tool_calls: z.literal(false),
  /** `string`: the host takes the texts of a message as one string only, joined by a blank line. */
  text_content: z.literal('string'),
  /**
   * `false`: the vendor rejects an assistant message without content. Such a message is sent with a text that states
   * its absence.
   */
  empty_assistant: z.literal(false),
  /** `true`: the host wants an assistant message between a tool's result and a user's message. */
  assistant_after_tools: z.literal(true),
  /**
   * The position at which the vendor accepts system messages: `anywhere` or `first`. With `first`, a system message
   * between turns is sent as a reminder in a user's message. Default: `anywhere` on `openai` routes. On `anthropic`
   * routes it is `first`, unless the route lists the beta for it and the caller sends that beta.
   */
  system_messages: z.enum(['first', 'anywhere']),
  /** `nine-characters`: ids of tool calls must be nine letters and digits (Mistral). */
  tool_call_ids: z.literal('nine-characters'),
  /** `simple`: schemas have no tuples, no `type` next to `anyOf`, and a type for every `enum`. */
  schemas: z.literal('simple'),
  /** `true`: every property of an object must be `required`; one that may be left out is required and may be null. */
  all_properties_required: z.literal(true),
  /**
   * `false`: an `openai-responses` vendor rejects `custom` tools. They are sent as functions, as on other protocols.
   */
  custom_tools: z.literal(false),
};

/** Response fields of an `openai` vendor that differ in position from the protocol. */
const responses = {
  /** `reasoning`: if a caller requests JSON and the text is empty, the reasoning is used as the text. */
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
   * `enable_thinking`: that field, with a `thinking_budget` that is subtracted from the bound of the output; `false` if
   * no thinking is requested.
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
   * The efforts that an `openai` vendor supports. Any other becomes the nearest of them. They are sent as
   * `reasoning_effort`, in addition to a request that only switches reasoning on.
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

export const dialect = z.strictObject({ ...reasoning, ...requests, ...responses, ...fields }).partial();

export type Dialect = z.infer<typeof dialect>;
