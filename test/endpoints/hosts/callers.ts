/** Callers of the three formats before one service, by the SDKs of their vendors. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import {
  type CallFormat,
  chatCaller,
  messagesCaller,
  responsesCaller,
} from '../../../lambdas/inference/testing/completions/sdk-callers.ts';
import { CREDENTIAL } from '../../fuzz/counting-till.ts';
import type { Service, SurfaceName } from '../../fuzz/running-service.ts';

export const FORMATS = ['chat', 'messages', 'responses'] as const;
export type Format = (typeof FORMATS)[number];

export const callersOf = (service: Service): Readonly<Record<Format, CallFormat>> => {
  const optionsOf = (format: SurfaceName) => ({
    apiKey: CREDENTIAL,
    maxRetries: 0,
    logLevel: 'off' as const,
    fetch: (_url: unknown, init?: RequestInit) =>
      service.send(format, { headers: init?.headers ?? {}, body: String(init?.body) }),
  });
  return {
    chat: chatCaller(new OpenAI(optionsOf('chat'))),
    messages: messagesCaller(new Anthropic(optionsOf('messages'))),
    responses: responsesCaller(new OpenAI(optionsOf('responses'))),
  };
};
