/** The tasks that every client must complete on every route protocol, without the name of any protocol. */
import type { Heard } from '../../../../lambdas/inference/testing/completions/sdk-callers.ts';

/** One pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const SENTENCE = 'Grüße aus Łódź, 世界 🌍 — one, two, three.';

export const WEATHER = {
  name: 'get_weather',
  description: 'The weather in a city.',
  schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const }, unit: { type: 'string' as const, enum: ['c', 'f'] } },
    required: ['city', 'unit'],
    additionalProperties: false,
  },
};

/** A tool without parameters. */
export const CLOCK = {
  name: 'get_time',
  description: 'The time.',
  schema: { type: 'object' as const, properties: {}, additionalProperties: false },
};

export const PERSON = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const }, age: { type: 'integer' as const } },
  required: ['name', 'age'],
  additionalProperties: false,
};

/** The values that a client observed in one response. */
export type ClientObservation = Pick<Heard, 'text' | 'calls' | 'finish' | 'input' | 'output'>;

/** One official client; `stream` asks for the same answer through its streaming helper. */
export interface Client {
  /** A system text, a prompt, and perhaps an image. */
  ask(
    model: string,
    prompt: string,
    options?: {
      readonly stream?: boolean;
      readonly system?: string;
      readonly image?: string;
      readonly maxTokens?: number;
      readonly stop?: string;
    },
  ): Promise<ClientObservation>;
  /** Offers both tools; `force` demands the weather. */
  call(
    model: string,
    prompt: string,
    options?: { readonly stream?: boolean; readonly force?: boolean },
  ): Promise<ClientObservation>;
  /** The client's own loop that runs tools until there is an answer. */
  runTools(model: string, prompt: string, weather: string): Promise<{ text: string; ran: readonly string[] }>;
  /** The client's structured output. */
  person(model: string): Promise<unknown>;
}
