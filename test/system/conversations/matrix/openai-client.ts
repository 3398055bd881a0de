/** The official OpenAI SDK on the chat surface, with its streaming helper, tool runner and structured outputs. */
import type OpenAI from 'openai';
import { CLOCK, type Client, type ClientObservation, PERSON, WEATHER } from './scenarios.ts';

const toTool = ({ name, description, schema }: typeof WEATHER | typeof CLOCK) => ({
  type: 'function' as const,
  function: { name, description, parameters: schema },
});

const TOOLS = [toTool(WEATHER), toTool(CLOCK)];

function observationOf({ choices, usage }: OpenAI.ChatCompletion): ClientObservation {
  const choice = choices[0];
  return {
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? { name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }
        : [],
    ),
    finish: choice?.finish_reason,
    promptTokens: usage?.prompt_tokens ?? 0,
    outputTokens: usage?.completion_tokens ?? 0,
  };
}

export function openAiClient(client: OpenAI): Client {
  async function complete(request: OpenAI.ChatCompletionCreateParamsNonStreaming, stream = false) {
    if (!stream) return observationOf(await client.chat.completions.create(request));
    const streamed = client.chat.completions.stream({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    return observationOf(await streamed.finalChatCompletion());
  }
  return {
    name: 'openai',
    ask(model, prompt, { stream, system, image, maxTokens, stop } = {}) {
      const parts: OpenAI.ChatCompletionContentPart[] = [{ type: 'text', text: prompt }];
      if (image !== undefined)
        parts.push({ type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } });
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: parts }];
      if (system !== undefined) messages.unshift({ role: 'system', content: system });
      const limits = {
        ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
        ...(stop === undefined ? {} : { stop: [stop] }),
      };
      return complete({ model, messages, ...limits }, stream);
    },
    call(model, prompt, { stream, force } = {}) {
      const choice = force
        ? { tool_choice: { type: 'function' as const, function: { name: WEATHER.name } } }
        : {};
      return complete(
        { model, messages: [{ role: 'user', content: prompt }], tools: TOOLS, ...choice },
        stream,
      );
    },
    async runTools(model, prompt, weather) {
      const ran: string[] = [];
      const runnable = ({ name, description, schema }: typeof WEATHER | typeof CLOCK, output: string) => ({
        type: 'function' as const,
        function: {
          name,
          description,
          parameters: schema,
          parse: JSON.parse as (input: string) => object,
          function: () => {
            ran.push(name);
            return output;
          },
        },
      });
      const runner = client.chat.completions.runTools({
        model,
        messages: [{ role: 'user', content: prompt }],
        tools: [runnable(WEATHER, weather), runnable(CLOCK, 'noon')],
      });
      return { text: (await runner.finalContent()) ?? '', ran };
    },
    async person(model) {
      const { choices } = await client.chat.completions.parse({
        model,
        messages: [{ role: 'user', content: 'Describe a person.' }],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'person', strict: true, schema: PERSON },
        },
      });
      return JSON.parse(choices[0]?.message.content ?? '') as unknown;
    },
  };
}
