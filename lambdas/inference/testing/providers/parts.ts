/** The blocks of a streamed answer, as the parts that each is made of. */
import type { BlockStart, StreamPart } from '../../core/upstream/conversation.ts';

/** A block with its number, from its start to its last delta. */
const opened = (block: number, content: BlockStart, texts: readonly string[]): StreamPart[] => [
  { type: 'start', block, content },
  ...texts.map((text): StreamPart => ({ type: 'delta', block, text })),
];

/** A text that has not ended. */
export const openText = (block: number, ...texts: readonly string[]): StreamPart[] =>
  opened(block, { type: 'text' }, texts);

export const textBlock = (block: number, ...texts: readonly string[]): StreamPart[] => [
  ...openText(block, ...texts),
  { type: 'end', block },
];

/** A tool call, with the pieces of its arguments. */
export const callBlock = (
  block: number,
  call: { readonly id: string; readonly name: string },
  ...pieces: readonly string[]
): StreamPart[] => [...opened(block, { type: 'tool-call', ...call }, pieces), { type: 'end', block }];

/** A reasoning; `signature` as its end has it. */
export const reasoningBlock = (block: number, texts: readonly string[], signature?: string): StreamPart[] => [
  ...opened(block, { type: 'reasoning' }, texts),
  { type: 'end', block, ...(signature === undefined ? {} : { signature }) },
];
