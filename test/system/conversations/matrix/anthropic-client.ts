/** The official Anthropic SDK on the Messages surface, with its streaming helper, tool runner and structured outputs. */
import type Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import { messagesCaller } from '../../../../lambdas/inference/testing/completions/sdk-callers.ts';
import { CLOCK, type Client, PERSON, WEATHER } from './scenarios.ts';

const toTool = ({ name, description, schema }: typeof WEATHER | typeof CLOCK) => ({
  name,
  description,
  input_schema: schema,
});

const TOOLS: Anthropic.Tool[] = [toTool(WEATHER), toTool(CLOCK)];

/** The interface's default, which the SDK's types do not know to be optional. */
const MAX_TOKENS = 256;

export function anthropicClient(client: Anthropic): Client {
  const send = messagesCaller(client);
  return {
    ask(model, prompt, { stream, system, image, maxTokens = MAX_TOKENS, stop } = {}) {
      const content: Anthropic.ContentBlockParam[] = [{ type: 'text', text: prompt }];
      if (image !== undefined)
        content.push({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } });
      const messages = [{ role: 'user', content }];
      const stop_sequences = stop === undefined ? undefined : [stop];
      return send({ model, max_tokens: maxTokens, messages, system, stop_sequences }, stream);
    },
    call(model, prompt, { stream, force } = {}) {
      const tool_choice = force ? { type: 'tool', name: WEATHER.name } : undefined;
      const messages = [{ role: 'user', content: prompt }];
      return send({ model, max_tokens: MAX_TOKENS, messages, tools: TOOLS, tool_choice }, stream);
    },
    async runTools(model, prompt, weather) {
      const ran: string[] = [];
      const runnable = (tool: typeof WEATHER | typeof CLOCK, output: string) => ({
        ...toTool(tool),
        parse: (input: unknown) => input,
        run: () => {
          ran.push(tool.name);
          return output;
        },
      });
      const message = await client.beta.messages.toolRunner({
        model,
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: prompt }],
        tools: [runnable(WEATHER, weather), runnable(CLOCK, 'noon')],
      });
      return {
        text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        ran,
      };
    },
    async person(model) {
      const message = await client.messages.parse({
        model,
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'user', content: 'Describe a person.' }],
        output_config: { format: jsonSchemaOutputFormat(PERSON) },
      });
      return message.parsed_output;
    },
  };
}
