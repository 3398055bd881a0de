/** The service that the tests of boundaries share. */
import { oneService } from '../one-service.ts';

/** The shared host takes larger bodies than API Gateway and Lambda, and answers stalled ones itself. */
export const isHost = process.env.COMPUTE === 'host';

/** More than is taken of a JSON body, bytes. */
export const TOO_LARGE = (isHost ? 33 : 7) << 20;

/** Uploads go through API Gateway, with its limits. */
export const service = oneService({ INGRESS: 'none' });
