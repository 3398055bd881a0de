/**
 * The models and inference profiles that a simulated account is offered, by region: a part of what AWS listed in 2026,
 * in the form of its lists. `PROFILE` stands for `INFERENCE_PROFILE`, which AWS returns and its SDKs do not know.
 */

/** Ids of regions by their beginning; a profile of a geography is offered in its regions, `global` everywhere. */
const GEOGRAPHIES: Readonly<Record<string, RegExp>> = {
  us: /^us-(east|west)-/,
  eu: /^eu-/,
  apac: /^ap-/,
  jp: /^ap-northeast-/,
  au: /^ap-southeast-2$/,
  global: /./,
};

interface OfferedModel {
  readonly id: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly types: readonly string[];
  /** Geographies with a profile. */
  readonly profiles: readonly string[];
  readonly streams: boolean;
  readonly lifecycle: { readonly status: string; readonly endOfLifeTime?: string };
  /** The regions that list it. */
  readonly regions: RegExp;
}

const TYPES: Readonly<Record<string, readonly string[]>> = {
  both: ['ON_DEMAND', 'INFERENCE_PROFILE'],
  demand: ['ON_DEMAND'],
  PROFILE: ['INFERENCE_PROFILE'],
  provisioned: ['PROVISIONED'],
};

const ACTIVE = { status: 'ACTIVE' };

/** A model by a line: id, name, inputs, outputs, types, geographies of its profiles; all but the id as short words. */
function offered(
  line: string,
  rest: Partial<Pick<OfferedModel, 'lifecycle' | 'regions'>> = {},
): OfferedModel {
  const [id = '', name = '', inputs = '', outputs = '', types = '', profiles = ''] = line.split(' | ');
  const words = (text: string) => text.split(' ').filter((word) => word !== '');
  return {
    id,
    name,
    inputs: words(inputs),
    outputs: words(outputs),
    types: TYPES[types] ?? [],
    profiles: words(profiles),
    streams: outputs === 'TEXT' && !id.includes('rerank'),
    lifecycle: ACTIVE,
    regions: /./,
    ...rest,
  };
}

const US = /^us-/;
const LEGACY = { status: 'LEGACY', endOfLifeTime: '2027-04-08T00:00:00Z' };

const MODELS: readonly OfferedModel[] = [
  offered('amazon.nova-micro-v1:0 | Nova Micro | TEXT | TEXT | both | us eu apac'),
  offered('amazon.nova-pro-v1:0 | Nova Pro | TEXT IMAGE VIDEO | TEXT | both | us eu apac'),
  offered('amazon.nova-pro-v1:0:300k | Nova Pro | TEXT IMAGE VIDEO | TEXT | provisioned', { regions: US }),
  offered('amazon.nova-2-lite-v1:0 | Nova 2 Lite | TEXT IMAGE VIDEO | TEXT | PROFILE | us eu jp global'),
  offered('amazon.nova-2-sonic-v1:0 | Nova 2 Sonic | SPEECH TEXT | SPEECH TEXT | demand'),
  offered('amazon.nova-reel-v1:1 | Nova Reel | TEXT IMAGE | VIDEO | demand', { regions: US }),
  offered('amazon.rerank-v1:0 | Rerank 1.0 | TEXT | TEXT | demand'),
  offered('amazon.titan-embed-text-v2:0 | Titan Text Embeddings V2 | TEXT | EMBEDDING | demand'),
  offered('amazon.titan-embed-image-v1 | Titan Multimodal Embeddings | TEXT IMAGE | EMBEDDING | demand', {
    regions: US,
  }),
  offered(
    'anthropic.claude-haiku-4-5-20251001-v1:0 | Claude Haiku 4.5 | TEXT IMAGE | TEXT | PROFILE | us eu jp au global',
  ),
  offered('anthropic.claude-opus-4-8 | Claude Opus 4.8 | TEXT IMAGE | TEXT | PROFILE | us eu jp au global'),
  offered('anthropic.claude-opus-5-5 | Claude Opus 5.5 | TEXT IMAGE | TEXT | PROFILE | us eu jp au global'),
  offered(
    'anthropic.claude-sonnet-4-5-20250929-v1:0 | Claude Sonnet 4.5 | TEXT IMAGE | TEXT | PROFILE | us eu jp au global',
    {
      lifecycle: LEGACY,
    },
  ),
  offered(
    'anthropic.claude-sonnet-5-5 | Claude Sonnet 5.5 | TEXT IMAGE | TEXT | PROFILE | us eu jp au global',
  ),
  offered('cohere.embed-multilingual-v3 | Embed Multilingual | TEXT | EMBEDDING | demand'),
  offered('cohere.embed-v4:0 | Embed v4 | TEXT IMAGE | EMBEDDING | both | us eu global'),
  offered('deepseek.r1-v1:0 | DeepSeek-R1 | TEXT | TEXT | PROFILE | us', { regions: US }),
  offered('deepseek.v3.2 | DeepSeek V3.2 | TEXT | TEXT | demand', { regions: /^us-|^ap-northeast-1$/ }),
  offered('future.model-v1:0 | Future | TEXT | HOLOGRAM | demand', { regions: US }),
  offered('meta.llama3-3-70b-instruct-v1:0 | Llama 3.3 70B | TEXT | TEXT | both | us', { regions: US }),
  offered('minimax.minimax-m2.5 | MiniMax M2.5 | TEXT | TEXT | demand'),
  offered('mistral.pixtral-large-2502-v1:0 | Pixtral Large | TEXT IMAGE | TEXT | PROFILE | us eu'),
  offered('openai.gpt-6-sol | GPT-6 Sol | TEXT IMAGE | TEXT | PROFILE | us global', { regions: US }),
  offered('openai.gpt-oss-120b-1:0 | gpt-oss-120b | TEXT | TEXT | demand'),
  offered('openai.gpt-oss-20b-1:0 | gpt-oss-20b | TEXT | TEXT | demand'),
  offered('qwen.qwen3-next-80b-a3b | Qwen3 Next 80B | TEXT | TEXT | demand'),
  offered('stability.stable-image-core-v1:1 | Stable Image Core | TEXT | IMAGE | demand', {
    regions: /^us-west-2$/,
  }),
  offered('stability.stable-outpaint-v1:0 | Stable Outpaint | TEXT IMAGE | IMAGE | PROFILE | us', {
    regions: US,
  }),
  offered('writer.palmyra-x5-v1:0 | Palmyra X5 | TEXT | TEXT | PROFILE | us', { regions: US }),
  offered('zai.glm-5 | GLM-5 | TEXT | TEXT | demand', { regions: US }),
];

