/** The tables of levers, with what is decided on the other fields of each protocol. */
import { ANTHROPIC_MESSAGES } from '../../../../lambdas/core/inference/levers/anthropic-messages.ts';
import { BEDROCK_CONVERSE } from '../../../../lambdas/core/inference/levers/bedrock-converse.ts';
import { GEMINI } from '../../../../lambdas/core/inference/levers/gemini.ts';
import { OPENAI_CHAT } from '../../../../lambdas/core/inference/levers/openai-chat.ts';
import { OPENAI_RESPONSES } from '../../../../lambdas/core/inference/levers/openai-responses.ts';
import type { LeverTable } from '../../../../lambdas/core/inference/levers/table.ts';
import type { Decisions } from './classification.ts';
import { OF_ANTHROPIC_MESSAGES } from './decided/anthropic-messages.ts';
import { OF_BEDROCK_CONVERSE } from './decided/bedrock-converse.ts';
import { OF_GEMINI } from './decided/gemini.ts';
import { OF_OPENAI_CHAT } from './decided/openai-chat.ts';
import { OF_OPENAI_RESPONSES } from './decided/openai-responses.ts';
import type { Protocol } from './schemas/published.ts';

export const TABLES = {
  'openai-chat': OPENAI_CHAT,
  'openai-responses': OPENAI_RESPONSES,
  'anthropic-messages': ANTHROPIC_MESSAGES,
  'bedrock-converse': BEDROCK_CONVERSE,
  gemini: GEMINI,
} as const satisfies Readonly<Record<Protocol, LeverTable>>;

export const DECIDED = {
  'openai-chat': OF_OPENAI_CHAT,
  'openai-responses': OF_OPENAI_RESPONSES,
  'anthropic-messages': OF_ANTHROPIC_MESSAGES,
  'bedrock-converse': OF_BEDROCK_CONVERSE,
  gemini: OF_GEMINI,
} as const satisfies Readonly<Record<Protocol, Decisions>>;

export const PROTOCOLS = Object.keys(TABLES) as readonly Protocol[];
