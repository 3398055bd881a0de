/** How each client is pointed at this service: text to be copied, with the key that it was given. */

export interface Snippet {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** Ready text for every client; `base` has no slash at its end. */
export function snippets(base: string, key: string, model: string): readonly Snippet[] {
  return [
    {
      id: 'curl',
      name: 'curl',
      text: `curl ${base}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Say hello."}]}'`,
    },
    {
      id: 'openai-node',
      name: 'OpenAI SDK',
      text: `// npm install openai
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Say hello.' }],
});
console.log(answer.choices[0].message.content);`,
    },
    {
      id: 'openai-python',
      name: 'OpenAI, Python',
      text: `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="${base}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Say hello."}],
)
print(answer.choices[0].message.content)`,
    },
    {
      id: 'anthropic-node',
      name: 'Anthropic SDK',
      text: `// npm install @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${base}', authToken: '${key}', apiKey: null });
const answer = await client.messages.create({
  model: '${model}',
  max_tokens: 256,
  messages: [{ role: 'user', content: 'Say hello.' }],
});
console.log(answer.content);`,
    },
    {
      id: 'anthropic-python',
      name: 'Anthropic, Python',
      text: `# pip install anthropic
from anthropic import Anthropic

client = Anthropic(base_url="${base}", auth_token="${key}", api_key=None)
answer = client.messages.create(
    model="${model}",
    max_tokens=256,
    messages=[{"role": "user", "content": "Say hello."}],
)
print(answer.content)`,
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      text: `export ANTHROPIC_BASE_URL=${base}
export ANTHROPIC_AUTH_TOKEN=${key}
claude --model ${model}`,
    },
    {
      id: 'codex',
      name: 'Codex',
      text: `# ~/.codex/config.toml
model = "${model}"
model_provider = "gateway"

[model_providers.gateway]
name = "Gateway"
base_url = "${base}/v1"
env_key = "GATEWAY_API_KEY"
wire_api = "responses"

# then, in the shell:
# export GATEWAY_API_KEY=${key}
# codex "Say hello."`,
    },
    {
      id: 'opencode',
      name: 'opencode',
      text: `// opencode.json
{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "gateway": {
      "npm": "@ai-sdk/openai-compatible",
      "name": "Gateway",
      "options": { "baseURL": "${base}/v1", "apiKey": "${key}" },
      "models": { "${model}": {} }
    }
  },
  "model": "gateway/${model}"
}`,
    },
    {
      id: 'ai-sdk',
      name: 'AI SDK',
      text: `// npm install ai @ai-sdk/openai
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

const gateway = createOpenAI({ baseURL: '${base}/v1', apiKey: '${key}' });
const { text } = await generateText({ model: gateway('${model}'), prompt: 'Say hello.' });
console.log(text);`,
    },
  ];
}
