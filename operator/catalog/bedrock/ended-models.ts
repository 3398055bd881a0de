/**
 * Models of Amazon Bedrock whose end has been announced: those that have ended, and those that are Legacy, which accounts
 * that do not use them yet cannot start to use (Amazon Bedrock user guide, "Model lifecycle" and "Model lifecycle (Legacy)").
 */
import { foundationModelOf } from './ids.ts';

export interface EndedModel {
  /** The model's id without its version, or a prefix that several models share, which ends in a dash. */
  readonly model: string;
  /** The day from which requests fail, as `YYYY-MM-DD`. */
  readonly endsOn: string;
  /** The URL at which the day was read. */
  readonly source: string;
}

/**
 * For models launched before 2026-09-07; the date of a newer model is on its card. Read from the copy of its table in
 * github.com/awslabs/startups (`ai-model-lifecycle.md`, 2026-09-17).
 */
const LIFECYCLE = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-lifecycle-legacy.html';

/** Absent from a copy of AWS's page, but present in the price list of LiteLLM, release 1.109.1. */
const LITELLM = 'https://pypi.org/project/litellm/1.109.1/';

const endedModels = (source: string, days: Readonly<Record<string, readonly string[]>>): EndedModel[] =>
  Object.entries(days).flatMap(([endsOn, models]) => models.map((model) => ({ model, endsOn, source })));

/** Models that had ended on 2026-11-22. */
export const ENDED_MODELS: readonly EndedModel[] = [
  ...endedModels(LIFECYCLE, {
    '2026-04-28': ['anthropic.claude-3-7-sonnet'],
    '2026-05-31': ['anthropic.claude-opus-4-20250514'],
    '2026-06-19': ['anthropic.claude-3-5-haiku'],
    '2026-06-30': ['amazon.titan-image-generator-v2'],
    '2026-07-07': ['meta.llama3-2-', 'meta.llama3-1-405b-'],
    '2026-07-30': ['anthropic.claude-3-sonnet', 'anthropic.claude-3-5-sonnet'],
    '2026-08-19': ['cohere.command-r-v1', 'cohere.command-r-plus-v1'],
    '2026-09-10': ['anthropic.claude-3-haiku'],
    '2026-09-14': ['amazon.nova-premier-v1', 'amazon.nova-sonic-v1'],
    '2026-09-30': ['amazon.nova-canvas-v1', 'amazon.nova-reel-v1'],
    '2026-10-14': ['anthropic.claude-sonnet-4-20250514'],
    '2026-11-26': ['ai21.jamba-1-5-'],
    '2026-11-30': ['twelvelabs.marengo-embed-2-7-v1'],
    '2027-01-08': ['anthropic.claude-opus-4-1-20250805'],
  }),
  ...endedModels(LITELLM, {
    '2027-03-09': ['writer.palmyra-x4-v1'],
    '2027-03-21': ['writer.palmyra-x5-v1'],
    '2027-03-22': ['twelvelabs.pegasus-1-2-v1'],
    '2027-03-30': [
      'deepseek.r1-v1',
      'deepseek.v3-v1',
      'google.gemma-3-',
      'meta.llama3-1-',
      'meta.llama3-3-70b-',
      'meta.llama3-70b-',
      'meta.llama3-8b-',
      'meta.llama4-',
      'minimax.minimax-m2',
      'minimax.minimax-m2.1',
      'mistral.devstral-2-123b',
      'mistral.mistral-7b-instruct-v0',
      'mistral.mixtral-8x7b-instruct-v0',
      'mistral.voxtral-',
      'moonshot.kimi-k2-thinking',
      'nvidia.nemotron-nano-12b-v2',
      'nvidia.nemotron-nano-9b-v2',
      'qwen.qwen3-coder-30b-a3b-',
      'qwen.qwen3-coder-480b-a35b-',
      'zai.glm-4.7',
    ],
    '2027-04-08': ['anthropic.claude-sonnet-4-5-20250929'],
  }),
];

/** The announced end of the model that a route names, be it by its id, an inference profile's or an ARN. */
export function announcedEndOf(upstreamModel: string): EndedModel | undefined {
  const id = foundationModelOf(upstreamModel);
  return ENDED_MODELS.find(
    ({ model }) => id.startsWith(model) && (model.endsWith('-') || /^$|^[-:]/.test(id.slice(model.length))),
  );
}
