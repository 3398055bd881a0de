/** A whole answer of an OpenAI-compatible server (OpenAI API reference, The chat completion object). */
import { type Attempt, type JsonObject, type Reply, UpstreamFailure } from '../../core/inference/provider.ts';
import { textOf } from './text.ts';
import { toUsage } from './usage.ts';

/** The answer under our own id and model name. Throws `UpstreamFailure` when it is not a chat completion. */
export function toReply(body: unknown, identity: Attempt['identity']): Extract<Reply, { kind: 'json' }> {
  const completion = body as (JsonObject & { choices?: unknown; created?: unknown }) | null;
  const choices = completion?.choices;
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isChoice))
    throw new UpstreamFailure('protocol');
  return {
    kind: 'json',
    body: { ...completion, id: identity.id, object: 'chat.completion', model: identity.model },
    text: choices.map((choice) => textOf(choice.message)).join(''),
    usage: toUsage(completion?.usage),
  };
}

interface Choice {
  readonly message: JsonObject;
}

function isChoice(choice: unknown): choice is Choice {
  return typeof (choice as Choice | null)?.message === 'object' && (choice as Choice).message !== null;
}
