/** One route of a model in the catalog document: where it is served, in which protocol, and how that host behaves. */
import * as z from 'zod';
import { prices } from '../pricing/prices.ts';
import { namedDialect } from './named-dialect.ts';

/** The id of a model or a route, and an alias. */
export const catalogId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, 'must be 1 to 128 of A-Z a-z 0-9 . _ : / -');

export const CAPABILITIES = ['tools', 'json', 'vision', 'stream'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** A wait of more than 15 minutes outlives every function. */
const timeoutMs = z.int().min(1).max(900_000);

/** `env:NAME` is read from the environment, `secretsmanager:NAME#field` from AWS Secrets Manager. */
const secret = z
  .string()
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|secretsmanager:[A-Za-z0-9/_+=.@-]+(#[A-Za-z0-9_-]+)?)$/, {
    error: 'must be "env:NAME" or "secretsmanager:NAME#field"',
  });

export const PROTOCOLS = ['openai', 'openai-responses', 'anthropic', 'bedrock'] as const;

/** Ways to ask a model to think that `openai` hosts do not have for themselves. */
const OF_EVERY_PROTOCOL: ReadonlySet<string> = new Set(['effort', 'budget', 'adaptive', 'switch']);

export const route = z
  .strictObject({
    id: catalogId,
    protocol: z.enum(PROTOCOLS),
    /**
     * Ends in the version segment; the service appends `/chat/completions`, `/responses`, `/messages` and so on. Absent, and then
     * empty, on a `bedrock` route that uses the address of the function's own region.
     */
    base_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .transform((url = '') => url.replace(/\/+$/, '')),
    upstream_model: z.string().min(1).max(256),
    /** What the provider takes, in the same vocabulary; callers never learn of it. */
    cost: prices.optional(),
    secret: secret.optional(),
    /** `sigv4`: the request is signed with the function's own role, as Bedrock's OpenAI endpoint takes it. */
    auth: z.enum(['sigv4']).optional(),
    /** How the host differs from its protocol, and what of the model's reasoning it takes. */
    dialect: namedDialect.optional(),
    /** The model refuses `temperature` and `top_p`, as reasoning models do; they are left out. */
    reasoning: z.boolean().default(false),
    capabilities: z.array(z.enum(CAPABILITIES)).default([]),
    /** Lower is tried first. */
    priority: z.int().min(0).max(1000).default(1),
    /** Share of the traffic among routes of one priority; 0 only when all others are gone. */
    weight: z.number().min(0).max(1000).default(1),
    /** The whole answer must arrive within this time. */
    timeout_ms: timeoutMs.default(60_000),
    /** A stream's first content must arrive within this time. */
    first_byte_timeout_ms: timeoutMs.default(15_000),
  })
  .superRefine(({ protocol, base_url: url, secret: key, auth, dialect }, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (protocol !== 'bedrock' && url === '') issue('base_url', 'is required');
    if (protocol === 'bedrock' && key !== undefined)
      issue('secret', "must be absent: the function's role signs");
    if (auth !== undefined && protocol !== 'openai' && protocol !== 'openai-responses')
      issue('auth', 'is for the protocols "openai" and "openai-responses" only');
    const way = dialect?.reasoning_request;
    if (way !== undefined && !OF_EVERY_PROTOCOL.has(way) && protocol !== 'openai')
      issue('dialect', `reasoning_request "${way}" is for the protocol "openai" only`);
    if (auth !== undefined && key !== undefined) issue('secret', "must be absent: the function's role signs");
  });
