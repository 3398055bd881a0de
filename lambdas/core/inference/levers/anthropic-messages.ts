/**
 * Levers of the Messages protocol (Claude API reference, Create a Message, its beta included, as in the package
 * `@anthropic-ai/sdk` 1.11.0; Claude docs, Pricing). Threads are not here: the service refuses them by another rule.
 */
import { isJsonObject } from '../../json/lossless-json.ts';
import { cacheMark, feature, region, tier, toolType, unlessEmpty, unpriced } from './readers.ts';
import { leverTable, type Place, type Reader } from './table.ts';

/** Claude docs, Prompt caching: 5 minutes where the mark does not say. */
export const cacheControl: Reader = cacheMark(() => '5m');

const BLOCK = 'messages[].content[]';

/** Where tools are defined: for the whole conversation, or from a place in it on. */
const TOOLS = ['tools[]', `${BLOCK}.tool.definition`, `${BLOCK}.tool_changes[].tool.definition`];

/**
 * Everything that may carry a mark: tools, and blocks as deep as the protocol nests them. A block that holds one block
 * without an array, as the result of a fetch does, is read as if it had one.
 */
const MARKED = [
  ...['system[]', BLOCK, `${BLOCK}.source.content[]`, `${BLOCK}.tool_changes[]`],
  ...[`${BLOCK}.content[]`, `${BLOCK}.content[].content[]`, `${BLOCK}.content[].source.content[]`],
  ...[`${BLOCK}.content[].content[].source.content[]`, `${BLOCK}.content[].tool_references[]`],
  ...TOOLS,
];

/** Tools that the caller's own side runs, in any version (Claude docs, Tool use, Client tools). */
const CLIENT_TOOLS = /^(custom|(bash|text_editor|computer|memory|(computer|browser)_toolset)_\d{8})$/;

const used = (name: string): Reader => feature(name, (_value, { holder }: Place) => holder.max_uses);

/** Server tools by version, because versions differ in what they run (Claude docs, Server tools). */
const SERVER_TOOLS: Readonly<Record<string, Reader>> = {
  web_search_20250305: used('web_search'),
  web_search_20260209: used('web_search'),
  web_search_20260318: used('web_search'),
  web_fetch_20250910: used('web_fetch'),
  web_fetch_20260209: used('web_fetch'),
  web_fetch_20260309: used('web_fetch'),
  web_fetch_20260318: used('web_fetch'),
  code_execution_20250522: used('code_execution'),
  code_execution_20250825: used('code_execution'),
  code_execution_20260120: used('code_execution'),
  code_execution_20260521: used('code_execution'),
  tool_search_tool_bm25: used('tool_search'),
  tool_search_tool_bm25_20251119: used('tool_search'),
  tool_search_tool_regex: used('tool_search'),
  tool_search_tool_regex_20251119: used('tool_search'),
  mcp_toolset: used('mcp'),
  // A second model answers within the first one's answer, at its own price.
  advisor_20260301: unpriced,
};

/** Edits that clear parts of the prompt cost nothing; compaction samples once more (Claude docs, Context editing). */
const edit: Reader = (value, place) =>
  typeof value === 'string' && /^clear_(tool_uses|thinking)_\d{8}$/.test(value) ? [] : unpriced(value, place);

/** Somebody else than the operator is billed, unless it says `self`. */
const billing: Reader = (value, place) =>
  isJsonObject(value) && (value.bill_to ?? 'self') === 'self' ? [] : unpriced(value, place);

/** A file for a container. */
const blockType: Reader = (value, place) => (value === 'container_upload' ? unpriced(value, place) : []);

export const ANTHROPIC_MESSAGES = leverTable([
  // `auto` takes priority capacity only where the operator has bought it (Claude docs, Service tiers).
  { field: 'service_tier', read: tier('auto', 'standard_only', 'standard', 'default') },
  { field: 'speed', read: tier('standard') },
  { field: 'inference_geo', read: region('global') },
  {
    field: 'cache_control',
    at: ['cache_control', ...MARKED.map((place) => `${place}.cache_control`)],
    read: cacheControl,
  },
  {
    field: 'tools[].type',
    at: TOOLS.map((place) => `${place}.type`),
    read: toolType(CLIENT_TOOLS, SERVER_TOOLS),
  },
  // Of the advisor, whose own prompt is cached.
  { field: 'tools[].caching', at: TOOLS.map((place) => `${place}.caching`), read: cacheControl },
  { field: 'mcp_servers', at: ['mcp_servers[]'], read: feature('mcp') },
  { field: 'container', read: unlessEmpty(unpriced) },
  { field: `${BLOCK}.type`, read: blockType },
  { field: 'context_management.edits[].type', read: edit },
  { field: 'compaction', read: unpriced },
  { field: 'fallbacks', read: unlessEmpty(unpriced) },
  { field: 'fallback_credit_token', read: unlessEmpty(unpriced) },
  { field: 'billing_policy', read: billing },
  // OpenRouter serves this protocol too (OpenRouter API reference, Create a message).
  { field: 'plugins', at: ['plugins[]'], read: unpriced, hosts: 'OpenRouter' },
]);
