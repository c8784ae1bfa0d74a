import { z } from 'zod';
import { caller, commandBy, defineRequest, ifMatch, outcomeOf, pageReply, pageRequest } from '../bus/request.ts';
import { uuid } from '../scalars.ts';
import { column, createColumnBody, patchColumnBody } from './resource.ts';

const versioned = commandBy.extend({ column_id: uuid, if_match: ifMatch });

export const createColumn = defineRequest(
  'card.create-column',
  commandBy.extend({ board_id: uuid, body: createColumnBody }),
  outcomeOf(column),
  ['conflict'],
);
export const getColumn = defineRequest('card.get-column', caller.extend({ column_id: uuid }), column);
export const listColumns = defineRequest(
  'card.list-columns',
  caller.extend({ board_id: uuid, archived: z.boolean(), page: pageRequest }),
  pageReply(column),
);
export const patchColumn = defineRequest(
  'card.patch-column',
  versioned.extend({ body: patchColumnBody }),
  outcomeOf(column),
);
export const archiveColumn = defineRequest('card.archive-column', versioned, outcomeOf(column));
export const restoreColumn = defineRequest('card.restore-column', versioned, outcomeOf(column));
