/** Translates a Messages request into the model's neutral one, and refuses what breaks a rule between fields. */
import { checkForClaude, checkLastTurn, checkText, checkThinking } from '../exchange/claude-rules.ts';
import {
  type BlockContent,
  checkOffered,
  checkToolTurns,
  checkUnique,
  partTokens,
  toMessages,
} from '../exchange/conversation.ts';
import type { PromptBlock, SimulatedLifetime } from '../exchange/prompt-cache.ts';
import { requireThat } from '../exchange/request-error.ts';
import type { ModelRequest } from '../model/model.ts';
import { countTokens } from '../model/tokens.ts';
import { checkThoughts } from './reasoning.ts';
import {
  type ContentBlock,
  contentBlocksOf,
  isCallersOwn,
  type SimulatedMessagesRequest,
  thinks,
} from './request.ts';

function partOf(block: ContentBlock): BlockContent {
  if (block.type === 'text') return { text: block.text };
  if (block.type === 'document' && block.source.type === 'text') return { text: block.source.data };
  if (block.type === 'image' || block.type === 'document') return { isImage: true };
  if (block.type === 'tool_use') {
    const { id, name, input } = block;
    return { call: { id, name, arguments: JSON.stringify(input) } };
  }
  if (block.type !== 'tool_result') return {};
  const { tool_use_id: toolCallId, is_error: isError = false, content } = block;
  return { result: { toolCallId, isError, parts: contentBlocksOf<ContentBlock>(content).map(partOf) } };
}

function toToolChoice({ tool_choice: choice }: SimulatedMessagesRequest): ModelRequest['toolChoice'] {
  if (choice?.type === 'tool') return { name: choice.name };
  return choice?.type === 'any' ? 'required' : (choice?.type ?? 'auto');
}

/** The most breakpoints a request may set (prompt caching guide). */
const MAX_BREAKPOINTS = 4;

/** The blocks and tools that ask for caching, wherever they stand. */
function breakpoints({
  messages,
  system,
  tools = [],
  cache_control: control,
}: SimulatedMessagesRequest): number {
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    const breakpointCount = 'cache_control' in value && value.cache_control ? 1 : 0;
    return breakpointCount + Object.values(value).reduce<number>((sum, inner) => sum + count(inner), 0);
  };
  const ofTools = tools.map(({ cache_control }) => ({ cache_control }));
  return count([messages, system, { cache_control: control }, ofTools]);
}

function checkMessages({ messages, thinking }: SimulatedMessagesRequest): void {
  requireThat(messages[0]?.role === 'user', 'first message must use the "user" role', ['messages']);
  const empty = messages.findIndex(
    ({ role, content }, index) =>
      content.length === 0 && !(role === 'assistant' && index === messages.length - 1),
  );
  requireThat(empty < 0, 'all messages must have non-empty content', ['messages', empty]);
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const kinds = contentBlocksOf<ContentBlock>(messages[index]?.content).map(({ type }) => type);
  if (thinking?.type === 'enabled') checkLastTurn(kinds, ['messages', index, 'content', 0, 'type']);
}

function checkFields(request: SimulatedMessagesRequest): void {
  const { tools = [], tool_choice: choice, thinking } = request;
  const names = tools.map(({ name }) => name);
  checkUnique(names, ['tools']);
  requireThat(choice === undefined || tools.length > 0, 'is only allowed with `tools`', ['tool_choice']);
  checkOffered(names, choice?.type === 'tool' ? [choice.name] : [], ['tool_choice']);
  if (thinks(request))
    checkThinking({
      budget: thinking?.type === 'enabled' ? thinking.budget_tokens : undefined,
      maxTokens: request.max_tokens,
      temperature: request.temperature,
      isForced: choice?.type === 'any' || choice?.type === 'tool',
    });
  requireThat(breakpoints(request) <= MAX_BREAKPOINTS, 'Too many blocks with cache_control.');
}

/** The prompt as the cache reads it; a mark on the request itself is one on its last block. */
export function promptBlocks(request: SimulatedMessagesRequest): readonly PromptBlock[] {
  const { tools = [], system, messages, cache_control: control } = request;
  const contents = [{ role: 'system', content: system ?? [] }, ...messages].flatMap(({ role, content }) =>
    contentBlocksOf<ContentBlock>(content).map((block) => ({ role, block })),
  );
  const blocks = [
    ...tools.map((tool) => blockOf('tool', tool, countTokens(JSON.stringify(unmarked(tool))))),
    ...contents.map(({ role, block }) => blockOf(role, block, partTokens(partOf(block)))),
  ];
  const last = blocks.length - 1;
  return blocks.map((block, at) =>
    at === last && control ? { cacheBreakpoint: lifetimeOf(control), ...block } : block,
  );
}

type WithCacheControl = { readonly cache_control?: SimulatedMessagesRequest['cache_control'] };

function unmarked({ cache_control: _mark, ...block }: object & WithCacheControl): object {
  return block;
}

function blockOf(role: string, block: object, tokens: number): PromptBlock {
  const { cache_control: control } = block as WithCacheControl;
  return {
    content: [role, unmarked(block)],
    tokens,
    ...(control ? { cacheBreakpoint: lifetimeOf(control) } : {}),
  };
}

const lifetimeOf = ({ ttl }: { readonly ttl?: SimulatedLifetime | undefined }): SimulatedLifetime =>
  ttl ?? '5m';

/** One search for each tool that searches, as far as it may be used. */
const searches = ({ tools = [] }: SimulatedMessagesRequest): number =>
  tools.filter((tool) => !isCallersOwn(tool) && tool.type.startsWith('web_search_') && tool.max_uses !== 0)
    .length;

export function toModelRequest(request: SimulatedMessagesRequest): ModelRequest {
  checkMessages(request);
  checkFields(request);
  checkThoughts(request);
  const messages = request.messages.flatMap(({ role, content }, turn) =>
    toMessages(role, contentBlocksOf<ContentBlock>(content).map(partOf), turn),
  );
  checkToolTurns(messages, true);
  checkText(messages);
  const { tool_choice: choice, temperature, top_p: topP } = request;
  const schema = request.output_config?.format?.schema;
  const schemaPath = ['output_config', 'format', 'schema'];
  // Some rules hold for the newest models alone, which are known here by what their names begin with.
  if (request.model.startsWith('claude-'))
    checkForClaude({ messages, temperature, topP, schema, schemaPath });
  const tools = (request.tools ?? []).filter(isCallersOwn);
  return {
    model: request.model,
    messages: [...toMessages('system', contentBlocksOf(request.system).map(partOf)), ...messages],
    tools: tools.map(({ name, description, input_schema: parameters }) => ({
      name,
      description,
      parameters,
    })),
    toolChoice: toToolChoice(request),
    parallelToolCalls:
      choice === undefined || choice.type === 'none' || choice.disable_parallel_tool_use !== true,
    schema,
    maxTokens: request.max_tokens,
    stop: request.stop_sequences ?? [],
    choiceCount: 1,
    thinks: thinks(request),
    webSearches: searches(request),
  };
}
