/**
 * Fields of the Messages protocol (Claude API reference, Create a Message, its beta included, as in the package
 * `@anthropic-ai/sdk` 1.11.0; Claude docs, Pricing).
 */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import {
  all,
  blankLastTurn,
  cacheControl,
  capability,
  feature,
  nothing,
  region,
  serverTool,
  serviceTier,
  toolType,
  unlessEmpty,
  unpriced,
  when,
} from '../../core/fields/readers.ts';
import { type FieldRule, fieldTable, type NeedReader } from '../../core/fields/table.ts';
import { CLIENT_TOOLS } from '../../core/metering/prompt-fields.ts';
import {
  isCustomTool,
  isTextDocument,
  type MessagesBlock,
  type MessagesTool,
  pdfSourceOf,
} from './request.ts';

const BLOCK = 'messages[].content[]';

/** A block that is not within another one. */
const OUTER = /^messages\[\d+\]\.content\[\d+\]$/;

const ownFeature = feature('messages-blocks');

/** No other protocol has a place for a document in the result of a tool. */
const documentBlock: NeedReader = (value, context) => {
  const documentValue = value as MessagesBlock & { readonly source: JsonObject };
  const { type } = documentValue.source;
  const isShown = context.parent.role === 'user' && OUTER.test(context.param);
  const pdf = isShown ? pdfSourceOf(documentValue) : undefined;
  return [
    ...(type === 'text' || type === 'content' ? [] : capability('documents')(value, context)),
    ...(pdf === undefined ? [] : feature('documents')(value, context)),
    ...(pdf?.kind === 'url' ? feature('document-urls')(value, context) : []),
    ...(pdf !== undefined || isTextDocument(documentValue) ? [] : ownFeature(value, context)),
  ];
};

const isLinked = (value: unknown): boolean =>
  isJsonObject(value) && isJsonObject(value.source) && value.source.type === 'url';

/** The blocks that other protocols can express, or do without. */
const BLOCKS: ReadonlyMap<unknown, NeedReader> = new Map([
  ...['text', 'thinking', 'redacted_thinking'].map((type) => [type, nothing] as const),
  ['tool_use', capability('tools')],
  ['tool_result', capability('tools')],
  ['image', all(capability('vision'), when(isLinked, feature('image-urls')))],
  ['document', documentBlock],
]);

const block: NeedReader = (value, context) => {
  if (!isJsonObject(value)) return [];
  // The schema does not check blocks in the results of the provider's tools.
  const isChecked = value.type !== 'document' || isJsonObject(value.source);
  return ((isChecked ? BLOCKS.get(value.type) : undefined) ?? ownFeature)(value, context);
};

/** Addresses that the upstream fetches. */
const source: NeedReader = (value, context) =>
  isJsonObject(value) && typeof value.url === 'string'
    ? [{ kind: 'address', url: value.url, param: context.param }]
    : [];

/** A tool that the protocol defines, for the provider or for the caller to run. */
const definedTool: NeedReader = (value, context) =>
  isCustomTool(value as MessagesTool) ? [] : ownFeature(value, context);

/** A file for a container. */
const blockType: NeedReader = (value, context) =>
  value === 'container_upload' ? unpriced(value, context) : [];

const limited = (name: string): NeedReader => serverTool(name, (_value, { parent }) => parent.max_uses);

/** Server tools by version, because versions differ in what they run (Claude docs, Server tools). */
const toolTypes = toolType(CLIENT_TOOLS, {
  web_search_20250305: limited('web_search'),
  web_search_20260209: limited('web_search'),
  web_search_20260318: limited('web_search'),
  web_fetch_20250910: limited('web_fetch'),
  web_fetch_20260209: limited('web_fetch'),
  web_fetch_20260309: limited('web_fetch'),
  web_fetch_20260318: limited('web_fetch'),
  code_execution_20250522: limited('code_execution'),
  code_execution_20250825: limited('code_execution'),
  code_execution_20260120: limited('code_execution'),
  code_execution_20260521: limited('code_execution'),
  tool_search_tool_bm25: limited('tool_search'),
  tool_search_tool_bm25_20251119: limited('tool_search'),
  tool_search_tool_regex: limited('tool_search'),
  tool_search_tool_regex_20251119: limited('tool_search'),
  mcp_toolset: limited('mcp'),
  // A second model generates output within the first one's response, at a separate price.
  advisor_20260301: unpriced,
});

