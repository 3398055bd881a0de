/** Quirks of the account of an answer: where it stands, and under which names it has what was cached. */
import { type AnswerChange, type ChunkEvent, eachChunk, everywhere, withChoices } from './answer-form.ts';
import { isJson, type Json } from './json-body.ts';

const withUsage = (answer: Json, change: (usage: Json) => Json): Json =>
  isJson(answer.usage) ? { ...answer, usage: change(answer.usage) } : answer;

const cachedOf = ({ prompt_tokens_details: details }: Json): number =>
  Number((isJson(details) ? details.cached_tokens : undefined) ?? 0);

/** The same account with other fields in place of the details of the prompt. */
const inPlaceOfDetails = (fieldsOf: (cached: number, prompt: number) => Json): AnswerChange =>
  everywhere((answer) =>
    withUsage(answer, (usage) => {
      const { prompt_tokens_details: _details, ...rest } = usage;
      return { ...rest, ...fieldsOf(cachedOf(usage), Number(usage.prompt_tokens)) };
    }),
  );

/** DeepSeek API docs, "Context Caching". */
export const cachedAsHits = inPlaceOfDetails((cached, prompt) => ({
  prompt_cache_hit_tokens: cached,
  prompt_cache_miss_tokens: prompt - cached,
}));

/** Kimi API docs, "Chat", `usage`. */
export const cachedAtTop = inPlaceOfDetails((cached) => ({ cached_tokens: cached }));

/** What the model would read from its cache is written to it instead (OpenRouter docs, "Prompt caching"). */
export const cacheWrites = inPlaceOfDetails((cached) => ({
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: cached },
}));

/** A chunk of usage alone. */
const isAccount = ({ chunk }: ChunkEvent): boolean =>
  isJson(chunk?.usage) && Array.isArray(chunk.choices) && chunk.choices.length === 0;

export const noUsage: AnswerChange = {
  whole: ({ usage: _usage, ...completion }) => completion,
  *stream(events) {
    for (const each of events)
      if (!isAccount(each)) yield* eachChunk([each], ({ usage: _usage, ...chunk }) => chunk);
  },
};

export const nullUsage = everywhere((answer) => ({ ...answer, usage: null }));

/** The events without the one that has the account, and that account. */
function apart(events: Iterable<ChunkEvent>): {
  readonly others: readonly ChunkEvent[];
  readonly usage: Json;
} {
  const all = [...events];
  const { chunk } = all.find(isAccount) ?? {};
  return { others: all.filter((each) => !isAccount(each)), usage: isJson(chunk?.usage) ? chunk.usage : {} };
}

const hasReason = ({ chunk }: ChunkEvent): boolean =>
  Array.isArray(chunk?.choices) && chunk.choices.some((choice) => typeof choice?.finish_reason === 'string');

/** Every chunk has the account so far; only that of the last one is whole. */
export const usageInEveryChunk: AnswerChange = {
  *stream(events) {
    const { others, usage } = apart(events);
    const prompt = Number(usage.prompt_tokens);
    for (const [index, each] of others.entries()) {
      const completion = Math.min(index, Number(usage.completion_tokens));
      const soFar = {
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
      };
      yield* eachChunk([each], (chunk) => ({ ...chunk, usage: hasReason(each) ? usage : soFar }));
    }
  },
};

/** The account stands in the choice that it ends, in streams (Kimi API docs, "Chat", streaming). */
export const usageInChoice: AnswerChange = {
  *stream(events) {
    const { others, usage } = apart(events);
    for (const each of others)
      yield* eachChunk([each], ({ usage: _null, ...chunk }) =>
        hasReason(each) ? withChoices(chunk, (choice) => ({ ...choice, usage })) : chunk,
      );
  },
};

/** Quirks that give an account in streams that did not ask for one. */
export const UNASKED_USAGE = ['usage-in-every-chunk', 'usage-in-choice'] as const;

/** Whatever tier was asked for, another serves. */
export const standardTier = everywhere((answer) => ({ ...answer, service_tier: 'default' }));
