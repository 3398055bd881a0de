/** The official OpenAI SDK on the chat surface, with its streaming helper, tool runner and structured outputs. */
import type OpenAI from 'openai';
import { chatCaller } from '../../../../lambdas/inference/testing/completions/sdk-callers.ts';
import { CLOCK, type Client, PERSON, WEATHER } from './scenarios.ts';

const toTool = ({ name, description, schema }: typeof WEATHER | typeof CLOCK) => ({
  type: 'function' as const,
  function: { name, description, parameters: schema },
});

const TOOLS = [toTool(WEATHER), toTool(CLOCK)];

export function openAiClient(client: OpenAI): Client {
  const send = chatCaller(client);
  return {
    ask(model, prompt, { stream, system, image, maxTokens, stop } = {}) {
      const parts: OpenAI.ChatCompletionContentPart[] = [{ type: 'text', text: prompt }];
      if (image !== undefined)
        parts.push({ type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } });
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: parts }];
      if (system !== undefined) messages.unshift({ role: 'system', content: system });
      return send({ model, messages, max_tokens: maxTokens, stop }, stream);
    },
    call(model, prompt, { stream, force } = {}) {
      const tool_choice = force ? { type: 'function', function: { name: WEATHER.name } } : undefined;
      return send(
        { model, messages: [{ role: 'user', content: prompt }], tools: TOOLS, tool_choice },
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
