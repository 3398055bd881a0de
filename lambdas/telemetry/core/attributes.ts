/**
 * The attributes of a call: names of the OpenTelemetry GenAI conventions (package `@opentelemetry/semantic-conventions`
 * 1.45.0), and names of this product for what these lack. None is content, an address, or a value of a header.
 */
import type { Attributes } from '@opentelemetry/api';
import type { UsageRecord } from '../../ledger/core/usage-record.ts';
import type { Kind } from '../../platform/core/kinds.ts';
import { formatUsd, toMetric } from '../../platform/core/money.ts';

/** `both`: the names that were renamed by version 1.37 of the conventions are there as well. */
export const ATTRIBUTE_NAMES = ['stable', 'both'] as const;
export type AttributeNames = (typeof ATTRIBUTE_NAMES)[number];

const OPERATIONS: Readonly<Record<Kind, string>> = {
  chat: 'chat',
  embeddings: 'embeddings',
  image: 'generate_content',
  tts: 'generate_content',
  audio: 'generate_content',
};

const OUTPUT_TYPES: Partial<Record<Kind, string>> = { image: 'image', tts: 'speech', audio: 'text' };

/** The names that the conventions have for makers of models. Another maker has the name that the catalog gives it. */
const PROVIDERS: Readonly<Record<string, string>> = {
  amazon: 'aws.bedrock',
  google: 'gcp.gen_ai',
  mistral: 'mistral_ai',
  mistralai: 'mistral_ai',
  'x-ai': 'x_ai',
  xai: 'x_ai',
};

/** The maker of a model without one in its name. */
const NO_MAKER = '_OTHER';

/** Returns the maker of a model, which the first part of its name states. Any route may serve it. */
function providerOf({ model }: UsageRecord): string {
  const [maker = ''] = model?.includes('/') ? model.split('/') : [];
  return PROVIDERS[maker] ?? (maker === '' ? NO_MAKER : maker);
}

/** Returns the attributes that spans and metrics of a call have. Each takes few values. */
export function commonAttributes(call: UsageRecord, names: AttributeNames): Attributes {
  const provider = providerOf(call);
  return {
    'gen_ai.operation.name': OPERATIONS[call.kind],
    'gen_ai.provider.name': provider,
    ...(names === 'both' ? { 'gen_ai.system': provider } : {}),
    ...(call.model === null ? {} : { 'gen_ai.request.model': call.model }),
    ...(call.model === null || call.route === null ? {} : { 'gen_ai.response.model': call.model }),
  };
}

export const spanName = ({ kind, model }: UsageRecord): string =>
  model === null ? OPERATIONS[kind] : `${OPERATIONS[kind]} ${model}`;

/** Returns the class of the error of a call, which is its status; undefined if the call was completed. */
export const errorTypeOf = ({ status }: UsageRecord): string | undefined =>
  status === 'completed' ? undefined : status;

/** Returns the class of the error as an attribute, if there is one. */
export const errorAttribute = (type: string | undefined): Attributes =>
  type === undefined ? {} : { 'error.type': type };

/** Returns the attributes of the span of a call, in addition to the common ones. */
export function callAttributes(call: UsageRecord, names: AttributeNames): Attributes {
  const { firstTokenMs, status, kind } = call;
  return {
    ...errorAttribute(errorTypeOf(call)),
    'http.request.method': 'POST',
    // The status of a call that failed before its response started is in no record.
    ...(status === 'completed' || status === 'interrupted' ? { 'http.response.status_code': 200 } : {}),
    ...(OUTPUT_TYPES[kind] === undefined ? {} : { 'gen_ai.output.type': OUTPUT_TYPES[kind] }),
    ...(firstTokenMs === undefined
      ? {}
      : { 'gen_ai.request.stream': true, 'gen_ai.response.time_to_first_chunk': firstTokenMs / 1_000 }),
    ...usageAttributes(call, names),
    'unified_inference.request.id': call.id,
    'unified_inference.account.id': call.accountId,
    'unified_inference.key.id': call.keyId,
    'unified_inference.call.status': status,
    ...(call.route === null ? {} : { 'unified_inference.route.id': call.route }),
    ...(call.attempts === undefined ? {} : { 'unified_inference.attempts': call.attempts }),
    'unified_inference.cost.usd': formatUsd(call.cost),
    'unified_inference.cost.nano_usd': toMetric(call.cost),
  };
}

function usageAttributes(call: UsageRecord, names: AttributeNames): Attributes {
  const { inputUnits, cachedUnits, outputUnits, unit, estimated } = call;
  const counted = { 'unified_inference.usage.estimated': estimated };
  if (unit !== 'token')
    return {
      ...counted,
      [`unified_inference.usage.input_${unit}s`]: inputUnits,
      [`unified_inference.usage.output_${unit}s`]: outputUnits,
    };
  return {
    ...counted,
    'gen_ai.usage.input_tokens': inputUnits,
    'gen_ai.usage.output_tokens': outputUnits,
    ...(cachedUnits === 0 ? {} : { 'gen_ai.usage.cache_read.input_tokens': cachedUnits }),
    ...(names === 'both'
      ? { 'gen_ai.usage.prompt_tokens': inputUnits, 'gen_ai.usage.completion_tokens': outputUnits }
      : {}),
  };
}
