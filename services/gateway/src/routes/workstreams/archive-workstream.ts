import { archiveWorkstream, workstream } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { workstreamId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const archiveWorkstreamEndpoint = write({
  method: 'POST',
  path: '/workstreams/:workstream_id/archive',
  operationId: 'archiveWorkstream',
  tag: 'Workstreams',
  summary: 'Archive a workstream',
  description: 'No card can be created in it or transferred to it any more; its cards keep their identifiers.',
  requires: ['If-Match', 'Idempotency-Key'],
  params: workstreamId,
  reply: changed(workstream),
  answer: ({ bus, by, params, ifMatch }) => bus.fetch(archiveWorkstream, { ...by, ...params, if_match: ifMatch }),
});
