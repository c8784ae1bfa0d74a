import { z } from 'zod';
import { type ErrorCode, errorStatus } from '../errors.ts';

/** `{"data": …}` around one resource. */
export const dataOf = <Resource extends z.ZodType>(resource: Resource) => z.object({ data: resource });

/** Where a list goes on; `next_cursor` is null on the last page. */
export const pageInfo = z.object({ next_cursor: z.string().nullable(), has_more: z.boolean() });

/** `{"data": […], "page": {…}}` around one page of a list. */
export const pageOf = <Resource extends z.ZodType>(resource: Resource) =>
  z.object({ data: z.array(resource), page: pageInfo });

const codes = Object.keys(errorStatus) as [ErrorCode, ...ErrorCode[]];

/** The body of every error response (api-decisions, "Requests, responses, errors"). */
export const errorBody = z.object({
  error: z.object({
    code: z.enum(codes),
    message: z.string(),
    request_id: z.string(),
    details: z
      .union([
        z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })),
        z.object({ path: z.array(z.string()) }),
        z.object({ current_version: z.number() }),
      ])
      .optional(),
  }),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** What every cursor looks like from outside; what it says only the list knows that gave it out. */
export const cursorText = z
  .string()
  .max(1024)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be one that a list gave out');

/** A query spells a whole number in digits and nothing else: not `0x10`, `1e1`, `+5` or `05`. */
const limit = z.preprocess(
  (value) => (typeof value === 'string' && /^[1-9][0-9]{0,2}$/.test(value) ? Number(value) : value),
  z.int('must be a whole number from 1 to 100, in digits').min(1).max(100),
);

/** Query of every list: `limit` defaults to 50, the cursor is opaque and belongs to one list and its filters. */
export const pageQuery = z.strictObject({
  limit: limit.prefault(50).describe('Most items of a page, 1 to 100, in digits; it ends before 1 MiB too'),
  cursor: cursorText.optional(),
});
