import { z } from 'zod';
import { timestamp, uuid } from '../scalars.ts';

/** A user who sees a private board besides its creator. */
export const boardMember = z.object({ board_id: uuid, user_id: uuid, created_at: timestamp });
