/** Tools that the protocol defines, and that a request can do without. */
import { isCustomTool, type MessagesRequest } from './request.ts';

/** Returns the indices of the tools that the protocol defines and that `tool_choice` does not force. */
export function optionalTools({ tools, tool_choice: choice }: MessagesRequest): readonly number[] {
  const given = tools ?? [];
  if (choice?.type === 'any' && !given.some(isCustomTool)) return [];
  const isChosen = given.some(({ name }) => choice?.type === 'tool' && name === choice.name);
  return given.flatMap((tool, index) => {
    // A set of tools has no name of its own: a chosen name that no other tool has may be in it.
    const isForced =
      choice?.type === 'tool' && (isChosen ? tool.name === choice.name : tool.name === undefined);
    return isCustomTool(tool) || isForced ? [] : [index];
  });
}

/** The request without these tools; no choice is left among none. */
export function withoutTools(request: MessagesRequest, indices: ReadonlySet<number>): MessagesRequest {
  const { tools, tool_choice: choice, ...others } = request;
  const left = (tools ?? []).filter((_tool, index) => !indices.has(index));
  if (left.length === 0) return others;
  return { ...others, tools: left, ...(choice == null ? {} : { tool_choice: choice }) };
}
