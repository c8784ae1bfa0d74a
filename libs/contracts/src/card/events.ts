import { z } from 'zod';
import { defineEvent } from '../bus/event.ts';
import { uuid } from '../scalars.ts';

export const cardDeleted = defineEvent('card.deleted', 1, z.object({ board_id: uuid, identifier: z.string() }));
