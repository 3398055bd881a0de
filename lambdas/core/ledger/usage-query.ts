/** The query of `GET /v1/usage`. */
import * as z from 'zod';
import { ulidPageQuery } from '../api/paging.ts';
import { timeOf } from '../api/time-parameter.ts';

const time = timeOf(z.string()).optional();

export const usageQuery = ulidPageQuery('req').extend({ start: time, end: time });
