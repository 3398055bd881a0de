/** The official Anthropic SDK on the Messages surface, with its streaming helper, tool runner and structured outputs. */
import type Anthropic from '@anthropic-ai/sdk';
import { jsonSchemaOutputFormat } from '@anthropic-ai/sdk/helpers/json-schema';
import { CLOCK, type Client, type ClientObservation, PERSON, WEATHER } from './scenarios.ts';

const toTool = ({ name, description, schema }: typeof WEATHER | typeof CLOCK) => ({
  name,
  description,
  input_schema: schema,
});

const TOOLS: Anthropic.Tool[] = [toTool(WEATHER), toTool(CLOCK)];

/** The interface's default, which the SDK's types do not know to be optional. */
const MAX_TOKENS = 256;

function observationOf({ content, stop_reason: finish, usage }: Anthropic.Message): ClientObservation {
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? { name: block.name, input: block.input } : [],
    ),
    finish,
    promptTokens: usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
    outputTokens: usage.output_tokens,
  };
}

export function anthropicClient(client: Anthropic): Client {
  async function complete(request: Anthropic.MessageCreateParamsNonStreaming, stream = false) {
    return observationOf(
      stream ? await client.messages.stream(request).finalMessage() : await client.messages.create(request),
    );
  }
  return {
    name: 'anthropic',
    ask(model, prompt, { stream, system, image, maxTokens = MAX_TOKENS, stop } = {}) {
      const content: Anthropic.ContentBlockParam[] = [{ type: 'text', text: prompt }];
      if (image !== undefined)
        content.push({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } });
      return complete(
        {
          model,
          max_tokens: maxTokens,
          messages: [{ role: 'user', content }],
          ...(system === undefined ? {} : { system }),
          ...(stop === undefined ? {} : { stop_sequences: [stop] }),
        },
        stream,
      );
    },
    call(model, prompt, { stream, force } = {}) {
      const choice = force ? { tool_choice: { type: 'tool' as const, name: WEATHER.name } } : {};
      const messages = [{ role: 'user' as const, content: prompt }];
      return complete({ model, max_tokens: MAX_TOKENS, messages, tools: TOOLS, ...choice }, stream);
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
