/** Translates a Converse request into the model's neutral one, and refuses what breaks a rule between fields. */
import type { Fault } from '../control/fault.ts';
import { checkForClaude } from '../exchange/claude-rules.ts';
import {
  checkOffered,
  checkToolTurns,
  checkUnique,
  type Part,
  toMessages,
} from '../exchange/conversation.ts';
import { lastMarked, type MarkedPrefix } from '../exchange/prompt-cache.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ModelRequest, ModelTool } from '../model/model.ts';
import { checkReasoning, thinks } from './reasoning.ts';
import { type ContentBlock, type ConverseRequest, parsedObject, type ToolResult } from './request.ts';

type Block = ContentBlock | ToolResult['content'][number];

function partOf(block: Block): Part {
  const {
    text,
    image,
    toolUse: use,
    toolResult: result,
  } = { toolUse: undefined, toolResult: undefined, ...block };
  const json = 'json' in block && block.json !== undefined ? JSON.stringify(block.json) : undefined;
  return {
    text: text ?? json,
    isImage: image !== undefined,
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
  (toolConfig?.tools ?? []).flatMap(({ toolSpec: spec }) =>
    spec === undefined
      ? []
      : [
          {
            name: spec.name,
            description: spec.description ?? undefined,
            parameters: spec.inputSchema.json,
          },
        ],
  );

function checkMessages({ messages, toolConfig }: ConverseRequest): void {
  const all = messages ?? [];
  requireThat(all[0]?.role === 'user', 'A conversation must start with a user message.', ['messages']);
  const repeated = all.findIndex(({ role }, index) => role === all[index - 1]?.role);
  requireThat(repeated < 0, 'Roles must alternate between user and assistant.', ['messages', repeated]);
  const usesTools = all.some(({ content }) => content.some((block) => block.toolUse ?? block.toolResult));
  requireThat(!!toolConfig || !usesTools, 'must be defined when tool blocks are used', ['toolConfig']);
}

/** What the request asks to cache. */
export function markedPrefix(
  { messages, system, toolConfig }: ConverseRequest,
  model: string,
): MarkedPrefix | undefined {
  const said = (messages ?? []).flatMap(({ content }) => content);
  const blocks = [...(toolConfig?.tools ?? []), ...(system ?? []), ...said];
  const marked = lastMarked(blocks, ({ cachePoint }) => cachePoint);
  return marked && { model, ...marked };
}

/** The model is asked for what the request says, and for what the fault adds to it. Throws `RequestError`. */
export function toModelRequest(request: ConverseRequest, modelId: string, fault: Fault): ModelRequest {
  checkMessages(request);
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
    refuses: fault.refusal,
    thinks: thinks(request),
  };
}