/** Edits that clear parts of the prompt cost nothing; compaction samples once more (Claude docs, Context editing). */
const edit: NeedReader = (value, context) =>
  typeof value === 'string' && /^clear_(tool_uses|thinking)_\d{8}$/.test(value)
    ? []
    : unpriced(value, context);

/** A party other than the operator is billed, unless it is `self`. */
const billing: NeedReader = (value, context) =>
  isJsonObject(value) && (value.bill_to ?? 'self') === 'self' ? [] : unpriced(value, context);

/** Blocks within others have the fields of those in messages; so have the system texts. */
const NESTED_FIELDS: readonly FieldRule[] = [
  { at: ['system[]', `${BLOCK}.content[]`, `${BLOCK}.source.content[]`], like: BLOCK },
  { at: [`${BLOCK}.tool.definition`], like: 'tools[]' },
  { at: `${BLOCK}.tool_changes[].tool`, like: `${BLOCK}.tool` },
];

const OF_BLOCKS: readonly FieldRule[] = [
  { at: BLOCK, needs: block },
  { at: `${BLOCK}.content[]`, needs: block },
  { at: `${BLOCK}.source.content[]`, needs: block },
  { at: `${BLOCK}.type`, needs: blockType },
  { at: `${BLOCK}.cache_control`, needs: cacheControl },
  { at: `${BLOCK}.cache_control.{type,ttl}` },
  { at: `${BLOCK}.source`, needs: source },
  { at: `${BLOCK}.source.{type,media_type,data,url,file_id}` },
  { at: `${BLOCK}.{text,title,context,data,signature,thinking,encrypted_content}` },
  { at: `${BLOCK}.{id,name,input,tool_use_id,is_error,toolset_name,server_name,mcp_server_name}` },
  { at: `${BLOCK}.citations`, isConverted: false },
  { at: `${BLOCK}.citations.enabled` },
  { at: `${BLOCK}.citations[].{type,cited_text,title,source,url,document_index,document_title}` },
  { at: `${BLOCK}.citations[].{start_char_index,end_char_index,start_page_number,end_page_number}` },
  { at: `${BLOCK}.citations[].{start_block_index,end_block_index,search_result_index,encrypted_index}` },
  { at: `${BLOCK}.transformations.oversized_image`, isConverted: false },
  { at: `${BLOCK}.caller.{type,tool_id}` },
  // Results of the provider's own tools.
  { at: `${BLOCK}.{url,page_age,retrieved_at,file_id,file_type,is_file_update,stop_reason,trigger}` },
  { at: `${BLOCK}.{stdout,stderr,return_code,encrypted_stdout,error_code,error_message,tool_name}` },
  { at: `${BLOCK}.{lines,num_lines,start_line,total_lines,new_lines,new_start,old_lines,old_start}` },
  { at: [`${BLOCK}.from.model`, `${BLOCK}.to.model`] },
  { at: `${BLOCK}.tabs[].{active,tab_id,title,url}` },
  { at: `${BLOCK}.state_changes[].{type,tab_id,download_id,error,path,size_bytes,url}` },
  { at: `${BLOCK}.tool_references[].{type,tool_name}` },
  { at: `${BLOCK}.tools[].{name,description,input_schema}` },
  { at: `${BLOCK}.tool.{type,name,server_name}` },
  { at: `${BLOCK}.tool_changes[].type` },
  {
    at: [`${BLOCK}.tool_references[].cache_control`, `${BLOCK}.tool_changes[].cache_control`],
    needs: cacheControl,
  },
  {
    at: [
      `${BLOCK}.tool_references[].cache_control.{type,ttl}`,
      `${BLOCK}.tool_changes[].cache_control.{type,ttl}`,
    ],
  },
];

