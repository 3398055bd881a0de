/**
 * The providers whose models can be imported: their names in each source, and their routes. Addresses are those of the
 * providers' API references, read in November 2026.
 */
import type { CatalogRoute } from '../../../lambdas/inference/core/catalog/catalog-document.ts';
import type { PresetName } from '../../../lambdas/inference/core/catalog/dialect-presets.ts';

export interface KnownProvider {
  /** The name in `--providers`, and the prefix of the ids of models and routes. */
  readonly name: string;
  readonly ownedBy: string;
  readonly protocol: CatalogRoute['protocol'];
  /** Absent for Bedrock, which is called in the function's region. */
  readonly baseUrl?: string;
  /** The preset of its differences from the protocol. */
  readonly preset?: PresetName;
  /** The environment variable of its key, as its own SDK names it; absent where the function's role signs. */
  readonly keyVariable?: string;
  readonly modelsDev: string;
  /** `litellm_provider` of its models, and what stands before their ids. */
  readonly litellm: readonly string[];
}

const openai = (
  name: string,
  baseUrl: string,
  keyVariable: string,
  names: {
    readonly litellm?: string;
    readonly ownedBy?: string;
    readonly preset?: PresetName;
  } = {},
): KnownProvider => ({
  name,
  ownedBy: names.ownedBy ?? name,
  protocol: 'openai',
  baseUrl,
  keyVariable,
  modelsDev: name,
  litellm: [names.litellm ?? name],
  ...(names.preset === undefined ? {} : { preset: names.preset }),
});

const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  openai('openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY'),
  {
    ...openai('anthropic', 'https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY'),
    protocol: 'anthropic',
  },
  openai('google', 'https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY', {
    preset: 'gemini-compat',
    litellm: 'gemini',
  }),
  openai('xai', 'https://api.x.ai/v1', 'XAI_API_KEY', { preset: 'xai' }),
  openai('deepseek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY', { preset: 'deepseek' }),
  openai('groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY', { preset: 'groq' }),
  openai('mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY', { preset: 'mistral' }),
  openai('moonshotai', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY', {
    preset: 'moonshot',
    litellm: 'moonshot',
  }),
  openai('cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY', { preset: 'cerebras' }),
  openai('togetherai', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY', {
    preset: 'together',
    litellm: 'together_ai',
  }),
  openai('fireworks-ai', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY', {
    preset: 'fireworks',
    litellm: 'fireworks_ai',
  }),
  openai('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', { preset: 'openrouter' }),
  openai('zai', 'https://api.z.ai/api/paas/v4', 'ZHIPU_API_KEY', { preset: 'zai' }),
  {
    name: 'amazon-bedrock',
    ownedBy: 'amazon',
    protocol: 'bedrock',
    modelsDev: 'amazon-bedrock',
    litellm: ['bedrock_converse', 'bedrock'],
  },
];

/** Returns the provider of that name. Throws if it is unknown. */
export function knownProvider(name: string): KnownProvider {
  const match = KNOWN_PROVIDERS.find((provider) => provider.name === name);
  if (match !== undefined) return match;
  const names = KNOWN_PROVIDERS.map((provider) => provider.name).join(', ');
  throw new Error(`--providers: ${name} is not known; known are ${names}`);
}
