import { cover, putCover, uuid } from '@cardinal/contracts';
import { z } from 'zod';
import { desire } from '../../endpoint/endpoint.ts';
import { unversioned } from '../../endpoint/replies.ts';

export const putCoverEndpoint = desire({
  method: 'PUT',
  path: '/cards/:card_id/cover/:file_id',
  operationId: 'putCover',
  tag: 'Files',
  summary: 'Make a file the cover of a card',
  description: 'A file that is not checked yet: 409; one that failed a check or is no raster image: 422.',
  refusals: ['validation_error'],
  params: z.strictObject({ card_id: uuid, file_id: uuid }),
  reply: unversioned(cover),
  answer: ({ bus, by, params }) => bus.fetch(putCover, { ...by, ...params }),
});
