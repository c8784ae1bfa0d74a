import { patchWorkstream, patchWorkstreamBody, workstream } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { workstreamId } from '../../endpoint/queries.ts';
import { changed } from '../../endpoint/replies.ts';

export const patchWorkstreamEndpoint = write({
  method: 'PATCH',
  path: '/workstreams/:workstream_id',
  operationId: 'patchWorkstream',
  tag: 'Workstreams',
  summary: 'Edit the name or description of a workstream',
  requires: ['If-Match'],
  params: workstreamId,
  body: patchWorkstreamBody,
  reply: changed(workstream),
  answer: ({ bus, by, params, ifMatch, body }) =>
    bus.fetch(patchWorkstream, { ...by, ...params, if_match: ifMatch, body }),
});
