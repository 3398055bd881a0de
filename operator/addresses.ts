/** The addresses of a service: of the local one by its session, of one in AWS by the outputs of its stacks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import type { Route } from '../lambdas/platform/contract/route.ts';

/** The address of each API, without a slash at the end. Both are the same if one hostname serves both. */
export type Addresses = Readonly<Record<Route['api'], string>>;

/** Returns the addresses of this target. Throws if they are not available. */
export async function addressesOf({ addresses }: { readonly addresses?: () => Promise<Addresses> }) {
  if (addresses === undefined) throw new Error('this service announces no address');
  return addresses();
}

/** The addresses that a command was given, else those that the deployment announces. */
export const resolveAddresses = async (
  operator: { addresses(): Promise<Addresses> },
  url: string | undefined,
  platform: string | undefined,
): Promise<Addresses> =>
  url === undefined ? operator.addresses() : { inference: url, platform: platform ?? url };

const session = z.object({ base_url: z.url(), platform_url: z.url() });

/** Returns the addresses of the service that runs on this state folder. Throws if none runs. */
export function localAddresses(stateDir: string): Addresses {
  let text: string;
  try {
    text = readFileSync(join(stateDir, 'session.json'), 'utf8');
  } catch (cause) {
    throw new Error(
      `no local service runs in ${stateDir}: start one with "npm start", or set LOCAL_DIR to the folder of one`,
      { cause },
    );
  }
  const { base_url: inference, platform_url: platform } = session.parse(JSON.parse(text));
  return { inference: plain(inference), platform: plain(platform) };
}

/** Returns the addresses of a deployment: its one hostname if it has one, else the addresses of its two APIs. */
export async function deployedAddresses(client: CloudFormationClient, stage: string): Promise<Addresses> {
  const outputs = (stack: string) => outputsOf(client, `Inference-${stage}-${stack}`);
  const { BaseUrl: hostname } = (await outputs('ingress')) ?? {};
  if (hostname !== undefined) return { inference: plain(hostname), platform: plain(hostname) };
  const addressIn = async (api: Route['api']) => {
    const apiUrl = Object.values((await outputs(api)) ?? {}).find((value) => value.includes('.execute-api.'));
    if (apiUrl === undefined) throw new Error(`the stack ${api} of ${stage} has no address of an API`);
    return plain(apiUrl);
  };
  return { inference: await addressIn('inference'), platform: await addressIn('platform') };
}

const plain = (url: string): string => url.replace(/\/+$/, '');

/** Undefined when there is no such stack. */
async function outputsOf(
  client: CloudFormationClient,
  stackName: string,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const { Stacks: stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const outputs = stacks?.[0]?.Outputs ?? [];
    return Object.fromEntries(
      outputs.map(({ OutputKey: name = '', OutputValue: value = '' }) => [name, value]),
    );
  } catch (failure) {
    // CloudFormation's response for a stack that does not exist (API reference, DescribeStacks).
    if ((failure as Error).name === 'ValidationError') return undefined;
    throw failure;
  }
}
