/**
 * Paths that this service does not have, and what to use in their place: of the SDKs of OpenAI and Anthropic, and of the
 * gateways and clouds that callers come from (OpenRouter, LiteLLM, Gemini, Azure OpenAI, Bedrock). What is below a path
 * counts as the path.
 */

const STATELESS = 'nothing is stored here; send the whole conversation to POST /v1/responses';
const NO_FILES = 'no file is stored here; send it within the request, as base64 or by its URL';
const CONCURRENT = 'send each request by itself; they may run concurrently';
const OWN_TOOLS = 'declare functions in tools, and run them yourself';
const BALANCE = 'GET /credits/me has the balance';
const BALANCE_AND_KEYS = `${BALANCE}, GET /api-keys lists the keys`;
const CHAT = 'use POST /v1/chat/completions, or POST /v1/messages';

export const MISSING_PATHS: Readonly<Record<string, string>> = {
  '/v1/completions': 'use POST /v1/chat/completions, with the prompt as a message',
  '/v1/complete': 'use POST /v1/messages, with the prompt as a message',
  '/v1/chat/completions/{id}': 'no completion is stored here; GET /v1/usage/{request_id} has its cost',
  '/v1/responses/{id}': STATELESS,
  '/v1/conversations': STATELESS,
  '/v1/assistants': STATELESS,
  '/v1/threads': STATELESS,
  '/v1/batches': CONCURRENT,
  '/v1/messages/batches': CONCURRENT,
  '/v1/files': NO_FILES,
  '/v1/uploads': NO_FILES,
  '/v1/vector_stores': 'use POST /v1/embeddings, and an index of your own',
  '/v1/rerank': 'use POST /v1/embeddings, and compare the vectors',
  '/v1/moderations': 'use POST /v1/chat/completions with a response_format of type json_schema',
  '/v1/images/edits': 'use POST /v1/images/generations, which takes a text alone',
  '/v1/images/variations': 'use POST /v1/images/generations, which takes a text alone',
  '/v1/videos': 'GET /api/v1/models lists the kinds of models',
  '/v1/audio/translations': 'use POST /v1/audio/transcriptions, and translate the text with a chat model',
  '/v1/realtime': 'use POST /v1/responses with "stream": true, and POST /v1/audio/speech for sound',
  '/v1/fine_tuning': 'train a model at its vendor; the operator adds it to the catalog',
  '/v1/evals': 'call the model with each case',
  '/v1/containers': OWN_TOOLS,
  '/v1/skills': OWN_TOOLS,
  '/v1/agents': OWN_TOOLS,
  '/v1/organization': 'GET /v1/organization/costs has costs, GET /v1/organization/usage/{kind} usage',
  '/v1/generation': 'GET /v1/usage/{request_id} has the cost of a call',
  '/v1/credits': BALANCE,
  '/v1/dashboard/billing': `${BALANCE}, GET /v1/organization/costs the costs`,
  '/v1/auth/key': BALANCE_AND_KEYS,
  '/v1/key': BALANCE_AND_KEYS,
  '/v1/model': 'GET /v1/models lists the models',
  '/key': 'POST /api-keys creates a key, GET /api-keys lists them',
  '/model': CHAT,
  '/v1beta': CHAT,
  '/openai': CHAT,
};

/** Returns a message that says what to use in place of the first of these paths that is in the table; undefined if none is. */
export function insteadOf(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const missing = Object.keys(MISSING_PATHS).find((of) =>
      `${path}/`.startsWith(of.replace('{id}', '').replace(/\/?$/, '/')),
    );
    if (missing !== undefined) return `This service does not have ${missing}: ${MISSING_PATHS[missing]}.`;
  }
  return undefined;
}
