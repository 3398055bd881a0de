/** The simulated model: a pure function from a request to an answer, the same for every wire format. */
import type { ModelChoice, ModelMessage, ModelOutput, ModelRequest, ModelUsage } from './model.ts';
import { promptTokens, TOKENS_PER_SEARCH } from './prompt-tokens.ts';
import { plainProse } from './prose.ts';
import { identifierFrom, randomFrom } from './random.ts';
import { refusalChoice, textChoice } from './text-choice.ts';
import { cutToTokens, type TokenCut } from './tokens.ts';
import { callsToMake, toolCallChoice } from './tool-call-choice.ts';

const CACHED_MODEL_SUFFIX = '-cached';

/** Conversations are hashed once, to as many characters as make a chance collision impossible. */
const SEED_LENGTH = 43;

/** A seed that is equal for equal conversations: ids of calls and names of participants play no part. */
function conversationSeed(messages: readonly ModelMessage[]): string {
  const parts = messages.map(({ role, text, imageCount, toolCalls }) => {
    const calls = toolCalls.map((call) => [call.name, call.arguments]);
    return [role, text, imageCount, calls];
  });
  return identifierFrom(JSON.stringify(parts), SEED_LENGTH);
}

/** Choice number `choiceIndex`, without the reasoning before it. */
function plainChoice(request: ModelRequest, seed: string, choiceIndex: number): ModelChoice {
  if (request.refuses === true) return refusalChoice(request.maxTokens);
  // Without a token to spend no call can begin.
  const calls = request.maxTokens === 0 ? [] : callsToMake(request, seed);
  if (calls.length > 0) return toolCallChoice(calls, seed, request.maxTokens);
  return textChoice(request, seed, choiceIndex);
}

/** The reasoning before an answer; the answer itself is the one it would be without it. */
const thoughtFrom = (seed: string, maxTokens: number | undefined): TokenCut =>
  cutToTokens(`Let me think. ${plainProse(randomFrom(`${seed}/thought`), 0)}`, maxTokens);

function afterThought(request: ModelRequest, { text, tokenCount }: TokenCut, seed: string): ModelChoice {
  const remainingTokens = request.maxTokens === undefined ? undefined : request.maxTokens - tokenCount;
  const choice = plainChoice({ ...request, maxTokens: remainingTokens }, seed, 0);
  return { ...choice, thinking: text, tokenCount: choice.tokenCount + tokenCount };
}

/** Returns the cache usage of the wire format. Models with a certain name read half of any prompt. */
function cacheUse({ model, cache }: ModelRequest, prompt: number) {
  const half = model.endsWith(CACHED_MODEL_SUFFIX) ? Math.floor(prompt / 2) : undefined;
  const { written } = (half === undefined ? cache : undefined) ?? { written: { '5m': 0, '1h': 0 } };
  const cachedTokens = half ?? cache?.read ?? 0;
  return { cachedTokens, cacheWriteTokens: written['5m'] + written['1h'], cacheWrites: written };
}

/**
 * Answers `request`; equal conversations and tools give an equal answer, whatever the model's name. Only an answer of
 * one choice thinks.
 */
export function generateOutput(request: ModelRequest): ModelOutput {
  const conversation = conversationSeed(request.messages);
  const thought = request.thinks === true ? thoughtFrom(conversation, request.maxTokens) : undefined;
  const choices = Array.from({ length: request.choiceCount }, (_, choiceIndex) => {
    const seed = `${conversation}/${choiceIndex}`;
    if (thought !== undefined) return afterThought(request, thought, seed);
    return plainChoice(request, seed, choiceIndex);
  });
  const { webSearches = 0 } = request;
  const prompt = promptTokens(request) + webSearches * TOKENS_PER_SEARCH;
  return {
    choices,
    usage: {
      promptTokens: prompt,
      ...cacheUse(request, prompt),
      completionTokens: choices.reduce((sum, choice) => sum + choice.tokenCount, 0),
      thinkingTokens: thought?.tokenCount ?? 0,
      webSearches,
    },
  };
}

export function generateSingleOutput(request: ModelRequest): { choice: ModelChoice; usage: ModelUsage } {
  const { choices, usage } = generateOutput(request);
  const [choice] = choices;
  if (choice === undefined) throw new Error('the model gave no choice');
  return { choice, usage };
}
