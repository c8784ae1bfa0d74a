import type { Caller, Command } from '@cardinal/contracts';
import { v7 } from 'uuid';

/** A user of a workspace, of a new one where none is named. */
export const aCaller = (workspace_id: string = v7()): Caller => ({ workspace_id, user_id: v7() });

/** What makes a request a new command. */
export const aCommand = (): Command => ({ id: v7(), fingerprint: 'f' });
