/** Translates a Converse request into the model's neutral one, and refuses what breaks a rule between fields. */
import { checkForClaude } from '../exchange/claude-rules.ts';
import {
  type BlockContent,
  checkAlternation,
  checkOffered,
  checkToolTurns,
  checkUnique,
  partTokens,
  toMessages,
} from '../exchange/conversation.ts';
import type { PromptBlock } from '../exchange/prompt-cache.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ModelRequest, ModelTool } from '../model/model.ts';
import { countTokens } from '../model/tokens.ts';
import { checkReasoning, thinks } from './reasoning.ts';
import { type ConverseBlock, type ConverseRequest, parsedObject, type ToolResult } from './request.ts';

type ConverseContent = ConverseBlock | ToolResult['content'][number];

function partOf(block: ConverseContent): BlockContent {
  const {
    text,
    image,
    document,
    toolUse: use,
    toolResult: result,
  } = { toolUse: undefined, toolResult: undefined, document: undefined, ...block };
  const json = 'json' in block && block.json !== undefined ? JSON.stringify(block.json) : undefined;
  return {
    text: text ?? json,
    isImage: image !== undefined || document !== undefined,
    call: use && { id: use.toolUseId, name: use.name, arguments: JSON.stringify(use.input) },
    result: result && {
      toolCallId: result.toolUseId,
      isError: result.status === 'error',
      parts: result.content.map(partOf),
    },
  };
}

/** The tools that are specified, without cache points and the like. */
const toolsOf = ({ toolConfig }: ConverseRequest): ModelTool[] =>
  (toolConfig?.tools ?? [])
    .flatMap(({ toolSpec: spec }) => spec ?? [])
    .map(({ name, description, inputSchema }) => ({
      name,
      description: description ?? undefined,
      parameters: inputSchema.json,
    }));

function checkMessages({ messages, toolConfig }: ConverseRequest): void {
  const all = messages ?? [];
  checkAlternation(all, 'messages');
  const usesTools = all.some(({ content }) => content.some((block) => block.toolUse ?? block.toolResult));
  requireThat(!!toolConfig || !usesTools, 'must be defined when tool blocks are used', ['toolConfig']);
}

/** A message with a document has a text too, and each document a name of its own (API reference, ContentBlock, DocumentBlock). */
function checkDocuments({ messages }: ConverseRequest): void {
  const names = (messages ?? []).flatMap(({ content }, turn) => {
    const documents = content.flatMap(({ document }) => document?.name ?? []);
    const hasText = documents.length === 0 || content.some(({ text }) => text !== undefined);
    requireThat(hasText, 'A message with a document must have a text block.', ['messages', turn]);
    return documents;
  });
  checkUnique(names, ['messages']);
}

/** The prompt as the cache reads it; a cache point marks what stands before it. */
export function promptBlocks({ messages, system, toolConfig }: ConverseRequest): readonly PromptBlock[] {
  const contents = (messages ?? []).flatMap(({ role, content }) => content.map((block) => ({ role, block })));
  const all = [
    ...(toolConfig?.tools ?? []).map((block) => ({ role: 'tool', block })),
    ...(system ?? []).map((block) => ({ role: 'system', block })),
    ...contents,
  ];
  const blocks: PromptBlock[] = [];
  for (const { role, block } of all) {
    const { cachePoint: point } = block;
    const before = blocks.at(-1);
    if (point == null) blocks.push({ content: [role, block], tokens: tokensOf(block) });
    else if (before !== undefined)
      blocks[blocks.length - 1] = { ...before, cacheBreakpoint: point.ttl ?? '5m' };
  }
  return blocks;
}

/** A tool has no parts, and counts as its JSON. */
const tokensOf = (block: object): number =>
  'toolSpec' in block
    ? countTokens(JSON.stringify(block.toolSpec))
    : partTokens(partOf(block as ConverseContent));

export function toModelRequest(request: ConverseRequest, modelId: string): ModelRequest {
  checkMessages(request);
  checkDocuments(request);
  checkReasoning(request, modelId);
  const tools = toolsOf(request);
  const names = tools.map(({ name }) => name);
  checkUnique(names, ['toolConfig', 'tools']);
  const { any, tool } = request.toolConfig?.toolChoice ?? {};
  checkOffered(names, tool === undefined ? [] : [tool.name], ['toolConfig', 'toolChoice']);
  const messages = (request.messages ?? []).flatMap(({ role, content }, turn) =>
    toMessages(role, content.map(partOf), turn),
  );
  checkToolTurns(messages, true);
  const schema = parsedObject(request.outputConfig?.textFormat?.structure.jsonSchema?.schema ?? '');
  const { temperature, topP } = request.inferenceConfig ?? {};
  // Some rules are those of a model behind the service, which is known here by its id.
  if (modelId.includes('anthropic.claude-'))
    checkForClaude({ messages, temperature, topP, schema, schemaPath: ['outputConfig', 'textFormat'] });
  return {
    model: modelId,
    messages: [...toMessages('system', (request.system ?? []).map(partOf)), ...messages],
    tools,
    toolChoice: tool === undefined ? (any === undefined ? 'auto' : 'required') : { name: tool.name },
    parallelToolCalls: true,
    schema,
    maxTokens: request.inferenceConfig?.maxTokens ?? undefined,
    stop: request.inferenceConfig?.stopSequences ?? [],
    choiceCount: 1,
    thinks: thinks(request),
  };
}
