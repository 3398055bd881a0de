/** One route of a model in the catalog document: its location, its protocol, and the behavior of its vendor. */
import * as z from 'zod';
import { type FieldFault, without } from '../../../platform/core/json/field-faults.ts';
import { CAPABILITIES, type Capability } from '../fields/need.ts';
import { prices } from '../pricing/prices.ts';
import { AWS_SERVICES, awsAddressOf, KNOWN_AWS_HOSTS, signedFor } from './aws-address.ts';
import { beta } from './betas.ts';
import { dialect, fieldPattern } from './dialect.ts';
import { PRESETS, type PresetName } from './dialect-presets.ts';

/**
 * The dialect of a route in the catalog document: the name of a preset, flags, or both. Flags override those of the
 * preset. A flag that is null removes the preset's.
 */
const NAMES = Object.keys(PRESETS) as [PresetName, ...PresetName[]];

const flags = Object.fromEntries(Object.keys(dialect.shape).map((name) => [name, z.unknown().optional()]));

/** Reads what is written into the flags of the host, once. */
const namedDialect = z
  .strictObject({ preset: z.enum(NAMES).optional(), ...flags })
  .transform(({ preset, ...given }): unknown => {
    const named = preset === undefined ? {} : PRESETS[preset as PresetName];
    return Object.fromEntries(Object.entries({ ...named, ...given }).filter(([, flag]) => flag != null));
  })
  .pipe(dialect);

/** The id of a model or a route, and an alias. */
export const catalogId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, 'must be 1 to 128 of A-Z a-z 0-9 . _ : / -');

export type { Capability };

/** The name of a voice, a caller's or the provider's. */
export const voiceName = z.string().min(1).max(128);

/** The engines of Amazon Polly (Amazon Polly API reference, SynthesizeSpeech). */
export const POLLY_ENGINES = ['standard', 'neural', 'long-form', 'generative'] as const;

/** A wait of more than 15 minutes outlives every function. */
const timeoutMs = z.int().min(1).max(900_000);

/** `env:NAME` is read from the environment, `secretsmanager:NAME#field` from AWS Secrets Manager. */
const secret = z
  .string()
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|secretsmanager:[A-Za-z0-9/_+=.@-]+(#[A-Za-z0-9_-]+)?)$/, {
    error: 'must be "env:NAME" or "secretsmanager:NAME#field"',
  });

/** The protocols of conversations. */
export const CHAT_PROTOCOLS = ['openai', 'openai-responses', 'anthropic', 'bedrock', 'gemini'] as const;
export type ChatProtocol = (typeof CHAT_PROTOCOLS)[number];

export const PROTOCOLS = [...CHAT_PROTOCOLS, 'polly', 'transcribe'] as const;

/** Protocols whose client signs each request with the function's own role. */
const SIGNS_ITSELF: ReadonlySet<string> = new Set(['bedrock', 'polly', 'transcribe']);

/** Authorization methods that replace the method of the protocol. */
const AUTHS = ['sigv4', 'api-key', 'entra', 'google'] as const;

/** Protocols whose image models all read the pages of a PDF too (Claude, OpenAI and Gemini API docs, PDF support). */
const READ_DOCUMENTS: ReadonlySet<string> = new Set(['anthropic', 'openai-responses', 'gemini']);

/** Returns whether a route's model has a capability, according to the catalog. */
export const isCapable = (
  { capabilities, protocol }: { readonly capabilities: readonly Capability[]; readonly protocol: string },
  need: Capability,
): boolean =>
  capabilities.includes(need) ||
  (need === 'documents' && READ_DOCUMENTS.has(protocol) && capabilities.includes('vision'));

/** Reasoning modes that are not exclusive to `openai` vendors. */
const OF_EVERY_PROTOCOL: ReadonlySet<string> = new Set(['effort', 'budget', 'adaptive', 'switch']);

/** A guardrail of Amazon Bedrock (API reference, GuardrailStreamConfiguration). */
const guardrail = z.strictObject({
  id: z
    .string()
    .max(2048)
    .regex(
      /^([a-z0-9]+|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:[0-9]{12}:guardrail\/[a-z0-9]+)$/,
      'must be the id or the ARN of a guardrail',
    ),
  version: z.string().regex(/^([1-9][0-9]{0,7}|DRAFT)$/, 'must be a number as text, such as "3", or "DRAFT"'),
  /** `sync`: a stream waits until its text is judged. `async`: text may be sent before it is judged. */
  stream: z.enum(['sync', 'async']).default('sync'),
});

