import { ensureKeys, type TokenRequest } from '@cardinal/servers';
import { v7 } from 'uuid';

/** What a token shall say; a new workspace, a new user, every scope and an hour where left out. */
export type TokenOptions = Partial<TokenRequest>;

const everyScope = 'kanban:read kanban:write kanban:admin';

/** A token that the gateways of the stack accept. */
export const mintToken = async (keys: string, options: TokenOptions = {}): Promise<string> =>
  (await ensureKeys(keys)).sign({ workspace: v7(), user: v7(), scope: everyScope, ...options });
