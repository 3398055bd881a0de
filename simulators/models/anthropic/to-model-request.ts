/** Translates a valid Messages request into the model's neutral one. */
import type { Fault } from '../control/fault.ts';
import type { AnswerFormat, ModelMessage, ModelRequest, ToolChoice } from '../model/model-request.ts';
import { blocksOf, type ContentBlock, type Message, type ToolResult } from './content.ts';
import { type AnyRequest, thinks } from './request.ts';
import { breakpoints } from './request-rules.ts';

type Block = ContentBlock | { readonly type: 'text'; readonly text: string };

/** What a block says in words; thoughts are not part of the conversation. */
function textOf(block: Block): string[] {
  if (block.type === 'text') return [block.text];
  if (block.type === 'search_result') return block.content.map(({ text }) => text);
  if (block.type !== 'document') return [];
  if (block.source.type === 'text') return [block.source.data];
  return block.source.type === 'content' ? blocksOf(block.source.content).flatMap(textOf) : [];
}

const contentOf = (blocks: readonly Block[]) => ({
  text: blocks.flatMap(textOf).join('\n'),
  imageCount: blocks.filter(({ type }) => type === 'image').length,
});

const resultMessage = (result: ToolResult): ModelMessage => ({
  role: 'tool',
  ...contentOf(blocksOf(result.content)),
  toolCalls: [],
  toolCallId: result.tool_use_id,
  isError: result.is_error,
});

/** A turn is a message for each tool result in it, and one for the rest. */
function toModelMessages({ role, content }: Message): ModelMessage[] {
  const blocks = blocksOf(content);
  const results = blocks.filter((block) => block.type === 'tool_result');
  const toolCalls = blocks
    .filter((block) => block.type === 'tool_use')
    .map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) }));
  const messages = results.map(resultMessage);
  const onlyResults = results.length > 0 && results.length === blocks.length;
  return onlyResults ? messages : [...messages, { role, ...contentOf(blocks), toolCalls }];
}

function systemMessages({ system }: AnyRequest): ModelMessage[] {
  const { text } = contentOf(blocksOf(system));
  return text === '' ? [] : [{ role: 'system', text, imageCount: 0, toolCalls: [] }];
}

function toToolChoice({ tool_choice: choice }: AnyRequest): ToolChoice {
  if (choice?.type === 'tool') return { kind: 'tool', name: choice.name };
  return { kind: choice?.type === 'any' ? 'required' : (choice?.type ?? 'auto') };
}

function parallelToolCalls({ tool_choice: choice }: AnyRequest): boolean {
  return choice === undefined || choice.type === 'none' || choice.disable_parallel_tool_use !== true;
}

function toFormat({ output_config: config }: AnyRequest): AnswerFormat {
  const schema = config?.format?.schema;
  return schema === undefined ? { kind: 'text' } : { kind: 'json-schema', schema };
}

/** The model is asked for what the request says, and for what the fault adds to it. */
export function toModelRequest(request: AnyRequest, fault: Fault): ModelRequest {
  return {
    model: request.model,
    messages: [...systemMessages(request), ...request.messages.flatMap(toModelMessages)],
    tools: (request.tools ?? []).map(({ name, description, input_schema: parameters }) => ({
      name,
      description,
      parameters,
    })),
    toolChoice: toToolChoice(request),
    parallelToolCalls: parallelToolCalls(request),
    format: toFormat(request),
    maxTokens: request.max_tokens,
    stop: request.stop_sequences ?? [],
    choiceCount: 1,
    exactTokens: fault.content_chunks,
    refuses: fault.refusal,
    thinks: thinks(request),
    writesCache: breakpoints(request) > 0,
  };
}
