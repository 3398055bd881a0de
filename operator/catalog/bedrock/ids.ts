/** The ids by which Bedrock is called: of a model, or of an inference profile, which is a model's after a geography. */

/**
 * Geographies of the inference profiles that AWS defines (Amazon Bedrock user guide, Supported Regions and models for
 * inference profiles; `in` and `sa` are in the public lists of prices).
 */
const PROFILE = /^(us-gov|us|eu|apac|au|jp|ca|sa|in|global)\.(.+)$/;

/** Returns the geography of a profile; undefined for the id of a model. */
export const geographyOfProfile = (id: string): string | undefined => PROFILE.exec(id)?.[1];

/** Returns the model that an id or an ARN calls. */
export function foundationModelOf(upstreamModel: string): string {
  const id = upstreamModel.slice(upstreamModel.lastIndexOf('/') + 1);
  return PROFILE.exec(id)?.[2] ?? id;
}

/** Profiles that stay in a part of Asia Pacific come before those of the whole. */
const ASIA: Readonly<Record<string, readonly string[]>> = {
  'ap-northeast-1': ['jp', 'apac'],
  'ap-northeast-3': ['jp', 'apac'],
  'ap-southeast-2': ['au', 'apac'],
  'ap-southeast-4': ['au', 'apac'],
  'ap-southeast-6': ['au', 'apac'],
  'ap-south-1': ['in', 'apac'],
  'ap-south-2': ['in', 'apac'],
};

/** Returns the geographies of profiles that stay in that of the region, the narrowest first. */
export function geographiesOf(region: string): readonly string[] {
  const first = region.startsWith('us-gov-') ? 'us-gov' : (region.split('-')[0] ?? '');
  return first === 'ap' ? (ASIA[region] ?? ['apac']) : [first];
}

/** Returns whether calls of one region may be sent from the other without leaving the geography. */
export const isSameGeography = (a: string, b: string): boolean =>
  geographiesOf(a).some((name) => geographiesOf(b).includes(name));