const routeFields = z.strictObject({
  id: catalogId,
  protocol: z.enum(PROTOCOLS),
  /**
   * Ends in the version segment; the service appends `/chat/completions`, `/responses`, `/messages`, `/models/...` and so on. Absent, and then
   * empty, on a `bedrock`, `polly` or `transcribe` route that uses the address of the function's own region.
   */
  base_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .transform((url = '') => url.replace(/\/+$/, '')),
  upstream_model: z.string().min(1).max(256),
  /** Polly's names of voices that callers know by other names, such as OpenAI's. Other voices have Polly's names. */
  voice_names: z.record(voiceName, voiceName).optional(),
  /** The amount that the provider charges, in the same vocabulary. Callers never receive it. */
  cost: prices.optional(),
  secret: secret.optional(),
  /**
   * `sigv4`: the request is signed with the function's own role, for the service and region that the host names.
   * `api-key`: the secret goes into the header of that name, as Azure takes keys. `entra`: the secret is a client's
   * credentials, by which a token of Microsoft Entra ID is fetched. `google`: it is the key file of a service account,
   * by which one of Google Cloud is fetched. Absent: the key goes where the protocol has it.
   */
  auth: z.enum(AUTHS).optional(),
  /** Azure's `api-version`; below an address without `/v1` the deployment is then a part of the path. */
  api_version: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be a version, such as "2024-10-21" or "preview"')
    .optional(),
  /**
   * The service that requests are signed for if the host does not identify it. Without a region, the function's
   * region applies.
   */
  aws_service: z.enum(AWS_SERVICES).optional(),
  aws_region: z
    .string()
    .regex(/^[a-z]{2,8}(-[a-z]+)+-\d$/, 'must be a region, such as "us-east-1"')
    .optional(),
  /** The workspace that the calls belong to, sent as `anthropic-workspace-id`; Claude Platform on AWS wants it. */
  workspace: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 of A-Z a-z 0-9 _ -')
    .optional(),
  /**
   * The flags of `anthropic-beta` that the route accepts. Default: those that change neither the price nor the data
   * that is retained.
   */
  betas: z.array(beta).max(100).optional(),
  /** The host's deviations from its protocol, and the parts of the model's reasoning that it takes. */
  dialect: namedDialect.optional(),
  /** Undocumented fields that the vendor accepts, in addition to those of the dialect's preset. */
  passes: z.array(fieldPattern).max(100).optional(),
  /** The model rejects `temperature` and `top_p`, as reasoning models do. They are dropped. */
  reasoning: z.boolean().default(false),
  capabilities: z.array(z.enum(CAPABILITIES)).default([]),
  /** A lower value is attempted first. */
  priority: z.int().min(0).max(1000).default(1),
  /** Share of the traffic among routes of one priority; 0 only when all others are gone. */
  weight: z.number().min(0).max(1000).default(1),
  /** The longest recording of a `transcribe` route, seconds: a job is paid for even if its time runs out. */
  max_seconds: z.int().min(1).max(14_400).optional(),
  /** The code of Amazon Transcribe for recordings whose caller names no language, which is identified otherwise. */
  language: z
    .string()
    .regex(/^[a-z]{2,3}-[A-Z]{2}$/, 'must be a code of Amazon Transcribe, such as "en-US"')
    .optional(),
  /** The time limit of the complete response, in milliseconds. */
  timeout_ms: timeoutMs.default(60_000),
  /** A stream's first content must arrive within this time. */
  first_byte_timeout_ms: timeoutMs.default(15_000),
  /**
   * Callers may request images of this route by address (`response_format: "url"`), and then receive the vendor's
   * address. Otherwise images are returned as bytes only.
   */
  passes_image_urls: z.boolean().default(false),
  /** The provider stops, and stops charging, when a stream is closed: it is closed when its caller has left. */
  cancels: z.boolean().default(false),
  /** The guardrail that judges prompts and outputs. A model has one on each of its routes, or on none. */
  guardrail: guardrail.optional(),
});

type RouteFields = z.infer<typeof routeFields>;

