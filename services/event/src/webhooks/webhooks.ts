import * as contracts from '@cardinal/contracts';
import { CardinalError, conflict, notFound, requireFound, validationError } from '@cardinal/contracts';
import { countRows, newRow, type Outcome, readPageRows, runIdempotently } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { createVisibility, runDelete, runWrite } from '@cardinal/service';
import { sql } from 'kysely';
import type { Tx } from '../context.ts';
import { findLast, readRaw } from '../log/read.ts';
import { type Changes, type WebhookContext, type WebhookRow, webhooks } from './context.ts';
import { isRevocation, retryNow, stateChange } from './edits.ts';
import { permitEdit, requireCreator, toWebhook, webhookFor } from './ownership.ts';
import { type Revocations, removeWebhook } from './revocations.ts';
import { newSecret } from './secrets.ts';

/** Most webhooks of a workspace. */
const maxWebhooks = 20;
/** How long the former secret signs too after a rotation, ms (CONTRACT 10.1). */
const formerSecretMs = 86_400_000;

/** A command on a webhook. */
interface OnWebhook extends contracts.Caller {
  webhook_id: string;
  command: contracts.Command;
  if_match: number[];
}

/** The list; undefined if it equals the former one: then its column stays. */
const unlessEqual = (list: string[] | undefined, former: string[]): string[] | undefined =>
  JSON.stringify(list) === JSON.stringify(former) ? undefined : list;

/** Changes of webhooks are not in the log of the workspace. */
const event = () => undefined;

