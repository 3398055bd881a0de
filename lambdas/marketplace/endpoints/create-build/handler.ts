/** `POST /apps/{id}/builds`, and the same of `/ai-agents`: signs the upload of a zip. */

import { sessionHandler } from '../../../access/handlers/handlers.ts';
import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { buildEntry, newBuild, UPLOAD_SECONDS } from '../../core/builds/build.ts';
import { createBuild } from '../../core/builds/builds.ts';
import { kindOf } from '../../core/listings/listing.ts';
import { BucketFiles, createFileClient } from '../../store/builds/build-files.ts';
import { bucketOf, createBuildStore, scannerOf } from '../../store/create-builds.ts';
import { createListings } from '../../store/create-listings.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { environment } = resources;
  const builds = {
    ...resources,
    store: createBuildStore(resources),
    listings: createListings(resources),
    signer: new BucketFiles(createFileClient(), bucketOf(environment)),
    isEnabled: scannerOf(environment) !== 'none',
  };
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const body = validate(newBuild, (await readJson(request)).value);
    const { build, upload } = await createBuild(builds, { kind: kindOf(request), id, accountId }, body);
    const expires = build.created + UPLOAD_SECONDS;
    return jsonResponse({ ...buildEntry(build), upload: { method: 'PUT', ...upload, expires } }, {}, 201);
  };
});