/** Yields the conflicts between a route's address and its authorization. */
function* faultsOf(entry: RouteFields): Generator<FieldFault> {
  const { protocol, base_url: url, secret: key, auth, workspace } = entry;
  const mode = entry.dialect?.reasoning_request;
  if (mode !== undefined && !OF_EVERY_PROTOCOL.has(mode) && protocol !== 'openai')
    yield { path: 'dialect', message: `reasoning_request "${mode}" is for the protocol "openai" only` };
  if (SIGNS_ITSELF.has(protocol)) {
    if (key !== undefined) yield { path: 'secret', message: "must be absent: the function's role signs" };
    if (auth !== undefined) yield { path: 'auth', message: 'must be absent: the protocol signs by itself' };
    if (entry.dialect !== undefined && protocol !== 'bedrock')
      yield { path: 'dialect', message: `must be absent for the protocol "${protocol}"` };
  } else if (url === '') {
    yield { path: 'base_url', message: 'is required' };
    return;
  }
  if (protocol === 'polly' && !POLLY_ENGINES.some((engine) => engine === entry.upstream_model))
    yield { path: 'upstream_model', message: `must be an engine of Polly: ${POLLY_ENGINES.join(', ')}` };
  if (protocol !== 'polly' && entry.voice_names !== undefined)
    yield { path: 'voice_names', message: 'is for the protocol "polly" only' };
  yield* transcribeFaults(entry);
  yield* googleFaults(entry);
  yield* azureFaults(entry);
  if (protocol !== 'anthropic' && entry.betas !== undefined)
    yield { path: 'betas', message: 'are of the protocol "anthropic" only' };
  if (protocol !== 'anthropic' && workspace !== undefined)
    yield { path: 'workspace', message: 'is for the protocol "anthropic" only' };
  // The others report a prompt at the end of a stream, which a closed one does not have.
  if (protocol !== 'anthropic' && entry.cancels === true)
    yield { path: 'cancels', message: 'is for the protocol "anthropic" only' };
  if (protocol !== 'openai' && entry.passes_image_urls === true)
    yield { path: 'passes_image_urls', message: 'is for the protocol "openai" only' };
  if (protocol !== 'bedrock' && entry.guardrail !== undefined)
    yield { path: 'guardrail', message: 'is for the protocol "bedrock" only' };
  const awsAddress = url === '' ? undefined : awsAddressOf(url);
  const service = awsAddress?.service ?? entry.aws_service;
  if (protocol === 'anthropic' && service === 'aws-external-anthropic' && workspace === undefined)
    yield { path: 'workspace', message: 'is required: Claude Platform on AWS takes no call without it' };
  yield* signingFaults(entry, awsAddress !== undefined);
}

function* transcribeFaults(entry: RouteFields): Generator<FieldFault> {
  const { protocol, base_url: url, upstream_model: model, max_seconds: maxSeconds, language } = entry;
  if (protocol === 'transcribe') {
    if (url !== '')
      yield { path: 'base_url', message: "must be absent: the bucket is in the function's region" };
    if (model !== 'standard') yield { path: 'upstream_model', message: 'must be "standard"' };
    if (maxSeconds === undefined)
      yield { path: 'max_seconds', message: 'is required: a job is paid for even if its time runs out' };
    return;
  }
  if (maxSeconds !== undefined)
    yield { path: 'max_seconds', message: 'is for the protocol "transcribe" only' };
  if (language !== undefined) yield { path: 'language', message: 'is for the protocol "transcribe" only' };
}

function* googleFaults({ protocol, auth }: RouteFields): Generator<FieldFault> {
  if (protocol === 'gemini' && auth !== undefined && auth !== 'google')
    yield { path: 'auth', message: 'must be "google" or absent for the protocol "gemini"' };
  if (auth === 'google' && protocol !== 'gemini' && protocol !== 'openai' && protocol !== 'bedrock')
    yield { path: 'auth', message: 'is "google" for the protocols "gemini" and "openai" only' };
}

function* azureFaults({ protocol, auth, secret, api_version: version }: RouteFields): Generator<FieldFault> {
  const isOpenAi = protocol === 'openai' || protocol === 'openai-responses';
  if (auth === 'api-key' && !isOpenAi)
    yield { path: 'auth', message: 'is "api-key" for the protocols "openai" and "openai-responses" only' };
  if (auth !== undefined && auth !== 'sigv4' && !SIGNS_ITSELF.has(protocol) && secret === undefined)
    yield { path: 'secret', message: `is required for auth "${auth}"` };
  if (version !== undefined && !isOpenAi)
    yield { path: 'api_version', message: 'is for the protocols "openai" and "openai-responses" only' };
}

function* signingFaults(entry: RouteFields, isKnownHost: boolean): Generator<FieldFault> {
  const { protocol, auth, secret, aws_service: service, aws_region: region } = entry;
  const signs = auth === 'sigv4' && !SIGNS_ITSELF.has(protocol);
  if (signs && secret !== undefined)
    yield { path: 'secret', message: "must be absent: the function's role signs" };
  if (signs && signedFor(entry) === undefined)
    yield {
      path: 'aws_service',
      message: `is required: the host is none of ${KNOWN_AWS_HOSTS}, which name their service`,
    };
  const why = isKnownHost ? 'must be absent: the host names it' : 'is for auth "sigv4" only';
  if (service !== undefined && (isKnownHost || !signs)) yield { path: 'aws_service', message: why };
  if (region !== undefined && (isKnownHost || !signs)) yield { path: 'aws_region', message: why };
}

export const route = routeFields.superRefine(without(faultsOf));
