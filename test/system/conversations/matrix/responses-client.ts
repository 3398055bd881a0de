/** The official OpenAI SDK on the Responses API, with its streaming helper and structured outputs; the loop of tools is ours. */
import type OpenAI from 'openai';
import { responsesCaller } from '../../../../lambdas/inference/testing/completions/sdk-callers.ts';
import { CLOCK, type Client, PERSON, WEATHER } from './scenarios.ts';

const toTool = ({
  name,
  description,
  schema,
}: typeof WEATHER | typeof CLOCK): OpenAI.Responses.FunctionTool => ({
  type: 'function',
  name,
  description,
  parameters: schema,
  // Strict schemas require all properties, and those of the scenarios do.
  strict: true,
});

const TOOLS = [toTool(WEATHER), toTool(CLOCK)];

const callsIn = (response: OpenAI.Responses.Response) =>
  response.output.filter((item) => item.type === 'function_call');

export function responsesClient(client: OpenAI): Client {
  const send = responsesCaller(client);
  return {
    ask(model, prompt, { stream, system: instructions, image, maxTokens } = {}) {
      const content: OpenAI.Responses.ResponseInputContent[] = [{ type: 'input_text', text: prompt }];
      if (image !== undefined)
        content.push({ type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${image}` });
      const input = [{ role: 'user', content }];
      return send({ model, input, instructions, max_output_tokens: maxTokens }, stream);
    },
    call(model, prompt, { stream, force } = {}) {
      const tool_choice = force ? { type: 'function', name: WEATHER.name } : undefined;
      return send({ model, input: prompt, tools: TOOLS, tool_choice }, stream);
    },
    async runTools(model, prompt, weather) {
      const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: prompt }];
      const called = await client.responses.create({ model, input, tools: TOOLS });
      // Its documentation sends outputs back as they are; its types know items that never were inputs.
      input.push(...(called.output as OpenAI.Responses.ResponseInputItem[]));
      for (const { name, call_id } of callsIn(called)) {
        const output = name === WEATHER.name ? weather : 'noon';
        input.push({ type: 'function_call_output', call_id, output });
      }
      const { output_text: text } = await client.responses.create({ model, input, tools: TOOLS });
      return { text, ran: callsIn(called).map(({ name }) => name) };
    },
    async person(model) {
      const { output_parsed } = await client.responses.parse({
        model,
        input: 'Describe a person.',
        text: { format: { type: 'json_schema', name: 'person', strict: true, schema: PERSON } },
      });
      return output_parsed;
    },
  };
}
