/**
 * The OpenAI Agents SDK on every model of `MODELS`: a tool, a second turn from its own history, a handoff and a stream.
 * Prints what it saw of each, as JSON.
 */
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';

const { BASE_URL: baseURL, API_KEY: apiKey, MODELS = '' } = process.env;
setTracingDisabled(true);
const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL, apiKey, useResponses: true }) });

let runs = 0;
const weather = tool({
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: z.object({ city: z.string() }),
  execute: () => {
    runs += 1;
    return 'minus 7 degrees';
  },
});

async function see(model) {
  const helper = new Agent({ name: 'helper', instructions: 'Help.', model, tools: [weather] });
  const front = new Agent({ name: 'front', instructions: 'Hand over.', model, handoffs: [helper] });
  runs = 0;
  const first = await runner.run(helper, 'Use get_weather for Oslo.');
  const next = { role: 'user', content: 'Repeat exactly: second turn' };
  const second = await runner.run(helper, [...first.history, next]);
  const handed = await runner.run(front, 'Use transfer_to_helper.');
  const stream = await runner.run(helper, 'Use get_weather for Rome.', { stream: true });
  let streamed = '';
  for await (const piece of stream.toTextStream()) streamed += piece;
  await stream.completed;
  return {
    tool: first.finalOutput,
    second: second.finalOutput,
    agent: handed.lastAgent.name,
    streamed,
    whole: stream.finalOutput,
    runs,
  };
}

const seen = {};
for (const model of MODELS.split(',')) seen[model] = await see(model);
process.stdout.write(JSON.stringify(seen));