const OF_TOOLS: readonly FieldRule[] = [
  { at: 'tools', needs: unlessEmpty(capability('tools')), isConverted: true },
  { at: 'tools[]', needs: definedTool },
  { at: 'tools[].type', needs: toolTypes },
  { at: 'tools[].cache_control', needs: cacheControl },
  // Of the advisor, whose own prompt is cached.
  { at: 'tools[].caching', needs: cacheControl },
  { at: ['tools[].cache_control.{type,ttl}', 'tools[].caching.{type,ttl}'] },
  { at: 'tools[].{name,description,input_schema,strict,max_uses}' },
  { at: 'tools[].{input_examples,defer_loading,eager_input_streaming,allowed_callers}', isConverted: false },
  { at: 'tools[].{allowed_domains,blocked_domains,max_content_tokens,use_cache,response_inclusion}' },
  { at: 'tools[].{display_height_px,display_width_px,display_number,enable_zoom,max_characters}' },
  { at: 'tools[].{model,max_tokens,mcp_server_name,configs}' },
  { at: 'tools[].default_config.{enabled,defer_loading}' },
  { at: 'tools[].tools[].{name,description,input_schema}' },
  { at: 'tools[].citations.enabled' },
  { at: 'tools[].user_location.{type,city,country,region,timezone}' },
  { at: 'tools[].url_sources.user_input.type' },
  {
    at: ['client', 'server'].flatMap((side) => [
      `tools[].url_sources.${side}_tool_results.type`,
      `tools[].url_sources.${side}_tool_results.tools[].{type,name}`,
    ]),
  },
  { at: 'tool_choice', needs: capability('tools'), isConverted: true },
  { at: 'tool_choice.{type,name,disable_parallel_tool_use}' },
  { at: 'mcp_servers', needs: unlessEmpty(ownFeature) },
  { at: 'mcp_servers[]', needs: serverTool('mcp') },
  { at: 'mcp_servers[].{type,name,url,authorization_token}' },
  { at: 'mcp_servers[].tool_configuration.{enabled,allowed_tools}' },
];

export const MESSAGES_FIELDS = fieldTable([
  ...NESTED_FIELDS,
  { at: '{model,system,messages,max_tokens,temperature,top_p}', isConverted: true },
  { at: 'messages', needs: blankLastTurn },
  { at: 'stream', needs: when((value) => value === true, capability('stream')), isConverted: true },
  { at: 'stop_sequences', needs: unlessEmpty(feature('stop-sequences')), isConverted: true },
  { at: 'top_k' },
  { at: 'metadata', isConverted: true },
  { at: 'metadata.user_id' },
  { at: 'thinking', isConverted: true },
  { at: 'thinking.{type,budget_tokens}' },
  { at: 'thinking.{display,block_binding}', isConverted: false },
  { at: 'output_config', isConverted: true },
  { at: 'output_config.effort' },
  { at: 'output_config.format', needs: capability('json') },
  { at: 'output_config.format.{type,schema}' },
  { at: 'output_config.task_budget.{type,total,remaining}', isConverted: false },
  { at: 'messages[].{role,content}' },
  { at: 'messages[].{clear_at,output_config}', isConverted: false },
  // `auto` takes priority capacity only if the operator has bought it (Claude docs, Service tiers).
  { at: 'service_tier', needs: serviceTier('auto', 'standard_only', 'standard', 'default') },
  { at: 'speed', needs: serviceTier('standard') },
  { at: 'inference_geo', needs: region('global') },
  { at: 'cache_control', needs: cacheControl, isConverted: true },
  { at: 'cache_control.{type,ttl}' },
  { at: 'container', needs: all(unlessEmpty(unpriced), ownFeature) },
  { at: 'context_management.edits[].type', needs: edit },
  { at: 'context_management.edits[].{clear_at_least,clear_tool_inputs,exclude_tools,keep,trigger}' },
  { at: 'diagnostics.previous_message_id' },
  { at: 'compaction', needs: unpriced },
  { at: '{fallbacks,fallback_credit_token}', needs: unlessEmpty(unpriced) },
  { at: 'billing_policy', needs: billing },
  { at: 'billing_policy.{type,bill_to}' },
  // OpenRouter API reference, Create a message.
  { at: 'plugins[]', needs: unpriced, vendors: 'OpenRouter' },
  ...OF_TOOLS,
  ...OF_BLOCKS,
]);
