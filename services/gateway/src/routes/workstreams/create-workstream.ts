import { createWorkstream, createWorkstreamBody, workstream } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { created } from '../../endpoint/replies.ts';

export const createWorkstreamEndpoint = write({
  method: 'POST',
  path: '/workstreams',
  operationId: 'createWorkstream',
  tag: 'Workstreams',
  summary: 'Create a workstream',
  description: 'Its prefix can never change, and no other workstream of the workspace can ever have it.',
  requires: ['Idempotency-Key'],
  body: createWorkstreamBody,
  reply: created(workstream, 'workstreams'),
  answer: ({ bus, by, body }) => bus.fetch(createWorkstream, { ...by, body }),
});
