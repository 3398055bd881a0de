/** The protocols of which streams are generated: all that routes speak. */
import type { WireProtocol } from '../wire-protocol.ts';
import { ANTHROPIC } from './anthropic.ts';
import { BEDROCK } from './bedrock.ts';
import { GEMINI } from './gemini.ts';
import { OPENAI } from './openai.ts';
import { RESPONSES } from './responses.ts';

export const WIRE_PROTOCOLS: readonly WireProtocol[] = [OPENAI, RESPONSES, ANTHROPIC, GEMINI, BEDROCK];
