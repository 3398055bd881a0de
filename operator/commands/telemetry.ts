/** The operator's commands for the receiver that gets the telemetry of all accounts. */
import { writtenLayout } from '../../lambdas/platform/contract/layouts.ts';
import { validate } from '../../lambdas/platform/core/json/json-body.ts';
import {
  DESTINATIONS,
  destinationRequest,
  requireTelemetry,
} from '../../lambdas/telemetry/core/destination.ts';
import { readNamedFile } from '../named-file.ts';
import { type Command, ok, options } from './arguments.ts';
import { forPeople } from './people.ts';

/** Reads headers from a file: as arguments they would stay in the shell's history. */
function headersIn(file: string | undefined): unknown {
  if (file === undefined) return {};
  try {
    return JSON.parse(readNamedFile(file));
  } catch (failure) {
    // The words of the parser repeat the file.
    if (failure instanceof SyntaxError) throw new Error(`${file} must be a JSON object of headers`);
    throw failure;
  }
}

/** The state of a receiver without an attempt among the deliveries, which are kept for 14 days. */
const NOT_TRIED = 'not tried yet, or not within 14 days';

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
      if (output === undefined) return { output: { url: null }, exitCode: 1 };
      const wasTried = output.last_success !== null || output.last_error !== null;
      const status = wasTried || output.status !== 'active' ? output.status : NOT_TRIED;
      return { ...ok({ ...output }), text: forPeople({ ...output, status }) };
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
