import type { archiveWorkstream as contract } from '@cardinal/contracts';
import { archiveWorkstream } from '../domain/workstream.ts';
import type { Handler, Parts } from '../parts.ts';
import { changeWorkstream } from '../workstreams/change.ts';

/**
 * Archives a workstream for good. Allocations lock the same row, so none that comes after the answer finds it active.
 * @throws CardinalError `not_found`, `precondition_failed`, `conflict` for the default workstream
 */
export const archiveWorkstreamHandler =
  (parts: Parts): Handler<typeof contract> =>
  (request) =>
    changeWorkstream(parts, request, archiveWorkstream);
