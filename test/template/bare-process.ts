/**
 * Runs one invocation of a bundle as Lambda's runtime would, in a process that has nothing else: `--import` the
 * `awslambda` global, name the bundle, give the event on standard input. Prints the result as one JSON line.
 */
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const [bundle = ''] = process.argv.slice(2);
const { handler } = await import(pathToFileURL(bundle).href);
const deadlineMs = Date.now() + 20_000;
const outcome = await handler(JSON.parse(await text(process.stdin)), {
  awsRequestId: '00000000-0000-4000-8000-000000000000',
  functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
  getRemainingTimeInMillis: () => deadlineMs - Date.now(),
}).then(
  (result: unknown) => ({ result }),
  (failure: Error) => ({ failure: failure.name }),
);
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit());
