/** The output that a message or a delta holds, for counting (OpenAI API reference, message and delta objects). */

interface Output {
  readonly content?: unknown;
  readonly refusal?: unknown;
  /** Written by several compatible servers beside the answer, under one name or both; it is output and billed as such. */
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: unknown;
}

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

/** All output text of a message or delta: content, refusal, reasoning, tool names and arguments. */
export function textOf(output: Output): string {
  const text =
    string(output.content) +
    string(output.refusal) +
    string(output.reasoning_content) +
    string(output.reasoning);
  if (!Array.isArray(output.tool_calls)) return text;
  return output.tool_calls.reduce(
    (sum: string, call: { function?: { name?: unknown; arguments?: unknown } } | null) =>
      sum + string(call?.function?.name) + string(call?.function?.arguments),
    text,
  );
}
