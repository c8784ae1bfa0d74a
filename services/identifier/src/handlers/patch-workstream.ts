import type { patchWorkstream } from '@cardinal/contracts';
import { editWorkstream } from '../domain/workstream.ts';
import type { Handler, Parts } from '../parts.ts';
import { changeWorkstream } from '../workstreams/change.ts';

/** Edits name and description. @throws CardinalError `not_found`, `precondition_failed` */
export const patchWorkstreamHandler =
  (parts: Parts): Handler<typeof patchWorkstream> =>
  (request) =>
    changeWorkstream(parts, request, (current, now) => editWorkstream(current, request.body, now));
