import { expect, it } from '@jest/globals';
import { BucketFiles, createFileClient } from '../../lambdas/marketplace/store/builds/build-files.ts';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import { joined, SynthesizedApp } from './synthesized-app.ts';

const REGION = 'eu-central-1';

/** The pseudo parameters of a deployment, and the import of the bucket. */
const VALUES = {
  '<?>': 'inference-prod-data-builds-a1b2c3d4e5f6',
  '<AWS::Region>': REGION,
  '<AWS::URLSuffix>': 'amazonaws.com',
};

const app = new SynthesizedApp();

/** The variables of a function of the platform API, as a deployment resolves them. */
function variablesOf(name: string): Readonly<Record<string, string>> {
  const functions = app.resources('platform', 'AWS::Lambda::Function');
  const resources = functions.filter(([id]) => app.functionName('platform', id) === name);
  const variables = resources.flatMap(
    ([
      ,
      {
        Properties: { Environment: environment },
      },
    ]) => Object.entries((environment as { Variables: Record<string, unknown> }).Variables),
  );
  return Object.fromEntries(
    variables.map(([variable, value]) => [
      variable,
      Object.entries(VALUES).reduce((text, [from, to]) => text.replaceAll(from, to), joined(value)),
    ]),
  );
}

it('the content security policy lets the console send requests to the origin of signed uploads, and to no other', async () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
  const bucket = variablesOf('create-build')[VARIABLES.buildsBucket] ?? '';
  const { url, headers } = await new BucketFiles(
    createFileClient({ region: REGION, credentials }),
    bucket,
  ).upload({
    id: 'build_1',
    listingId: 'lst_1',
    ownerId: 'acc_1',
    filename: 'app.zip',
    size: 1,
    sha256: '00'.repeat(32),
    status: 'awaiting_upload',
    threats: [],
    requests: 0,
    released: false,
    created: 0,
    version: 1,
  });
  expect(variablesOf('get-console')[VARIABLES.uploadOrigin]).toBe(new URL(url).origin);
  // A browser sets the length by itself, and asks for the others.
  const cors = app.templates.data.Resources.Builds?.Properties.CorsConfiguration as
    | { readonly CorsRules: readonly { readonly AllowedHeaders: readonly string[] }[] }
    | undefined;
  expect(['content-length', ...(cors?.CorsRules[0]?.AllowedHeaders ?? [])].sort()).toEqual(
    Object.keys(headers).sort(),
  );
});
