/**
 * The ways in which hosts that speak OpenAI's wire format differ from it, by name. The path of a request names those of
 * its host: `/hosts/no-store,no-done/v1/chat/completions`; `none` is a host without any.
 */
import { RequestError } from '../exchange/request-error.ts';

/** What a host refuses with its own kind of 400, by the rule in `request-rules.ts`, `message-rules.ts` or `tool-rules.ts`. */
export const STRICT_QUIRKS = [
  ...(['no-developer-role', 'only-max-tokens', 'only-max-completion-tokens'] as const),
  ...(['no-reasoning-effort', 'few-efforts'] as const),
  ...(['no-store', 'no-stream-options', 'no-parallel-tool-calls', 'string-content'] as const),
  ...(['system-first', 'no-empty-assistant', 'assistant-after-tools', 'nine-character-ids'] as const),
  ...(['wants-reasoning-content', 'wants-reasoning', 'wants-thought-signature'] as const),
  ...(['no-strict-tools', 'simple-schemas', 'all-required', 'no-custom-tools'] as const),
] as const;
export type StrictQuirk = (typeof STRICT_QUIRKS)[number];

/** How a host is asked to think; one without any of these does not. */
export const THINKING_QUIRKS = [
  ...(['thinks-by-effort', 'thinks-by-budget', 'thinks-by-switch', 'thinks-by-enable-thinking'] as const),
  ...(['thinks-by-template', 'thinks-by-reasoning', 'thinks-by-reasoning-enabled'] as const),
  ...(['thinks-by-prompt-mode', 'thinks-unasked'] as const),
] as const;
export type ThinkingQuirk = (typeof THINKING_QUIRKS)[number];

/** What of an answer is otherwise, in the order in which it is changed. */
export const ANSWER_QUIRKS = [
  ...(['json-in-reasoning', 'reasoning-named-reasoning', 'reasoning-in-details', 'mirrors-content'] as const),
  ...([
    'empty-call-ids',
    'no-call-index',
    'one-call-index',
    'gaps-in-call-indexes',
    'arguments-go-on',
  ] as const),
  ...(['stop-with-calls', 'no-finish-reason', 'empty-finish-reason', 'new-finish-reason'] as const),
  ...(['cached-as-hits', 'cached-at-top', 'cache-writes', 'standard-tier', 'cumulative-message'] as const),
  ...(['no-usage', 'null-usage', 'usage-in-every-chunk', 'usage-in-choice'] as const),
  ...(['unknown-events', 'two-objects-an-event', 'no-done', 'no-last-blank-line'] as const),
] as const;
export type AnswerQuirk = (typeof ANSWER_QUIRKS)[number];

export const QUIRKS = [...STRICT_QUIRKS, ...THINKING_QUIRKS, ...ANSWER_QUIRKS] as const;
export type Quirk = (typeof QUIRKS)[number];

/** The name of a host that does as the format says. */
const NONE = 'none';

const isQuirk = (name: string): name is Quirk => QUIRKS.some((quirk) => quirk === name);

/** The quirks that a segment of the path names. Throws `RequestError` for a name that is not one. */
export function quirksOf(segment: string): ReadonlySet<Quirk> {
  const names = segment === NONE ? [] : segment.split(',');
  const unknown = names.find((name) => !isQuirk(name));
  if (unknown !== undefined)
    throw new RequestError(`There is no quirk '${unknown}'; there are: ${QUIRKS.join(', ')}.`, [], {
      status: 404,
      body: { error: { message: `There is no quirk '${unknown}'.`, quirks: QUIRKS } },
    });
  return new Set(names.filter(isQuirk));
}
