import { z } from 'zod';
import { timestamp, uuid } from '../scalars.ts';

/** One card waits for another. */
export const dependency = z.object({ card_id: uuid, depends_on_card_id: uuid, created_at: timestamp });
export type Dependency = z.infer<typeof dependency>;

/** What lists of dependencies show of a card. */
export const cardSummary = z.object({
  id: uuid,
  identifier: z.string(),
  title: z.string(),
  board_id: uuid,
  completed_at: timestamp.nullable(),
  archived_at: timestamp.nullable(),
});

/** The card at the other end of a dependency. */
export const dependencyEntry = z.object({ card: cardSummary, created_at: timestamp });
