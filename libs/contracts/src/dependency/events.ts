import { z } from 'zod';
import { defineEvent } from '../bus/event.ts';
import { uuid } from '../scalars.ts';

/**
 * A dependency was declared or removed. The aggregate is the dependent card (`aggregate_id`); the version is a number
 * that rises with each change of any dependency of the workspace.
 */
export const dependencyChanged = defineEvent(
  'dependency.changed',
  1,
  z.object({ card_id: uuid, depends_on_card_id: uuid, exists: z.boolean() }),
);
