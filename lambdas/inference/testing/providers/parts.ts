/** The blocks of a streamed response, as stream parts. */
import type { ContentStart, StreamPart } from '../../core/upstream/conversation.ts';

/** A block with its index, from its start to its last delta. */
const opened = (index: number, content: ContentStart, deltas: readonly string[]): StreamPart[] => [
  { type: 'start', index, content },
  ...deltas.map((text): StreamPart => ({ type: 'delta', index, text })),
];

/** A text that has not ended. */
export const openText = (index: number, ...deltas: readonly string[]): StreamPart[] =>
  opened(index, { type: 'text' }, deltas);

export const textParts = (index: number, ...deltas: readonly string[]): StreamPart[] => [
  ...openText(index, ...deltas),
  { type: 'end', index },
];

/** A tool call, with the pieces of its arguments. */
export const toolCallParts = (
  index: number,
  call: { readonly id: string; readonly name: string },
  ...deltas: readonly string[]
): StreamPart[] => [...opened(index, { type: 'tool-call', ...call }, deltas), { type: 'end', index }];

/** A reasoning; `signature` as its end has it. */
export const reasoningParts = (
  index: number,
  deltas: readonly string[],
  signature?: string,
): StreamPart[] => [
  ...opened(index, { type: 'reasoning' }, deltas),
  { type: 'end', index, ...(signature === undefined ? {} : { signature }) },
];
