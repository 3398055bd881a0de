/** What an answer depends on: the words of the conversation, however a wire format cuts it into messages. */
import type { ModelMessage } from './model-request.ts';
import { identifierFrom } from './random.ts';

/** Conversations are hashed once, to as many characters as make a chance collision impossible. */
const SEED_LENGTH = 43;

/** One spelling of equal JSON documents; text that is not JSON stays as it is. */
function plainJson(text: string): string {
  try {
    return text === '' ? '{}' : JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

interface Saying {
  readonly role: ModelMessage['role'];
  readonly texts: string[];
  images: number;
  readonly calls: string[];
}

/** Joins messages of one role that follow each other, as formats with strict turns must; results stay apart. */
function sayings(messages: readonly ModelMessage[]): Saying[] {
  const all: Saying[] = [];
  for (const { role, text, imageCount, toolCalls } of messages) {
    let last = all.at(-1);
    if (last === undefined || last.role !== role || role === 'tool') {
      last = { role, texts: [], images: 0, calls: [] };
      all.push(last);
    }
    if (text !== '') last.texts.push(text);
    last.images += imageCount;
    last.calls.push(...toolCalls.map((call) => `${call.name} ${plainJson(call.arguments)}`));
  }
  return all;
}

/** A seed that is equal for equal conversations: call ids and participants' names play no part, and instructions come first. */
export function conversationSeed(messages: readonly ModelMessage[]): string {
  const instructions = messages.filter((message) => message.role === 'system');
  const turns = messages.filter((message) => message.role !== 'system');
  const parts = sayings([...instructions, ...turns]).map(({ role, texts, images, calls }) => [
    role,
    texts.join('\n'),
    images,
    calls,
  ]);
  return identifierFrom(JSON.stringify(parts), SEED_LENGTH);
}