/** Serves the operations on webhooks, except pings and the list of deliveries. */
export const serveWebhooks = (context: WebhookContext & { revocations: Revocations }): void => {
  const { bus, db, logger, vault, now, deliveries, revocations } = context;
  const visibility = createVisibility(bus);

  const lockOf =
    ({ workspace_id, webhook_id }: { workspace_id: string; webhook_id: string }) =>
    (tx: Tx) =>
      webhooks.lock(tx, workspace_id, webhook_id);

  /** Decrypts the secret of a reply. The stored reply of a command holds the sealed one. */
  const open = ({ resource, replayed }: Outcome<contracts.WebhookWithSecret>) => ({
    resource: { ...resource, secret: vault.open(resource.secret, resource.id) },
    replayed,
  });

  /** Checks before the transaction whether the caller sees the board. @returns a function that throws inside it if not */
  const checkBoard = async (caller: contracts.Caller, boardId: string | null | undefined): Promise<() => void> => {
    const isSeen = typeof boardId !== 'string' || (await visibility.boards(caller, [boardId])).has(boardId);
    return () => {
      if (!isSeen) throw notFound('Board');
    };
  };
  const requireScheme = (url: string | undefined): void => {
    if (context.allowsHttp || !url?.startsWith('http:')) return;
    throw validationError([{ path: ['url'], message: 'must begin with https://' }]);
  };

  /** The revocation of one write, which the register must hold before the commit (ADR 0072). */
  const beginRevocation = () => {
    const { require, confirm } = revocations.forWrite();
    let last: Parameters<typeof require>[0] | undefined;
    return {
      /** Returns once the register holds the revocation. `changes` null: the webhook is deleted. */
      require: (row: WebhookRow, changes: Changes | null): void => {
        const { workspace_id, id } = row;
        const known = Object.entries(changes ?? {}).filter(([, value]) => value !== undefined);
        const left = changes && { ...row, ...Object.fromEntries(known) };
        last = { workspace_id, id, version: row.version + 1, left };
        require(last);
      },
      /** Records the revocation again after the commit: a concurrent write that lost may have overwritten it. */
      confirm: async (): Promise<void> => {
        if (last)
          await confirm(last).catch((error) =>
            logger.warn({ err: error }, 'a revocation was not confirmed in the register'),
          );
      },
    };
  };

  bus.serve(contracts.createWebhook, async (request) => {
    const { workspace_id, user_id, body } = request;
    const epoch = await revocations.upToDate();
    requireScheme(body.url);
    const requireBoard = await checkBoard(request, body.board_id);
    return open(
      await db.transaction((tx) =>
        runIdempotently(tx, request, now(), async () => {
          requireBoard();
          // Serializes creations of a workspace, so that the limit holds.
          await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${workspace_id}`}, 0))`.execute(tx);
          if ((await countRows(webhooks.in(tx, workspace_id))) >= maxWebhooks) {
            throw conflict(`A workspace has ${maxWebhooks} webhooks at most`);
          }
          const row = newRow();
          const secret = vault.seal(newSecret(), row.id);
          const position = await findLast(tx, workspace_id);
          const made = { ...row, ...body, workspace_id, secret, position, epoch, created_by: user_id };
          return { ...toWebhook(await webhooks.insert(tx, made)), secret };
        }),
      ),
    );
  });

  bus.serve(contracts.getWebhook, async ({ workspace_id, webhook_id, ...caller }) => {
    const row = await db.read((tx) => webhooks.find(tx, workspace_id, webhook_id));
    return webhookFor(requireFound('Webhook', row), caller);
  });

  bus.serve(contracts.listWebhooks, async ({ workspace_id, page: request, ...caller }) => {
    const page = openPage(['webhooks', workspace_id], [sortKey.id], request);
    const rows = await db.read((tx) => readPageRows(tx, webhooks.in(tx, workspace_id), { by: ['id'], ...page }));
    return page.cut(
      rows,
      (row) => webhookFor(row, caller),
      (row) => [row.id],
    );
  });

  bus.serve(contracts.patchWebhook, async (request) => {
    const { state, types, changed: fields, ...body } = request.body;
    requireScheme(body.url);
    const requireBoard = await checkBoard(request, body.board_id);
    const revocation = beginRevocation();
    const outcome = await runWrite(context, request, {
      what: 'Webhook',
      lock: lockOf(request),
      permit: async (_tx, row) => permitEdit(row, request),
      check: requireBoard,
      write: async (tx, row, moment) => {
        const lists = { types: unlessEqual(types, row.types), changed: unlessEqual(fields, row.changed) };
        const changes = { ...body, ...lists, ...stateChange(row, state) };
        if (isRevocation(row, changes)) revocation.require(row, changes);
        const changed = await webhooks.update(tx, row, changes, moment);
        if (state === 'active' && row.state !== 'active') await retryNow(tx, row);
        return webhookFor(changed, request);
      },
      event,
    });
    await revocation.confirm();
    deliveries.nudge(request.workspace_id);
    return outcome;
  });

  bus.serve(contracts.deleteWebhook, async (request) => {
    const revocation = beginRevocation();
    const deleted = await runDelete(context, request, {
      what: 'Webhook',
      lock: lockOf(request),
      write: (tx, row) => {
        revocation.require(row, null);
        return removeWebhook(tx, row);
      },
      event,
    });
    await revocation.confirm();
    return deleted;
  });

  /**
   * Gives a webhook a new secret.
   * @param permit throws to refuse the caller
   * @param changesOf returns further changes. The columns that the register holds must be the same at each try of the transaction
   */
  const renew = async (
    request: OnWebhook,
    permit: (row: WebhookRow) => void,
    changesOf: (row: WebhookRow, moment: Date) => Changes,
  ) => {
    const revocation = beginRevocation();
    // Created once: each try of the transaction must record the same revocation.
    const secret = vault.seal(newSecret(), request.webhook_id);
    const outcome = await runWrite(context, request, {
      what: 'Webhook',
      lock: lockOf(request),
      permit: async (_tx, row) => permit(row),
      write: async (tx, row, moment) => {
        const changes = { ...changesOf(row, moment), secret, secret_unreadable: false };
        revocation.require(row, changes);
        return { ...toWebhook(await webhooks.update(tx, row, changes, moment)), secret };
      },
      event,
    });
    await revocation.confirm();
    deliveries.nudge(request.workspace_id);
    return open(outcome);
  };

  bus.serve(contracts.rotateWebhook, (request) => {
    const until = new Date(now().getTime() + formerSecretMs);
    return renew(
      request,
      (row) => requireCreator(row, request),
      // A former secret that no key opens cannot sign.
      ({ secret_unreadable, secret }) => ({
        former_secret: secret_unreadable ? null : secret,
        former_secret_until: secret_unreadable ? null : until,
      }),
    );
  });

  bus.serve(contracts.takeoverWebhook, (request) =>
    renew(
      request,
      () => {},
      (_row, moment) => ({
        created_by: request.user_id,
        taken_over_at: moment,
        // Its former creator decided it of their own boards.
        private_boards: false,
        // The former creator may have left, and may know the former secret.
        former_secret: null,
        former_secret_until: null,
      }),
    ),
  );

  bus.serve(contracts.replayWebhook, async (request) => {
    const { workspace_id, body } = request;
    const outcome = await runWrite(context, request, {
      what: 'Webhook',
      lock: lockOf(request),
      permit: async (_tx, row) => requireCreator(row, request),
      check: ({ replay_until }) => {
        if (replay_until !== null) throw conflict('Another replay of this webhook is not over yet');
      },
      write: async (tx, row, moment) => {
        const { after } = body;
        const until = Math.min(body.until ?? row.position, row.position);
        const { oldest } = await readRaw(tx, { workspaceId: workspace_id, after, until: after, limit: 1 });
        if (after + 1 < oldest) {
          throw new CardinalError('gone', `What came before ${oldest} is not kept any more`, { oldest });
        }
        if (until <= after) return toWebhook(row);
        const changes = { replay_after: after, replay_until: until, replay_position: after };
        return toWebhook(await webhooks.update(tx, row, changes, moment));
      },
      event,
    });
    deliveries.nudge(workspace_id);
    return outcome;
  });
};
