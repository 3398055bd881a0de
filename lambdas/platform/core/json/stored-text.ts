/** Text of a request that is stored. */
import * as z from 'zod';

/** JSON can escape half of a surrogate pair (RFC 8259, section 8.2), for which UTF-8, and so the database, has no bytes. */
export const storedText = () =>
  z.string().refine((text) => text.isWellFormed(), 'must have no half of a surrogate pair');
