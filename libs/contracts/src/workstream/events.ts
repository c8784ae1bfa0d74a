import { z } from 'zod';
import { defineEvent } from '../bus/event.ts';
import { defineRequest } from '../bus/request.ts';
import { workstream } from './resource.ts';

/** A workstream was made, edited or archived. */
export const workstreamChanged = defineEvent('workstream.changed', 1, workstream);

/**
 * Hands a workstream's event to the card service's projection before the writer is answered, so that the next read of
 * a card shows it (architecture, "Read your writes, across services"). JetStream delivers the same event again.
 */
export const projectWorkstream = defineRequest(
  'card.project-workstream',
  workstreamChanged.schema,
  z.object({ applied: z.boolean() }),
  [],
  ['identifier'],
);
