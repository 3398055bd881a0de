/** The body of `POST /api/v1/auth/sign-out`. */
import * as z from 'zod';

export const signOutRequest = z.object({
  everywhere: z.boolean().default(false).describe('Ends every session of the account.'),
});
