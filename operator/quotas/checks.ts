/** The checks of the account and of this machine, in addition to quotas: each with its state and a reason. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { type AvailabilityZone, DescribeAvailabilityZonesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { createSecretsClient } from '../../lambdas/platform/aws/clients.ts';
import { type Config, hasEdge } from '../../lib/config/config.ts';
import { type AwsCaller, BOOTSTRAP_VERSION, readBootstrap, readCaller } from '../aws-account.ts';
import { createRouteAccess } from '../calls/route-access.ts';
import { lineOf, readModelAccess } from '../catalog/model-access.ts';
import { EDGE_REGION } from '../policies/scope.ts';

export interface AccountCheck {
  readonly check: string;
  /** `missing` blocks a deployment; `open` is for the operator to do later; `unknown` could not be read. */
  readonly state: 'ok' | 'missing' | 'open' | 'unknown';
  readonly note: string;
}

/**
 * The zones that CloudFront's VPC origins leave out, by id: the same name is another zone in each account (CloudFront
 * developer guide, Restrict access with VPC origins, Supported AWS Regions for VPC origins). In `use1-az3` Fargate has no
 * ARM64 either (Amazon ECS developer guide, Task definitions for 64-bit ARM workloads).
 */
const EXCLUDED_ZONES: ReadonlySet<string> = new Set(['use1-az3', 'usw1-az2', 'apne1-az3', 'cac1-az3']);

/** A zone that fails leaves the other. A third adds to the traffic between zones, and to nothing else here. */
const USUAL_ZONES = 2;

const usesFargate = ({ compute, ingress }: Config): boolean => compute === 'fargate' || ingress === 'fargate';

/** Returns the regions whose bootstrap the settings need. */
export const bootstrapRegions = (config: Config, region: string): readonly string[] =>
  hasEdge(config) && config.region !== undefined && region !== EDGE_REGION ? [region, EDGE_REGION] : [region];

/** Checks everything that the settings need, and the access to the models of a catalog if one is named. A check that fails to read is unknown, without an effect on others. */
export async function checkAccount(
  config: Config,
  catalogFile: string | undefined,
): Promise<readonly AccountCheck[]> {
  let caller: AwsCaller;
  try {
    caller = await readCaller();
  } catch (failure) {
    return [{ check: 'AWS credentials', state: 'missing', note: (failure as Error).message }];
  }
  const { accountId, arn, region } = caller;
  const checks: readonly (Promise<readonly AccountCheck[]> | readonly AccountCheck[])[] = [
    [{ check: 'AWS credentials', state: 'ok', note: `account ${accountId} in ${region} as ${arn}` }],
    regionCheck(config, region),
    ...bootstrapRegions(config, region).map(bootstrapCheck),
    usesFargate(config) ? Promise.all([dockerCheck(), zonesCheck(config)]) : [],
    catalogFile === undefined ? [] : modelChecks(catalogFile),
  ];
  return (await Promise.all(checks)).flat();
}

function regionCheck(config: Config, region: string): readonly AccountCheck[] {
  if (config.region === undefined || config.region === region) return [];
  const note = `the settings name ${config.region}, and the environment ${region}: make both the same`;
  return [{ check: 'Region', state: 'missing', note }];
}

async function bootstrapCheck(region: string): Promise<readonly AccountCheck[]> {
  const check = `CDK bootstrap in ${region}`;
  try {
    const version = (await readBootstrap(region))?.version;
    if (version !== undefined && version >= BOOTSTRAP_VERSION)
      return [{ check, state: 'ok', note: `version ${version}, ${BOOTSTRAP_VERSION} needed` }];
    const found = version === undefined ? 'there is none' : `version ${version}, ${BOOTSTRAP_VERSION} needed`;
    return [{ check, state: 'open', note: `${found}: "npm run up" creates it` }];
  } catch (failure) {
    return [{ check, state: 'unknown', note: `not read: ${(failure as Error).name}` }];
  }
}

/** Fargate's image is built on this machine. The CDK runs another program if `CDK_DOCKER` names it. */
async function dockerCheck(): Promise<AccountCheck> {
  const program = process.env.CDK_DOCKER ?? 'docker';
  try {
    await promisify(execFile)(program, ['version'], { timeout: 15_000 });
    return { check: 'Docker', state: 'ok', note: `${program} runs` };
  } catch {
    return {
      check: 'Docker',
      state: 'missing',
      note: `"${program} version" fails: start it, or set CDK_DOCKER`,
    };
  }
}

const nameOf = ({ ZoneName: name = '' }: AvailabilityZone): string => name;
const isReached = ({ ZoneId: id = '' }: AvailabilityZone): boolean => !EXCLUDED_ZONES.has(id);

/** Reads the zones of the region, in the order of their names. */
async function readZones(): Promise<readonly AvailabilityZone[]> {
  const client = new EC2Client();
  try {
    const { AvailabilityZones: zones = [] } = await client.send(
      new DescribeAvailabilityZonesCommand({
        Filters: [{ Name: 'zone-type', Values: ['availability-zone'] }],
      }),
    );
    return zones.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  } finally {
    client.destroy();
  }
}

/** Returns the first zones that CloudFront reaches, if the settings need zones and name none. */
export async function hostZones(config: Config): Promise<readonly string[] | undefined> {
  if (!usesFargate(config) || config.availabilityZones !== undefined) return undefined;
  const names = (await readZones()).filter(isReached).map(nameOf).slice(0, USUAL_ZONES);
  if (names.length < USUAL_ZONES) throw new Error('CloudFront reaches fewer than two zones of the region');
  return names;
}

async function zonesCheck({ availabilityZones }: Config): Promise<AccountCheck> {
  const check = 'Zones of the host';
  try {
    const sorted = await readZones();
    const names = availabilityZones ?? sorted.slice(0, USUAL_ZONES).map(nameOf);
    const absent = names.filter((name) => !sorted.some(({ ZoneName }) => ZoneName === name));
    if (absent.length > 0) return { check, state: 'missing', note: `the region has no ${absent.join(', ')}` };
    const excluded = sorted.filter((zone) => names.includes(nameOf(zone)) && !isReached(zone)).map(nameOf);
    if (excluded.length === 0) return { check, state: 'ok', note: names.join(', ') };
    const advice = `set availabilityZones to two of ${sorted.filter(isReached).map(nameOf).join(', ')}`;
    const note = `CloudFront reaches no origin in ${excluded.join(', ')}: ${advice}`;
    return { check, state: 'missing', note };
  } catch (failure) {
    return { check, state: 'unknown', note: `not read: ${(failure as Error).name}` };
  }
}

async function modelChecks(catalogFile: string): Promise<readonly AccountCheck[]> {
  const secrets = createSecretsClient();
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  try {
    const document = parseCatalog(JSON.parse(readFileSync(catalogFile, 'utf8')));
    const access = createRouteAccess({ environment: {}, client: {} }, secrets, log);
    const { denied, unknown } = await readModelAccess(document, access);
    return [
      ...denied.map((model) => ({ check: 'Model access', state: 'open' as const, note: lineOf(model) })),
      ...unknown.map(({ id, reason }) => ({
        check: 'Model access',
        state: 'unknown' as const,
        note: `${id}: ${reason}`,
      })),
    ];
  } finally {
    secrets.destroy();
  }
}
