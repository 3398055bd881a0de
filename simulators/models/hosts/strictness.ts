/** The rule of each strict quirk, and the envelope in which its host refuses. */
import type { Json } from './json-body.ts';
import {
  assistantAfterTools,
  nineCharacterIds,
  noDeveloperRole,
  noEmptyAssistant,
  stringContent,
  systemFirst,
  wantsReasoning,
  wantsReasoningContent,
  wantsThoughtSignature,
} from './message-rules.ts';
import { type Quirk, STRICT_QUIRKS, type StrictQuirk } from './quirks.ts';
import { type Envelope, refusalOf } from './refusal.ts';
import {
  fewEfforts,
  noParallelToolCalls,
  noReasoningEffort,
  noStore,
  noStreamOptions,
  onlyMaxCompletionTokens,
  onlyMaxTokens,
  type Rule,
} from './request-rules.ts';
import { allRequired, noCustomTools, noStrictTools, simpleSchemas } from './tool-rules.ts';

const RULES: Readonly<Record<StrictQuirk, readonly [Rule, Envelope]>> = {
  'no-developer-role': [noDeveloperRole, 'places'],
  'only-max-tokens': [onlyMaxTokens, 'text'],
  'only-max-completion-tokens': [onlyMaxCompletionTokens, 'openai'],
  'no-reasoning-effort': [noReasoningEffort, 'text'],
  'few-efforts': [fewEfforts, 'openai'],
  'no-store': [noStore, 'places'],
  'no-stream-options': [noStreamOptions, 'bare'],
  'no-parallel-tool-calls': [noParallelToolCalls, 'openai'],
  'string-content': [stringContent, 'bare'],
  'system-first': [systemFirst, 'bare'],
  'no-empty-assistant': [noEmptyAssistant, 'openai'],
  'assistant-after-tools': [assistantAfterTools, 'places'],
  'nine-character-ids': [nineCharacterIds, 'places'],
  'wants-reasoning-content': [wantsReasoningContent, 'openai'],
  'wants-reasoning': [wantsReasoning, 'bare'],
  'wants-thought-signature': [wantsThoughtSignature, 'google'],
  'no-strict-tools': [noStrictTools, 'text'],
  'simple-schemas': [simpleSchemas, 'google'],
  'all-required': [allRequired, 'openai'],
  'no-custom-tools': [noCustomTools, 'openai'],
};

/** Throws `RequestError` for the first rule of the host that the request breaks. */
export function checkStrictly(body: Json, quirks: ReadonlySet<Quirk>): void {
  for (const quirk of STRICT_QUIRKS) {
    if (!quirks.has(quirk)) continue;
    const [rule, envelope] = RULES[quirk];
    const refusal = rule(body);
    if (refusal !== undefined) throw refusalOf(refusal, envelope);
  }
}
