/** The fields, parts and items of a request for which the size of its prompt has a rule. */

/**
 * Fields of a chat, Messages or Responses request that add nothing to a prompt if they are a number or a boolean. The
 * model's name is the route's own.
 */
const SETTINGS: ReadonlySet<string> = new Set([
  'model',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'parallel_tool_calls',
  'max_output_tokens',
  'max_tool_calls',
  'store',
  'background',
]);

/** Returns whether a field with this value gives no information to a model. */
export const isSetting = (field: string, value: unknown): boolean =>
  SETTINGS.has(field) && (field === 'model' || typeof value === 'number' || typeof value === 'boolean');

/** Roles of messages, and the types of parts whose other fields are all in sight: text, images, thoughts, calls. */
export const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
export const VISIBLE_PARTS: ReadonlySet<unknown> = new Set([
  'text',
  'refusal',
  'image_url',
  'image',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'search_result',
  'input_text',
  'output_text',
  'input_image',
  'summary_text',
  'reasoning_text',
]);

/** Items of the Responses format whose fields are all in sight. */
export const VISIBLE_ITEMS: ReadonlySet<unknown> = new Set([
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** The types of tools that the caller runs; every route can be given them, as functions. */
export const OWN_TOOLS: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace']);

/**
 * Tools that Anthropic defines and the caller runs, in any version, with the usual tokens of their definitions (Claude
 * docs, Tool use, Client tools; Bash tool, Text editor tool and Computer use tool, Pricing). Others count as the largest.
 */
export const CLIENT_TOOLS =
  /^(?:custom|(bash|text_editor|computer|memory|(?:computer|browser)_toolset)_\d{8})$/;
const DEFINITION_TOKENS: Readonly<Record<string, number>> = { bash: 245, text_editor: 700 };
const LARGEST_DEFINITION = 735;

/** Returns whether a tool of this type has results that the provider adds to the prompt. */
export const isServerTool = (type: unknown): boolean =>
  type != null && !OWN_TOOLS.has(type) && !CLIENT_TOOLS.test(String(type));

/** Returns the usual tokens of a definition that the provider adds; 0 for a tool that the caller defines. */
export function definitionTokens(type: unknown): number {
  if (type == null || OWN_TOOLS.has(type)) return 0;
  return DEFINITION_TOKENS[CLIENT_TOOLS.exec(String(type))?.[1] ?? ''] ?? LARGEST_DEFINITION;
}

/** Fields of items that are a text or parts. */
export const PARTS_OF_ITEMS: ReadonlySet<string> = new Set(['output', 'summary', 'content']);

/** Fields of content parts whose text the model reads unchanged. */
export const READ_AS_IT_IS: ReadonlySet<string> = new Set(['text', 'refusal', 'thinking']);
