/** The configuration of each client for this service: text to be copied, with the given key. */
import type { PriceBody } from '../../api/types.ts';
import { curlText } from './curl.ts';
import { JSON_TEXT, literal, shellWord } from './literals.ts';
import type { SnippetRequest } from './requests.ts';
import { anthropicNode, anthropicPython, openaiNode, openaiPython } from './sdks.ts';

export interface Snippet {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** The limits of a model in tokens, as far as the catalog states them. */
type ModelLimits = Pick<PriceBody, 'context_window' | 'max_output_tokens'>;

/** Ready text for every client that makes such a request to a model; `base` has no slash at its end. */
export function snippets(
  base: string,
  key: string,
  request: SnippetRequest,
  limits: ModelLimits = {},
): readonly Snippet[] {
  return [
    { id: 'curl', name: 'curl', text: curlText(base, key, request) },
    { id: 'openai-node', name: 'OpenAI SDK', text: openaiNode(base, key, request) },
    { id: 'openai-python', name: 'OpenAI, Python', text: openaiPython(base, key, request) },
    ...(request.kind === 'chat'
      ? [
          { id: 'anthropic-node', name: 'Anthropic SDK', text: anthropicNode(base, key, request.body) },
          {
            id: 'anthropic-python',
            name: 'Anthropic, Python',
            text: anthropicPython(base, key, request.body),
          },
          ...chatClients(base, key, request.body.model, limits),
        ]
      : []),
  ];
}

const q = (text: string): string => JSON.stringify(text);

/** Returns the examples for programs that store conversations themselves. */
const chatClients = (
  base: string,
  key: string,
  model: string,
  { context_window: context, max_output_tokens: output }: ModelLimits,
): readonly Snippet[] => [
  {
    id: 'claude-code',
    name: 'Claude Code',
    text: [
      `export ANTHROPIC_BASE_URL=${shellWord(base)}`,
      `export ANTHROPIC_AUTH_TOKEN=${shellWord(key)}`,
      ...(context === undefined ? [] : [`export CLAUDE_CODE_MAX_CONTEXT_TOKENS=${context}`]),
      `claude --model ${shellWord(model)}`,
    ].join('\n'),
  },
  {
    id: 'codex',
    name: 'Codex',
    text: `# ~/.codex/config.toml
model = ${q(model)}
model_provider = "gateway"

[model_providers.gateway]
name = "Gateway"
base_url = ${q(`${base}/v1`)}
env_key = "GATEWAY_API_KEY"
wire_api = "responses"

# then, in the shell:
# export GATEWAY_API_KEY=${shellWord(key)}
# codex "Say hello."`,
  },
  {
    id: 'opencode',
    name: 'opencode',
    text: `// opencode.json
${literal(
  {
    $schema: 'https://opencode.ai/config.json',
    provider: {
      gateway: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Gateway',
        options: { baseURL: `${base}/v1`, apiKey: key },
        // opencode rejects a file with one of the two numbers.
        models: {
          [model]: context === undefined || output === undefined ? {} : { limit: { context, output } },
        },
      },
    },
    model: `gateway/${model}`,
  },
  JSON_TEXT,
)}`,
  },
  {
    id: 'ai-sdk',
    name: 'AI SDK',
    text: `// npm install ai @ai-sdk/openai
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";

const gateway = createOpenAI({ baseURL: ${q(`${base}/v1`)}, apiKey: ${q(key)} });
const { text } = await generateText({ model: gateway(${q(model)}), prompt: "Say hello." });
console.log(text);`,
  },
];
