import type { archiveWorkstream as contract } from '@cardinal/contracts';
import type { Handler, Parts } from '../parts.ts';
import { archive } from '../workstreams/archive.ts';

/**
 * Archives a workstream for good; after the answer no number of it is issued.
 * @throws CardinalError `not_found`, `precondition_failed`, `conflict` for the default workstream
 */
export const archiveWorkstreamHandler =
  (parts: Parts): Handler<typeof contract> =>
  (request) =>
    archive(parts, request);
