/** The dialect flags of the quirks of simulated hosts, and hosts with several quirks. */
import type { Dialect } from '../../../lambdas/inference/core/catalog/dialect.ts';
import type { Quirk } from '../../../tools/simulators/models/hosts/quirks.ts';

/** Quirks of a host of chat completions that a dialect has a flag for. */
export const FLAGS = {
  'no-developer-role': { developer_role: false },
  'only-max-tokens': { max_tokens_field: 'max_tokens' },
  'only-max-completion-tokens': { max_tokens_field: 'max_completion_tokens' },
  'no-store': { store: false },
  'no-stream-options': { stream_options: false },
  'no-parallel-tool-calls': { parallel_tool_calls: false },
  'string-content': { text_content: 'string' },
  'mirrors-content': { text_content: 'string' },
  'system-first': { system_messages: 'first' },
  'no-empty-assistant': { empty_assistant: false },
  'assistant-after-tools': { assistant_after_tools: true },
  'nine-character-ids': { tool_call_ids: 'nine-characters' },
  'wants-reasoning-content': { reasoning_return: 'reasoning_content' },
  'wants-reasoning': { reasoning_return: 'reasoning' },
  'wants-thought-signature': { reasoning_return: 'thought_signature' },
  'no-strict-tools': { strict_tools: false },
  'simple-schemas': { schemas: 'simple' },
  'all-required': { all_properties_required: true },
  'thinks-by-effort': { reasoning_request: 'effort' },
  'thinks-by-budget': { reasoning_request: 'budget' },
  'thinks-by-switch': { reasoning_request: 'switch' },
  'thinks-by-enable-thinking': { reasoning_request: 'enable_thinking' },
  'thinks-by-template': { reasoning_request: 'chat_template_kwargs' },
  'thinks-by-reasoning': { reasoning_request: 'reasoning' },
  'thinks-by-reasoning-enabled': { reasoning_request: 'reasoning_enabled' },
  'thinks-by-prompt-mode': { reasoning_request: 'prompt_mode' },
  'no-reasoning-effort': { reasoning_request: 'none' },
  'json-in-reasoning': { json_answer: 'reasoning' },
} as const satisfies Partial<Record<Quirk, Dialect>>;

export type FlaggedQuirk = keyof typeof FLAGS;
export const FLAGGED = Object.keys(FLAGS) as FlaggedQuirk[];

/** The groups of quirks of which a host has at most one each. */
const EXCLUSIVE: readonly (readonly FlaggedQuirk[])[] = [
  ['only-max-tokens', 'only-max-completion-tokens'],
  ['wants-reasoning-content', 'wants-reasoning', 'wants-thought-signature'],
  [
    'thinks-by-effort',
    'thinks-by-budget',
    'thinks-by-switch',
    'thinks-by-enable-thinking',
    'thinks-by-template',
    'thinks-by-reasoning',
    'thinks-by-reasoning-enabled',
    'thinks-by-prompt-mode',
    'no-reasoning-effort',
  ],
  ['string-content', 'mirrors-content'],
];

/** The quirks without those that exclude one before them. */
export const compatible = (quirks: readonly FlaggedQuirk[]): readonly FlaggedQuirk[] =>
  quirks.filter(
    (quirk, index) =>
      !EXCLUSIVE.some(
        (group) => group.includes(quirk) && quirks.slice(0, index).some((other) => group.includes(other)),
      ),
  );

/** The dialect of a host with these quirks. */
export const dialectOf = (quirks: readonly FlaggedQuirk[]): Dialect =>
  Object.assign({}, ...quirks.map((quirk) => FLAGS[quirk]));
