import * as contracts from '@cardinal/contracts';
import { type ApiKeyWithText, conflict, hashOf, newKeyText } from '@cardinal/contracts';
import { findCommand, replayOf, runIdempotently } from '@cardinal/db';
import { Outdated, untilUpToDate } from '@cardinal/service';
import { apiKeys, type KeyRow, type Tx } from '../context.ts';
import { answerOnce, findSeen, type KeysContext, permit, stateOf, toApiKey } from './key.ts';

/** What a revocation sets: no text of the key is valid any more. */
const nothing = { hash: null, former_hash: null, former_until: null };

/** Serves how keys and their texts end (CONTRACT 13.3). */
export const serveEndings = ({ bus, db, now, revocations, noteWrite }: KeysContext): void => {
  /**
   * Takes a text away from a key: first in the register, then in the database, if the key is unchanged.
   * @throws Outdated where it changed meanwhile
   */
  const takeAway = async <Answer>(
    row: KeyRow,
    changes: Pick<KeyRow, 'hash' | 'former_hash' | 'former_until'> & { revoked_at?: Date },
    answer: (tx: Tx, changed: KeyRow) => Promise<Answer>,
  ): Promise<Answer> => {
    const { workspace_id, id } = row;
    await revocations.record({ ...row, ...changes, version: row.version + 1 });
    const done = await db.transaction(async (tx) => {
      const locked = await apiKeys.lock(tx, workspace_id, id);
      if (locked?.version !== row.version) throw new Outdated();
      return answer(tx, await apiKeys.update(tx, locked, changes, now()));
    });
    noteWrite();
    bus.signal(contracts.apiKeysEnded, { keys: [{ workspace_id, id }] });
    return done;
  };
  const revoke = (row: KeyRow): Promise<void> => takeAway(row, { ...nothing, revoked_at: now() }, async () => {});

  bus.serve(contracts.rotateApiKey, async (request) => {
    const { workspace_id, api_key_id, credential, body } = request;
    await revocations.upToDate();
    const text = newKeyText(workspace_id);
    return untilUpToDate(async () => {
      const known = await db.read((tx) => findCommand(tx, workspace_id, request.command));
      if (known?.ended) return { resource: known.response as ApiKeyWithText, replayed: true };
      const row = await db.read((tx) => findSeen(tx, request, api_key_id, credential));
      permit(credential, 'makes', api_key_id);
      if (stateOf(row, now()) !== 'active') throw conflict(`The API key is ${stateOf(row, now())}`);
      const grace = body.grace_seconds * 1_000;
      const former =
        grace > 0 ? { former_hash: row.hash, former_until: new Date(now().getTime() + grace) } : { ...nothing };
      return takeAway(row, { ...former, hash: hashOf(text) }, async (tx, changed) => {
        const replay = await replayOf<ApiKeyWithText>(tx, request, now());
        if (replay) throw new Outdated();
        return answerOnce(tx, request, { ...toApiKey(changed, now()), key: text }, now());
      });
    });
  });

  bus.serve(contracts.revokeApiKey, async ({ api_key_id, credential, ...caller }) => {
    await revocations.upToDate();
    return untilUpToDate(async () => {
      const row = await db.read((tx) => findSeen(tx, caller, api_key_id, credential));
      permit(credential, 'revokes', api_key_id);
      if (row.revoked_at === null) await revoke(row);
      return { deleted: true } as const;
    });
  });

  bus.serve(contracts.revokeApiKeysOfUser, async (request) => {
    const { workspace_id, credential, body } = request;
    permit(credential, 'revokes');
    await revocations.upToDate();
    const known = await db.read((tx) => findCommand(tx, workspace_id, request.command));
    if (known?.ended) return { resource: known.response as { revoked: number }, replayed: true };
    const rows = await db.read((tx) =>
      apiKeys.in(tx, workspace_id).where('user_id', '=', body.user_id).where('revoked_at', 'is', null).execute(),
    );
    let revoked = 0;
    for (const { id } of rows) {
      const wasActive = await untilUpToDate(async () => {
        const row = await db.read((tx) => apiKeys.find(tx, workspace_id, id));
        if (!row || row.revoked_at !== null) return false;
        await revoke(row);
        return stateOf(row, now()) === 'active';
      });
      if (wasActive) revoked += 1;
    }
    return db.transaction((tx) => runIdempotently(tx, request, now(), async () => ({ revoked })));
  });
};
