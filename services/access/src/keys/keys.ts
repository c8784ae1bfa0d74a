import * as contracts from '@cardinal/contracts';
import {
  type ApiKey,
  type ApiKeyWithText,
  type Caller,
  CardinalError,
  type Credential,
  conflict,
  hashOf,
  newKeyText,
  requireFound,
  type Scope,
  scopes,
  validationError,
} from '@cardinal/contracts';
import {
  answerCommand,
  commitsWithoutDisk,
  findCommand,
  newRow,
  type Outcome,
  prepared,
  readPageRows,
  replayOf,
  resourceOf,
  runIdempotently,
} from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { Outdated, untilUpToDate } from '@cardinal/service';
import { sql } from 'kysely';
import { apiKeys, type KeyRow, people, type Reader, type ServiceContext, type Tx } from '../context.ts';
import type { Erasures } from '../people/erasures.ts';
import { insertPerson } from '../people/rows.ts';
import type { Revocations } from './revocations.ts';

const dayMs = 86_400_000;

interface KeysContext extends ServiceContext {
  revocations: Revocations;
  erasures: Erasures;
  /** Called after a commit that a rollback must not hide. */
  noteWrite: () => void;
}

const stateOf = ({ revoked_at, expires_at }: KeyRow, now: Date): ApiKey['state'] => {
  if (revoked_at) return 'revoked';
  return expires_at && expires_at <= now ? 'expired' : 'active';
};

const shown = resourceOf(contracts.apiKey);
const toApiKey = (row: KeyRow, now: Date): ApiKey => shown({ ...row, state: stateOf(row, now) });

const rankOf = (scope: Scope): number => scopes.indexOf(scope);
const isAdmin = ({ scope }: Credential): boolean => scope === 'kanban:admin';

/**
 * Refuses a key that does something to others, where its user can have a token.
 * @param id the key that it is done to, which may be itself
 * @throws CardinalError `forbidden`
 */
const permit = ({ api_key, has_issuer }: Credential, does: 'makes' | 'revokes', id?: string): void => {
  if (api_key && has_issuer && api_key.id !== id)
    throw new CardinalError('forbidden', `An API key ${does} no other; use a token`);
};

/** Serves the operations on API keys (CONTRACT 13). */
export const serveKeys = (context: KeysContext): void => {
  const { bus, db, now, config, revocations, erasures, noteWrite } = context;

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

  interface New {
    name: string;
    scope: Scope;
    expires_at: Date | null;
    user_id: string;
    created_by: string;
    created_with: string | null;
    epoch: number;
  }
  const insert = async (tx: Tx, workspaceId: string, key: New): Promise<ApiKeyWithText> => {
    const text = newKeyText(workspaceId);
    const made = { ...newRow(), ...key, workspace_id: workspaceId, hash: hashOf(text) };
    return { ...toApiKey(await apiKeys.insert(tx, made), now()), key: text };
  };

  /** Answers once with the text; replays have none. */
  const answerOnce = async (
    tx: Tx,
    request: Caller & { command: contracts.Command },
    answer: ApiKeyWithText,
  ): Promise<Outcome<ApiKeyWithText>> => {
    await answerCommand(tx, request, { ...answer, key: null }, now());
    return { resource: answer, replayed: false };
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
      return answerOnce(tx, request, await insert(tx, workspace_id, key));
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

  /** Finds a key that the caller may see: its own, or with `kanban:admin` any. @throws CardinalError `not_found` */
  const findSeen = async (tx: Reader, caller: Caller, id: string, credential: Credential): Promise<KeyRow> => {
    const row = await apiKeys.find(tx, caller.workspace_id, id);
    const isSeen = row?.user_id === caller.user_id || isAdmin(credential);
    return requireFound('API key', isSeen ? row : undefined);
  };

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
        return answerOnce(tx, request, { ...toApiKey(changed, now()), key: text });
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

/** What a revocation sets: no text of the key is valid any more. */
const nothing = { hash: null, former_hash: null, former_until: null };

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
