/** Calls the service with OpenAI's SDK: a streamed response, a call that is safe to repeat, and an error. */
import { randomUUID } from 'node:crypto';
import OpenAI from 'openai';

const { BASE_URL, API_KEY, MODEL } = process.env;
if (!BASE_URL || !API_KEY) {
  console.error('Set BASE_URL to the address of the service, without /v1, and API_KEY to one of your keys.');
  process.exit(1);
}

// The SDK repeats a call that fails with 429, 500 or 503, after the wait that the service requests.
const client = new OpenAI({ baseURL: `${BASE_URL}/v1`, apiKey: API_KEY, maxRetries: 3 });

// Models change without notice: read the list instead of writing an id into the code.
const model = MODEL ?? (await client.models.list()).data.find(({ type }) => type === 'chat')?.id;
const messages = [{ role: 'user', content: 'Say hello in five words.' }];

async function stream() {
  const chunks = await client.chat.completions.create({
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true }, // The last chunk then contains the usage and its cost.
  });
  for await (const { choices, usage } of chunks) {
    process.stdout.write(choices[0]?.delta.content ?? '');
    if (usage) console.log(`\nStreamed for ${usd(usage.cost)}.`);
  }
}

/** Sends the same call twice, as after a lost connection: the second response is a replay that costs nothing. */
async function repeat() {
  const options = { headers: { 'Idempotency-Key': randomUUID() } };
  for (const attempt of ['First', 'Second']) {
    const call = client.chat.completions.create({ model, messages }, options);
    const { data, response } = await call.withResponse();
    const { headers } = response;
    const charge = `Charged ${usd(headers.get('x-cost-usd'))}, ${usd(headers.get('x-balance-usd'))} left`;
    const isReplay = headers.get('idempotent-replayed') === 'true';
    console.log(`${attempt} attempt: ${data.choices[0].message.content}`);
    console.log(`${isReplay ? 'Replayed for nothing' : charge}, request ${headers.get('x-request-id')}.`);
  }
}

async function fail() {
  try {
    await client.chat.completions.create({ model: 'no/such-model', messages });
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    // 402: add credit. 429 and 503: try again later. Other 4xx: correct the request. Nothing was charged.
    console.log(`Rejected: ${error.status} ${error.code} (${error.param}), request ${error.requestID}.`);
  }
}

const usd = (amount) => `$${Number(amount).toFixed(9)}`;

await stream();
await repeat();
await fail();
