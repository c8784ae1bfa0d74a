import * as contracts from '@cardinal/contracts';
import {
  type ApiKeyWithText,
  CardinalError,
  conflict,
  hashOf,
  newKeyText,
  type Scope,
  scopes,
  validationError,
} from '@cardinal/contracts';
import { newRow, replayOf } from '@cardinal/db';
import { sql } from 'kysely';
import { apiKeys, people, type Tx } from '../context.ts';
import { insertPerson } from '../people/rows.ts';
import { answerOnce, isAdmin, type KeysContext, permit, toApiKey } from './key.ts';

const dayMs = 86_400_000;

const rankOf = (scope: Scope): number => scopes.indexOf(scope);

/** A key to create. */
interface New {
  name: string;
  scope: Scope;
  expires_at: Date | null;
  user_id: string;
  created_by: string;
  created_with: string | null;
  epoch: number;
}

/** Serves how keys come about (CONTRACT 13.1 and 13.4). */
export const serveCreations = ({ bus, db, now, config, revocations, erasures, noteWrite }: KeysContext): void => {
  /** The end of a new key. @throws CardinalError `validation_error` */
  const endOf = (asked: string | null | undefined, moment: Date, most: string | null): Date | null => {
    const refuse = (message: string) => validationError([{ path: ['expires_at'], message }]);
    const longest = config.API_KEYS_MAX_DAYS;
    const usual = new Date(moment.getTime() + Math.min(contracts.usualKeyDays, longest || Infinity) * dayMs);
    const end = asked === undefined ? usual : asked === null ? null : new Date(asked);
    if (end === null && longest > 0) throw refuse(`must be a time, ${longest} days away at most`);
    if (end && end <= moment) throw refuse('must be in the future');
    if (end && longest > 0 && end.getTime() > moment.getTime() + longest * dayMs)
      throw refuse(`must be ${longest} days away at most`);
    if (most === null || (end && end <= new Date(most))) return end;
    if (asked === undefined) return new Date(most);
    throw refuse('must not be after the end of the key that it is made with');
  };

  const insert = async (tx: Tx, workspaceId: string, key: New): Promise<ApiKeyWithText> => {
    const text = newKeyText(workspaceId);
    const made = { ...newRow(), ...key, workspace_id: workspaceId, hash: hashOf(text) };
    return { ...toApiKey(await apiKeys.insert(tx, made), now()), key: text };
  };

  /**
   * Looks up, before the transaction, whether the user of a new key was erased and forgotten.
   * @returns a function that notes the user in it: a machine, which is called as its first key, where another creates the key
   */
  const noteUser = async (workspaceId: string, id: string, createdBy: string) => {
    await erasures.upToDate();
    const isKnown = await db.read((tx) => people.find(tx, workspaceId, id));
    const erasure = isKnown ? undefined : await erasures.of({ workspace_id: workspaceId, id });
    return async (tx: Tx, keyName: string): Promise<void> => {
      const kind = id === createdBy ? 'person' : 'machine';
      const name = kind === 'machine' && !erasure ? keyName : null;
      if (!isKnown) await insertPerson(tx, { workspace_id: workspaceId, id, kind, name }, erasure, now());
    };
  };

  bus.serve(contracts.createApiKey, async (request) => {
    const { workspace_id, user_id, credential, body } = request;
    const owner = body.user_id ?? user_id;
    // Not in the transaction: it may have to compare all keys with the register.
    const epoch = await revocations.upToDate();
    const note = await noteUser(workspace_id, owner, user_id);
    const outcome = await db.transaction(async (tx) => {
      const replay = await replayOf<ApiKeyWithText>(tx, request, now());
      if (replay) return replay;
      permit(credential, 'makes');
      if (owner !== user_id && !isAdmin(credential))
        throw new CardinalError('insufficient_scope', 'A key of another user needs the scope kanban:admin');
      if (rankOf(body.scope) > rankOf(credential.scope))
        throw new CardinalError('insufficient_scope', `The scope of a key is at most yours, ${credential.scope}`);
      const expires_at = endOf(body.expires_at, now(), credential.api_key?.expires_at ?? null);
      await checkRoom(tx, workspace_id, owner, now());
      const created_with = credential.api_key?.id ?? null;
      const { name, scope } = body;
      await note(tx, name);
      const key = { name, scope, expires_at, user_id: owner, created_by: user_id, created_with, epoch };
      return answerOnce(tx, request, await insert(tx, workspace_id, key), now());
    });
    noteWrite();
    return outcome;
  });

  bus.serve(contracts.createFirstApiKey, async ({ workspace_id, user_id, body }) => {
    const { name, scope } = body;
    const expires_at = endOf(body.expires_at, now(), null);
    const epoch = await revocations.upToDate();
    const note = await noteUser(workspace_id, user_id, user_id);
    const made = await db.transaction(async (tx) => {
      await checkRoom(tx, workspace_id, user_id, now());
      await note(tx, name);
      const key = { name, scope, expires_at, user_id, created_by: user_id, created_with: null, epoch };
      return insert(tx, workspace_id, key);
    });
    noteWrite();
    return made;
  });
};

/** Locks the keys of a workspace against others that are created. @throws CardinalError `conflict` where there are enough */
const checkRoom = async (tx: Tx, workspaceId: string, userId: string, now: Date): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`api keys of ${workspaceId}`}, 0))`.execute(tx);
  const { rows } = await sql<{ own: number; all: number }>`
    select count(*) filter (where user_id = ${userId})::integer as own, count(*)::integer as "all"
    from api_keys where workspace_id = ${workspaceId} and revoked_at is null
      and (expires_at is null or expires_at > ${now})`.execute(tx);
  const [{ own, all } = { own: 0, all: 0 }] = rows;
  if (own >= contracts.maxKeys.user) throw conflict(`A user has ${contracts.maxKeys.user} active API keys at most`);
  if (all >= contracts.maxKeys.workspace)
    throw conflict(`A workspace has ${contracts.maxKeys.workspace} active API keys at most`);
};
