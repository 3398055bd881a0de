/** The operator's commands for the receiver that gets the telemetry of all accounts. */
import { readFileSync } from 'node:fs';
import { writtenLayout } from '../../lambdas/platform/contract/layouts.ts';
import { validate } from '../../lambdas/platform/core/json/json-body.ts';
import {
  DESTINATIONS,
  destinationRequest,
  requireTelemetry,
} from '../../lambdas/telemetry/core/destination.ts';
import { type Command, ok, options } from './arguments.ts';

/** Reads headers from a file: as arguments they would stay in the shell's history. */
function headersIn(file: string | undefined): unknown {
  if (file === undefined) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (failure) {
    // The words of the parser repeat the file.
    if (failure instanceof SyntaxError) throw new Error(`${file} must be a JSON object of headers`);
    throw failure;
  }
}

export const TELEMETRY_COMMANDS: Readonly<Record<string, Command>> = {
  'telemetry set': {
    usage: '--url URL [--headers FILE] [--attribute-names stable|both]',
    async run({ telemetry, layouts }, args) {
      const given = options(args, ['url'], ['headers', 'attribute-names']);
      const settings = validate(destinationRequest, {
        url: given.url,
        headers: headersIn(given.headers),
        attribute_names: given['attribute-names'],
      });
      requireTelemetry(writtenLayout(DESTINATIONS, await layouts.read()));
      return ok({ ...(await telemetry.set(settings)) });
    },
  },
  'telemetry show': {
    usage: '',
    async run({ telemetry }, args) {
      options(args, []);
      const output = await telemetry.show();
      return { output: { ...(output ?? { url: null }) }, exitCode: output === undefined ? 1 : 0 };
    },
  },
  'telemetry remove': {
    usage: '',
    async run({ telemetry }, args) {
      options(args, []);
      const removed = await telemetry.remove();
      return { output: { removed }, exitCode: removed ? 0 : 1 };
    },
  },
};
