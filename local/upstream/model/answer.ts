/** The simulated model: a pure function from a request to an answer, the same for every wire format. */
import type { ModelAnswer } from './model-answer.ts';
import type { ModelRequest } from './model-request.ts';
import { promptTokens } from './prompt-tokens.ts';
import { identifierFrom } from './random.ts';
import { textChoice } from './text-choice.ts';
import { toolCallChoice } from './tool-call-choice.ts';
import { toolsToCall } from './tool-decision.ts';

const CACHED_MODEL_SUFFIX = '-cached';
/** Conversations are hashed once, to as many characters as make a chance collision impossible. */
const SEED_LENGTH = 43;

/** Answers `request`; equal messages and tools give an equal answer, whatever the model's name. */
export function answer(request: ModelRequest): ModelAnswer {
  const conversation = identifierFrom(JSON.stringify(request.messages), SEED_LENGTH);
  const tools = toolsToCall(request);
  const choices = Array.from({ length: request.choiceCount }, (_, choiceIndex) => {
    const seed = `${conversation}/${choiceIndex}`;
    if (tools.length > 0) return toolCallChoice(tools, seed, request.maxTokens);
    return textChoice(request, seed, choiceIndex);
  });
  const prompt = promptTokens(request);
  return {
    choices,
    usage: {
      promptTokens: prompt,
      cachedTokens: request.model.endsWith(CACHED_MODEL_SUFFIX) ? Math.floor(prompt / 2) : 0,
      completionTokens: choices.reduce((sum, choice) => sum + choice.tokenCount, 0),
    },
  };
}