const arnOf = (region: string, id: string): string => `arn:aws:bedrock:${region}::foundation-model/${id}`;

/** The body of ListFoundationModels. */
export const foundationModels = (region: string) => ({
  modelSummaries: MODELS.filter(({ regions }) => regions.test(region)).map((model) => ({
    modelArn: arnOf(region, model.id),
    modelId: model.id,
    modelName: model.name,
    providerName: model.id.split('.')[0],
    inputModalities: model.inputs,
    outputModalities: model.outputs,
    responseStreamingSupported: model.streams,
    customizationsSupported: [],
    inferenceTypesSupported: model.types,
    modelLifecycle: model.lifecycle,
  })),
});

/** The body of ListInferenceProfiles: a page, whose token is the number of its first profile. */
export function inferenceProfiles(region: string, { size, token }: { size: number; token: number }) {
  const all = MODELS.flatMap(({ id, profiles }) =>
    profiles
      .filter((geography) => GEOGRAPHIES[geography]?.test(region) === true)
      .map((geography) => ({
        inferenceProfileId: `${geography}.${id}`,
        inferenceProfileArn: `arn:aws:bedrock:${region}:000000000000:inference-profile/${geography}.${id}`,
        inferenceProfileName: `${geography} ${id}`,
        models: [{ modelArn: arnOf(region, id) }],
        status: 'ACTIVE',
        type: 'SYSTEM_DEFINED',
      })),
  );
  const end = token + size;
  return {
    inferenceProfileSummaries: all.slice(token, end),
    ...(end < all.length ? { nextToken: String(end) } : {}),
  };
}

/** Models that need no agreement (Amazon Bedrock user guide, Request access to models). */
const FREE = /^(amazon|openai)\./;

/** The body of GetFoundationModelAvailability. A new account has agreed to no third party's model. */
export function availabilityOf(id: string, region: string, isNewAccount: boolean) {
  const isListed = MODELS.some((model) => model.id === id && model.regions.test(region));
  return {
    modelId: id,
    agreementAvailability: { status: isNewAccount && !FREE.test(id) ? 'NOT_AVAILABLE' : 'AVAILABLE' },
    authorizationStatus: 'AUTHORIZED',
    entitlementAvailability: 'AVAILABLE',
    regionAvailability: isListed ? 'AVAILABLE' : 'NOT_AVAILABLE',
  };
}
