/** Calls the service with Anthropic's SDK: a message, a streamed message, and an error. */
import Anthropic from '@anthropic-ai/sdk';

const { BASE_URL, API_KEY, MODEL } = process.env;
if (!BASE_URL || !API_KEY) {
  console.error('Set BASE_URL to the address of the service, without /v1, and API_KEY to one of your keys.');
  process.exit(1);
}

// `authToken: null`: otherwise the SDK also sends a token of Anthropic's that the environment may contain.
const client = new Anthropic({ baseURL: BASE_URL, apiKey: API_KEY, authToken: null });

// Every chat model is reachable, whoever provides it.
const model = MODEL ?? (await client.models.list()).data.find(({ type }) => type === 'chat')?.id;
const request = {
  model,
  max_tokens: 100,
  system: 'Answer briefly.',
  messages: [{ role: 'user', content: 'Say hello in five words.' }],
};
const usd = (amount) => `$${Number(amount).toFixed(9)}`;
const textOf = ({ content }) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

async function send() {
  const { data: message, response } = await client.messages.create(request).withResponse();
  console.log(`${textOf(message)} (${message.stop_reason})`);
  console.log(`Charged ${usd(response.headers.get('x-cost-usd'))}, request ${message._request_id}.`);
}

async function stream() {
  for await (const event of await client.messages.create({ ...request, stream: true })) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
      process.stdout.write(event.delta.text);
    if (event.type === 'message_delta')
      console.log(`\nStreamed ${event.usage.output_tokens} tokens for ${usd(event.usage.cost)}.`);
  }
}

async function fail() {
  try {
    await client.messages.create({ ...request, model: 'no/such-model' });
  } catch (error) {
    if (!(error instanceof Anthropic.APIError)) throw error;
    // 402: add credit. 429 and 503: try again later. Other 4xx: correct the request. Nothing was charged.
    console.log(`Rejected: ${error.status} ${error.type}, request ${error.requestID}.`);
  }
}

await send();
await stream();
await fail();
