import { z } from 'zod';
import { caller, commandBy, defineRequest, ifMatch, outcomeOf, pageReply, pageRequest } from '../bus/request.ts';
import { uuid } from '../scalars.ts';
import { createWorkstreamBody, patchWorkstreamBody, workstream } from './resource.ts';

const one = caller.extend({ workstream_id: uuid });
const versioned = commandBy.extend({ workstream_id: uuid, if_match: ifMatch });

export const createWorkstream = defineRequest(
  'identifier.create-workstream',
  commandBy.extend({ body: createWorkstreamBody }),
  outcomeOf(workstream),
  ['conflict'],
);
export const getWorkstream = defineRequest('identifier.get-workstream', one, workstream, [], ['gateway', 'card']);
export const listWorkstreams = defineRequest(
  'identifier.list-workstreams',
  caller.extend({ archived: z.boolean(), page: pageRequest }),
  pageReply(workstream),
);
export const patchWorkstream = defineRequest(
  'identifier.patch-workstream',
  versioned.extend({ body: patchWorkstreamBody }),
  outcomeOf(workstream),
);
export const archiveWorkstream = defineRequest('identifier.archive-workstream', versioned, outcomeOf(workstream), [
  'conflict',
]);
