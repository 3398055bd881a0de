/** The table of contents: every provider route this server speaks. */
import { anthropicRoutes } from './anthropic/routes.ts';
import { bedrockRoutes } from './bedrock/routes.ts';
import type { Route } from './exchange/reply.ts';
import { openAiRoutes } from './openai/routes.ts';

export const ROUTES: readonly Route[] = [...openAiRoutes, ...anthropicRoutes, ...bedrockRoutes];
