/** Every upstream protocol of conversations under the name that a catalog gives it. */
import type { ChatProtocol } from '../core/catalog/route-document.ts';
import type { Provider } from '../core/upstream/provider.ts';
import { type AnthropicDependencies, createAnthropicProvider } from './anthropic/provider.ts';
import { type BedrockDependencies, createBedrockProvider } from './bedrock/provider.ts';
import { createGeminiProvider, type GeminiDependencies } from './gemini/provider.ts';
import { createOpenAiProvider, type OpenAiDependencies } from './openai/provider.ts';
import { createResponsesProvider } from './responses/provider.ts';

export type ProviderDependencies = OpenAiDependencies &
  AnthropicDependencies &
  BedrockDependencies &
  GeminiDependencies;

export function createProviders(
  dependencies: ProviderDependencies,
): Readonly<Record<ChatProtocol, Provider>> {
  return {
    openai: createOpenAiProvider(dependencies),
    'openai-responses': createResponsesProvider(dependencies),
    anthropic: createAnthropicProvider(dependencies),
    bedrock: createBedrockProvider(dependencies),
    gemini: createGeminiProvider(dependencies),
  };
}
