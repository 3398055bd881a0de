/** Samples of the Messages protocol. */
import { type Row, serverTool, tier, unpriced, written } from './request-sample.ts';

const uploaded = [{ role: 'user', content: [{ type: 'container_upload', file_id: 'file_1' }] }];

export const MESSAGES: readonly Row[] = [
  [{ service_tier: 'priority' }, tier('priority', 'service_tier')],
  [{ speed: 'fast' }, tier('fast', 'speed')],
  [{ inference_geo: 'us' }, { kind: 'region', name: 'us', param: 'inference_geo' }],
  [{ cache_control: { type: 'ephemeral' } }, written('5m', 'cache_control')],
  [
    { system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    written('1h', 'system[0].cache_control'),
  ],
  [{ cache_control: true }, unpriced('cache_control')],
  [
    { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] },
    serverTool('web_search', 'tools[0].type', 5),
  ],
  // Only a whole number above 0 bounds the uses.
  ...[undefined, 0, -1, 1.5, '5'].map(
    (uses): Row => [
      { tools: [{ type: 'web_search_20250305', name: 'a', max_uses: uses }] },
      serverTool('web_search', 'tools[0].type'),
    ],
  ),
  [
    { tools: [{ type: 'code_execution_20250825', name: 'a' }] },
    serverTool('code_execution', 'tools[0].type'),
  ],
  [{ tools: [{ type: 'web_search_20991231', name: 'a' }] }, unpriced('tools[0].type')],
  [
    { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'b', caching: { type: 'ephemeral' } }] },
    unpriced('tools[0].type'),
    written('5m', 'tools[0].caching'),
  ],
  [{ mcp_servers: [{ type: 'url', url: 'https://a', name: 'a' }] }, serverTool('mcp', 'mcp_servers[0]')],
  [{ container: 'container_1' }, unpriced('container')],
  [{ messages: uploaded }, unpriced('messages[0].content[0].type')],
  [
    { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'compact_20260112' }] } },
    unpriced('context_management.edits[1].type'),
  ],
  [{ compaction: { type: 'summarize' } }, unpriced('compaction')],
  [{ fallbacks: 'default' }, unpriced('fallbacks')],
  [{ fallback_credit_token: 'token' }, unpriced('fallback_credit_token')],
  [{ billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }, unpriced('billing_policy')],
  [{ plugins: [{ id: 'web' }] }, unpriced('plugins[0]')],
];
