import { z } from 'zod';
import { defineEvent } from '../bus/event.ts';
import { uuid } from '../scalars.ts';

/** A subtask was deleted by itself; the deletion of its card says the same of all its subtasks. */
export const subtaskDeleted = defineEvent('card.subtask-deleted', 1, z.object({ card_id: uuid }));
