/** `POST /apps/{id}/releases`, and the same of `/ai-agents`: releases a version of a listing of the account that is signed in. */

import { createReleases } from '../../adapters/listings/create-listings.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { ActionDependencies } from '../../core/listings/actions.ts';
import { newRelease, releaseEntry } from '../../core/listings/activity.ts';
import { kindOf } from '../../core/listings/listing.ts';
import type { ReleaseStore } from '../../core/listings/ports.ts';
import { release } from '../../core/listings/releases.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function createRelease(releases: ActionDependencies<ReleaseStore>): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const body = validate(newRelease, (await readJson(request)).value);
    const made = await release(releases, { kind: kindOf(request), id, accountId }, body);
    return jsonResponse(releaseEntry(made), {}, 201);
  };
}

export const handler = sessionHandler('platform', (resources) => createRelease(createReleases(resources)));
