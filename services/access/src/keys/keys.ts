import * as contracts from '@cardinal/contracts';
import { CardinalError } from '@cardinal/contracts';
import { commitsWithoutDisk, prepared, readPageRows } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { apiKeys } from '../context.ts';
import { serveCreations } from './create.ts';
import { serveEndings } from './end.ts';
import { findSeen, isAdmin, type KeysContext, toApiKey } from './key.ts';

/** Serves the operations on API keys (CONTRACT 13). */
export const serveKeys = (context: KeysContext): void => {
  const { bus, db, now, revocations } = context;
  serveCreations(context);
  serveEndings(context);

  bus.serve(contracts.getApiKey, async ({ api_key_id, credential, ...caller }) => {
    await revocations.upToDate();
    return toApiKey(await db.read((tx) => findSeen(tx, caller, api_key_id, credential)), now());
  });

  bus.serve(contracts.listApiKeys, async ({ workspace_id, user_id, credential, filters, page: asked }) => {
    const of = isAdmin(credential) ? filters.user_id : user_id;
    if (filters.user_id !== undefined && of !== filters.user_id)
      throw new CardinalError('insufficient_scope', 'The keys of another user need the scope kanban:admin');
    await revocations.upToDate();
    const page = openPage(['api keys', workspace_id, of ?? null], [sortKey.id], asked);
    const rows = await db.read((tx) => {
      const all = apiKeys.in(tx, workspace_id);
      return readPageRows(tx, of === undefined ? all : all.where('user_id', '=', of), { by: ['id'], ...page });
    });
    return page.cut(
      rows,
      (row) => toApiKey(row, now()),
      (row) => [row.id],
    );
  });

  bus.serve(contracts.noteUseOfApiKeys, async ({ used }) => {
    await db.statement((tx) =>
      noteUse.run(tx, [
        used.map(({ workspace_id }) => workspace_id),
        used.map(({ id }) => id),
        used.map(({ at }) => at),
      ]),
    );
    return {};
  });
};

/** $1 workspaces, $2 keys, $3 times. The commit does not wait for the disk: the next use is noted again. */
const noteUse = prepared(
  'note-use-of-api-keys',
  `update api_keys set last_used_at = date_trunc('minute', used.at)
from unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) as used (workspace_id, id, at)
where api_keys.workspace_id = used.workspace_id and api_keys.id = used.id
  and (last_used_at is null or last_used_at < date_trunc('minute', used.at)) and ${commitsWithoutDisk}`,
);
