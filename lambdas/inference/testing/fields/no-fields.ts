import type { RequestFields } from '../../core/fields/read-fields.ts';

/** The fields of a request that has none. */
export const NO_FIELDS: RequestFields = {
  needs: [],
  undocumented: [],
  unconvertedFields: new Set(),
  openaiFields: new Set(),
};
