import { currentContext } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { Occasion } from '../domain/events.ts';

/** What an event of the request under way needs beyond its card. */
export const occasion = (workspaceId: string, now: Date): Occasion => {
  const eventId = v7();
  return { eventId, now, workspaceId, requestId: currentContext()?.requestId ?? eventId };
};
