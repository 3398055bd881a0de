/** Translates a valid Converse request into the model's neutral one. */
import type { Fault } from '../control/fault.ts';
import type { AnswerFormat, ModelMessage, ModelRequest, ToolChoice } from '../model/model-request.ts';
import type { ContentBlock, Message, ToolResult } from './content.ts';
import { type ConverseRequest, parsedObject, schemaText, toolSpecs } from './request.ts';

type Block = ContentBlock | ToolResult['content'][number];

/** What a block says in words; thoughts are not part of the conversation. */
function textOf(block: Block): string[] {
  if (block.text !== undefined) return [block.text];
  if ('json' in block && block.json !== undefined) return [JSON.stringify(block.json)];
  const { text, content = [] } = block.document?.source ?? {};
  return [text, ...content.map((part) => part.text)].filter((words) => words !== undefined);
}

const contentOf = (blocks: readonly Block[]) => ({
  text: blocks.flatMap(textOf).join('\n'),
  imageCount: blocks.filter(({ image }) => image !== undefined).length,
});

const resultMessage = ({ toolUseId, content, status }: ToolResult): ModelMessage => ({
  role: 'tool',
  ...contentOf(content),
  toolCalls: [],
  toolCallId: toolUseId,
  isError: status === 'error' ? true : undefined,
});

/** A turn is a message for each tool result in it, and one for the rest. */
function toModelMessages({ role, content }: Message): ModelMessage[] {
  const results = content.flatMap(({ toolResult }) => (toolResult === undefined ? [] : [toolResult]));
  const toolCalls = content.flatMap(({ toolUse }) =>
    toolUse === undefined
      ? []
      : [{ id: toolUse.toolUseId, name: toolUse.name, arguments: JSON.stringify(toolUse.input) }],
  );
  const said = content.filter(({ toolResult, cachePoint }) => (toolResult ?? cachePoint) === undefined);
  const messages = results.map(resultMessage);
  return said.length === 0 ? messages : [...messages, { role, ...contentOf(said), toolCalls }];
}

function systemMessages({ system }: ConverseRequest): ModelMessage[] {
  const texts = (system ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]));
  return texts.length === 0 ? [] : [{ role: 'system', text: texts.join('\n'), imageCount: 0, toolCalls: [] }];
}

function toToolChoice({ toolConfig }: ConverseRequest): ToolChoice {
  const choice = toolConfig?.toolChoice;
  if (choice?.tool !== undefined) return { kind: 'tool', name: choice.tool.name };
  return { kind: choice?.any === undefined ? 'auto' : 'required' };
}

function toFormat(request: ConverseRequest): AnswerFormat {
  const text = schemaText(request);
  const schema = text === undefined ? undefined : parsedObject(text);
  return schema === undefined ? { kind: 'text' } : { kind: 'json-schema', schema };
}

/** Models behind the service take the parameter as their own interface has it. */
function thinks({ additionalModelRequestFields: fields }: ConverseRequest): boolean {
  const thinking = fields?.thinking;
  if (typeof thinking !== 'object' || thinking === null || !('type' in thinking)) return false;
  return thinking.type === 'enabled' || thinking.type === 'adaptive';
}

const isCachePoint = ({ cachePoint }: { readonly cachePoint?: unknown }): boolean => cachePoint !== undefined;

function writesCache({ messages, system, toolConfig }: ConverseRequest): boolean {
  const blocks = [...(messages ?? []).flatMap(({ content }) => content), ...(system ?? [])];
  return [...blocks, ...(toolConfig?.tools ?? [])].some(isCachePoint);
}

/** The model is asked for what the request says, and for what the fault adds to it. */
export function toModelRequest(request: ConverseRequest, modelId: string, fault: Fault): ModelRequest {
  return {
    model: modelId,
    messages: [...systemMessages(request), ...(request.messages ?? []).flatMap(toModelMessages)],
    tools: toolSpecs(request).map(({ name, description, inputSchema }) => ({
      name,
      description: description ?? undefined,
      parameters: inputSchema.json,
    })),
    toolChoice: toToolChoice(request),
    parallelToolCalls: true,
    format: toFormat(request),
    maxTokens: request.inferenceConfig?.maxTokens ?? undefined,
    stop: request.inferenceConfig?.stopSequences ?? [],
    choiceCount: 1,
    exactTokens: fault.content_chunks,
    refuses: fault.refusal,
    thinks: thinks(request),
    writesCache: writesCache(request),
  };
}
