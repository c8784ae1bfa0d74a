import { z } from 'zod';
import { defineEvent } from '../bus/event.ts';
import { uuid } from '../scalars.ts';
import { linkedFile } from '../subtask/resource.ts';

/** A card got another cover or lost it. The aggregate is the card; the version counts the changes of its cover. */
export const coverChanged = defineEvent('cover.changed', 1, z.object({ card_id: uuid, file_id: uuid.nullable() }));

/**
 * A subtask's link to a file was set or cleared. The aggregate is the subtask; the version counts the changes of its
 * link.
 */
export const linkedFileChanged = defineEvent(
  'linked-file.changed',
  1,
  z.object({
    subtask_id: uuid,
    card_id: uuid,
    /** With the board that decides who sees it. */
    file: linkedFile.extend({ board_id: uuid.nullable() }).nullable(),
  }),
);
