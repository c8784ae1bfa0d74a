import { createLabel, createLabelBody, label } from '@cardinal/contracts';
import { write } from '../../endpoint/endpoint.ts';
import { created } from '../../endpoint/replies.ts';

export const createLabelEndpoint = write({
  method: 'POST',
  path: '/labels',
  operationId: 'createLabel',
  tag: 'Labels',
  summary: 'Create a label, known in the whole workspace',
  requires: ['Idempotency-Key'],
  body: createLabelBody,
  reply: created(label, 'labels'),
  answer: ({ bus, by, body }) => bus.fetch(createLabel, { ...by, body }),
});
