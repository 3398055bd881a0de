/** Counts a prompt the way OpenAI's cookbook does ("How to count tokens with tiktoken"), so longer input costs more. */
import type { ModelMessage, ModelRequest } from './model.ts';
import { countTokens } from './tokens.ts';

const TOKENS_PER_MESSAGE = 3;
/** The tokens of a message's `name` in addition to its text, from the cookbook. */
const TOKENS_PER_NAME = 1;
const TOKENS_PER_REPLY = 3;
/** One high-detail 1024 x 1024 image (OpenAI vision guide); a fixed figure keeps tests exact. */
export const TOKENS_PER_IMAGE = 765;
/** The pages that a search gives the model to read; a fixed figure keeps tests exact. */
export const TOKENS_PER_SEARCH = 1500;

function messageTokens(message: ModelMessage): number {
  let count = TOKENS_PER_MESSAGE + countTokens(message.role) + countTokens(message.text);
  count += message.imageCount * TOKENS_PER_IMAGE;
  if (message.name !== undefined) count += TOKENS_PER_NAME + countTokens(message.name);
  for (const call of message.toolCalls) count += countTokens(call.name) + countTokens(call.arguments);
  return count;
}

/** Prompt tokens of the whole request: messages, images, and tools and schemas as their JSON text. */
export function promptTokens(request: ModelRequest): number {
  let count = TOKENS_PER_REPLY;
  for (const message of request.messages) count += messageTokens(message);
  if (request.tools.length > 0) count += countTokens(JSON.stringify(request.tools));
  if (request.schema !== undefined) count += countTokens(JSON.stringify(request.schema));
  return count;
}
