/** The Vercel AI SDK on either surface: its generate and stream calls, its tool loop and its structured output. */
import {
  generateText,
  jsonSchema,
  type LanguageModel,
  Output,
  stepCountIs,
  streamText,
  type ToolSet,
} from 'ai';
import { CLOCK, type Client, type ClientObservation, PERSON, WEATHER } from './scenarios.ts';

/** It warns of every model that it does not know; its setting is a global. */
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

interface Result {
  readonly text: string;
  readonly toolCalls: readonly { readonly toolName: string; readonly input: unknown }[];
  readonly finishReason: string;
  readonly usage: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined };
}

const observationOf = ({ text, toolCalls, finishReason, usage }: Result): ClientObservation => ({
  text,
  calls: toolCalls.map(({ toolName, input }) => ({ name: toolName, input })),
  finish: finishReason === 'tool-calls' ? 'calls' : finishReason,
  input: usage.inputTokens ?? 0,
  output: usage.outputTokens ?? 0,
});

type DescribedTool = typeof WEATHER | typeof CLOCK;

const toTool = (
  { description, schema }: DescribedTool,
  execute?: () => Promise<string>,
): ToolSet[string] => ({
  description,
  inputSchema: jsonSchema<Record<string, unknown>>(schema),
  ...(execute === undefined ? {} : { execute }),
});

const TOOLS: ToolSet = { [WEATHER.name]: toTool(WEATHER), [CLOCK.name]: toTool(CLOCK) };

export function aiClient(model: (id: string) => LanguageModel): Client {
  async function complete(
    request: Parameters<typeof generateText>[0],
    stream = false,
  ): Promise<ClientObservation> {
    if (!stream) return observationOf((await generateText(request)) as Result);
    const streamed = streamText(request as Parameters<typeof streamText>[0]);
    const [text, toolCalls, finishReason, usage] = await Promise.all([
      streamed.text,
      streamed.toolCalls,
      streamed.finishReason,
      streamed.usage,
    ]);
    return observationOf({ text, toolCalls, finishReason, usage });
  }
  return {
    ask(id, prompt, { stream, system, image, maxTokens, stop } = {}) {
      const content = [
        { type: 'text' as const, text: prompt },
        ...(image === undefined ? [] : [{ type: 'image' as const, image, mediaType: 'image/png' }]),
      ];
      return complete(
        {
          model: model(id),
          maxRetries: 0,
          messages: [{ role: 'user', content }],
          ...(system === undefined ? {} : { system }),
          ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
          ...(stop === undefined ? {} : { stopSequences: [stop] }),
        },
        stream,
      );
    },
    call(id, prompt, { stream, force } = {}) {
      const choice = force ? { toolChoice: { type: 'tool' as const, toolName: WEATHER.name } } : {};
      return complete({ model: model(id), maxRetries: 0, prompt, tools: TOOLS, ...choice }, stream);
    },
    async runTools(id, prompt, weather) {
      const ran: string[] = [];
      const runnable = (described: DescribedTool, output: string) =>
        toTool(described, async () => {
          ran.push(described.name);
          return output;
        });
      const { text } = await generateText({
        model: model(id),
        maxRetries: 0,
        prompt,
        tools: { [WEATHER.name]: runnable(WEATHER, weather), [CLOCK.name]: runnable(CLOCK, 'noon') },
        stopWhen: stepCountIs(3),
      });
      return { text, ran };
    },
    async person(id) {
      const { output } = await generateText({
        model: model(id),
        maxRetries: 0,
        prompt: 'Describe a person.',
        output: Output.object({ schema: jsonSchema(PERSON) }),
      });
      return output;
    },
  };
}
