/** The official OpenAI SDK on the Responses API, with its streaming helper and structured outputs; the loop of tools is ours. */
import type OpenAI from 'openai';
import { CLOCK, type Client, type ClientObservation, PERSON, WEATHER } from './scenarios.ts';

type Request = OpenAI.Responses.ResponseCreateParamsNonStreaming;

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

function observationOf(response: OpenAI.Responses.Response): ClientObservation {
  const calls = callsIn(response);
  const cut = response.incomplete_details?.reason;
  return {
    text: response.output_text,
    calls: calls.map(({ name, arguments: input }) => ({ name, input: JSON.parse(input) as unknown })),
    // The response has no such word: it is complete, with calls or without, or cut.
    finish: cut === 'max_output_tokens' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
    promptTokens: response.usage?.input_tokens ?? 0,
    outputTokens: response.usage?.output_tokens ?? 0,
  };
}

export function responsesClient(client: OpenAI): Client {
  async function complete(request: Request, stream = false): Promise<ClientObservation> {
    if (!stream) return observationOf(await client.responses.create(request));
    return observationOf(await client.responses.stream({ ...request, stream: true }).finalResponse());
  }
  return {
    name: 'openai on responses',
    ask(model, prompt, { stream, system, image, maxTokens } = {}) {
      const content: OpenAI.Responses.ResponseInputContent[] = [{ type: 'input_text', text: prompt }];
      if (image !== undefined)
        content.push({ type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${image}` });
      return complete(
        {
          model,
          input: [{ role: 'user', content }],
          ...(system === undefined ? {} : { instructions: system }),
          ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
        },
        stream,
      );
    },
    call(model, prompt, { stream, force } = {}) {
      const choice = force ? { tool_choice: { type: 'function' as const, name: WEATHER.name } } : {};
      return complete({ model, input: prompt, tools: TOOLS, ...choice }, stream);
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
