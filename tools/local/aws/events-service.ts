/** EventBridge, as far as publishers use it. Source: Amazon EventBridge API reference, PutEvents. */
import type { EventBuses } from '../messaging/event-bus.ts';
import type { Authorize } from './callers.ts';
import type { AwsServiceHandler } from './endpoint.ts';
import { AwsError, parseBody, unknownCall } from './errors.ts';

interface Entry {
  readonly EventBusName?: string;
  readonly Source?: string;
  readonly DetailType?: string;
  readonly Detail?: string;
}

/** Amazon EventBridge quotas. */
const MAX_ENTRIES = 10;
const MAX_REQUEST_BYTES = 1024 * 1024;

export function createEventsService(buses: EventBuses): AwsServiceHandler {
  return async ({ operation, body, authorize }) => {
    if (operation !== 'PutEvents') throw unknownCall(`EventBridge call ${operation}`);
    const Entries = entriesOf(body).map((entry) => put(buses, entry, authorize));
    return { FailedEntryCount: Entries.filter((result) => 'ErrorCode' in result).length, Entries };
  };
}

/** An entry that is wrong fails by itself; one that the caller may not put fails the request. */
function put(buses: EventBuses, entry: Entry, authorize: Authorize): object {
  const { EventBusName: name = 'default', Source: source, DetailType: detailType, Detail: text } = entry;
  const bus = buses.find(name);
  if (bus === undefined) throw new AwsError('ResourceNotFoundException', `Event bus ${name} does not exist.`);
  authorize('events:PutEvents', bus.arn);
  if (source === undefined || detailType === undefined || text === undefined)
    return { ErrorCode: 'InvalidArgument', ErrorMessage: 'Source, DetailType and Detail are required.' };
  const detail = parseDetail(text);
  if (detail === undefined) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  return { EventId: buses.put(bus, { source, detailType, detail }) };
}

function parseDetail(text: string): object | undefined {
  try {
    const detail: unknown = JSON.parse(text);
    return typeof detail === 'object' && detail !== null && !Array.isArray(detail) ? detail : undefined;
  } catch {
    return undefined;
  }
}

function entriesOf(body: Buffer): readonly Entry[] {
  const { Entries: entries } = parseBody<{ Entries: unknown }>(body);
  if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_ENTRIES)
    throw new AwsError('ValidationException', `Entries must hold from 1 to ${MAX_ENTRIES} events.`);
  if (body.length > MAX_REQUEST_BYTES)
    throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.');
  return entries as readonly Entry[];
}
