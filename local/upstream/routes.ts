/** The table of contents: every provider route this server speaks. */
import type { Route } from './exchange/reply.ts';
import { openAiRoutes } from './openai/routes.ts';

export const ROUTES: readonly Route[] = [...openAiRoutes];
