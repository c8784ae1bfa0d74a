import { getWorkstream, workstream } from '@cardinal/contracts';
import { read } from '../../endpoint/endpoint.ts';
import { workstreamId } from '../../endpoint/queries.ts';
import { versioned } from '../../endpoint/replies.ts';

export const getWorkstreamEndpoint = read({
  path: '/workstreams/:workstream_id',
  operationId: 'getWorkstream',
  tag: 'Workstreams',
  summary: 'Read a workstream',
  params: workstreamId,
  reply: versioned(workstream),
  answer: ({ bus, by, params }) => bus.fetch(getWorkstream, { ...by, ...params }),
});
