/** The service that the clients of a test file share: on the shared host, unless `COMPUTE` says otherwise. */
import { oneService } from '../system/one-service.ts';

export const service = oneService({ COMPUTE: process.env.COMPUTE ?? 'host' });
