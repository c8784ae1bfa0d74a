import * as contracts from '@cardinal/contracts';
import { CardinalError, conflict, notFound, requireFound, validationError } from '@cardinal/contracts';
import { countRows, newRow, type Outcome, readPageRows, runIdempotently } from '@cardinal/db';
import { openPage, sortKey } from '@cardinal/runtime';
import { createVisibility, runDelete, runWrite } from '@cardinal/service';
import { sql } from 'kysely';
import type { Tx } from '../context.ts';
import { findLast, readRaw } from '../log/read.ts';
import { type Changes, type WebhookContext, type WebhookRow, webhooks } from './context.ts';
import { hasten, stateChange, takesAway } from './edits.ts';
import { permitEdit, requireCreator, toWebhook, webhookFor } from './ownership.ts';
import { newSecret } from './secrets.ts';
import { removeWebhook, type TakenAway } from './taken-away.ts';

/** Webhooks of a workspace. */
const most = 20;
/** How long the secret before the latest rotation signs too, ms. */
const formerSecretMs = 86_400_000;

/** A command on a webhook. */
interface OnWebhook extends contracts.Caller {
  webhook_id: string;
  command: contracts.Command;
  if_match: number[];
}

/** What changes a webhook is no event of the workspace. */
const event = () => undefined;

/** Serves webhooks, all but pings and the list of deliveries. */
export const serveWebhooks = (context: WebhookContext & { takenAway: TakenAway }): void => {
  const { bus, db, logger, vault, now, deliveries, takenAway } = context;
  const visibility = createVisibility(bus);

  const lockOf =
    ({ workspace_id, webhook_id }: { workspace_id: string; webhook_id: string }) =>
    (tx: Tx) =>
      webhooks.lock(tx, workspace_id, webhook_id);

  /** What is stored for a replay has the secret sealed; what is answered has it open. */
  const open = ({ resource, replayed }: Outcome<contracts.WebhookWithSecret>) => ({
    resource: { ...resource, secret: vault.open(resource.secret, resource.id) },
    replayed,
  });

  /** Asked before the transaction. @returns called in it: throws where the caller does not see the board */
  const lookAtBoard = async (caller: contracts.Caller, boardId: string | null | undefined): Promise<() => void> => {
    const isSeen = typeof boardId !== 'string' || (await visibility.boards(caller, [boardId])).has(boardId);
    return () => {
      if (!isSeen) throw notFound('Board');
    };
  };
  const requireScheme = (url: string | undefined): void => {
    if (context.allowsHttp || !url?.startsWith('http:')) return;
    throw validationError([{ path: ['url'], message: 'must begin with https://' }]);
  };

  /** A write that takes something away, which the register has to know before (ADR 0072). */
  const taking = () => {
    const { require, confirm } = takenAway.forWrite();
    let last: Parameters<typeof require>[0] | undefined;
    return {
      require: (row: WebhookRow, changes: Changes | null): void => {
        const { workspace_id, id } = row;
        const known = Object.entries(changes ?? {}).filter(([, value]) => value !== undefined);
        const left = changes && { ...row, ...Object.fromEntries(known) };
        last = { workspace_id, id, version: row.version + 1, left };
        require(last);
      },
      /** Another write that lost against this one may have noted something else meanwhile. */
      confirm: async (): Promise<void> => {
        if (last) await confirm(last).catch((error) => logger.warn({ err: error }, 'not confirmed in the register'));
      },
    };
  };

  bus.serve(contracts.createWebhook, async (request) => {
    const { workspace_id, user_id, body } = request;
    const epoch = await takenAway.upToDate();
    requireScheme(body.url);
    const requireBoard = await lookAtBoard(request, body.board_id);
    return open(
      await db.transaction((tx) =>
        runIdempotently(tx, request, now(), async () => {
          requireBoard();
          // One at a time in a workspace, so that the bound holds.
          await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${workspace_id}`}, 0))`.execute(tx);
          if ((await countRows(webhooks.in(tx, workspace_id))) >= most) {
            throw conflict(`A workspace has ${most} webhooks at most`);
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

  bus.serve(contracts.listWebhooks, async ({ workspace_id, page: asked, ...caller }) => {
    const page = openPage(['webhooks', workspace_id], [sortKey.id], asked);
    const rows = await db.read((tx) => readPageRows(tx, webhooks.in(tx, workspace_id), { by: ['id'], ...page }));
    return page.cut(
      rows,
      (row) => webhookFor(row, caller),
      (row) => [row.id],
    );
  });

  bus.serve(contracts.patchWebhook, async (request) => {
    const { state, types, ...body } = request.body;
    requireScheme(body.url);
    const requireBoard = await lookAtBoard(request, body.board_id);
    const taken = taking();
    const outcome = await runWrite(context, request, {
      what: 'Webhook',
      lock: lockOf(request),
      permit: async (_tx, row) => permitEdit(row, request),
      check: requireBoard,
      write: async (tx, row, moment) => {
        const isSame = types === undefined || JSON.stringify(types) === JSON.stringify(row.types);
        const changes = { ...body, ...(isSame ? {} : { types }), ...stateChange(row, state) };
        if (takesAway(row, changes)) taken.require(row, changes);
        const changed = await webhooks.update(tx, row, changes, moment);
        if (state === 'active' && row.state !== 'active') await hasten(tx, row, moment);
        return webhookFor(changed, request);
      },
      event,
    });
    await taken.confirm();
    deliveries.nudge(request.workspace_id);
    return outcome;
  });

  bus.serve(contracts.deleteWebhook, async (request) => {
    const taken = taking();
    const deleted = await runDelete(context, request, {
      what: 'Webhook',
      lock: lockOf(request),
      write: (tx, row) => {
        taken.require(row, null);
        return removeWebhook(tx, row);
      },
      event,
    });
    await taken.confirm();
    return deleted;
  });

  /**
   * Has a webhook sign with a new secret.
   * @param permit refuses by throwing
   * @param changesOf what changes beside it; the same at each try, as far as the register has it
   */
  const renew = async (
    request: OnWebhook,
    permit: (row: WebhookRow) => void,
    changesOf: (row: WebhookRow, moment: Date) => Changes,
  ) => {
    const taken = taking();
    // The same at each try: the register has it then.
    const secret = vault.seal(newSecret(), request.webhook_id);
    const outcome = await runWrite(context, request, {
      what: 'Webhook',
      lock: lockOf(request),
      permit: async (_tx, row) => permit(row),
      write: async (tx, row, moment) => {
        const changes = { ...changesOf(row, moment), secret, secret_unreadable: false };
        taken.require(row, changes);
        return { ...toWebhook(await webhooks.update(tx, row, changes, moment)), secret };
      },
      event,
    });
    await taken.confirm();
    deliveries.nudge(request.workspace_id);
    return open(outcome);
  };

  bus.serve(contracts.rotateWebhook, (request) => {
    const until = new Date(now().getTime() + formerSecretMs);
    return renew(
      request,
      (row) => requireCreator(row, request),
      // One that no key opens signs nothing any more.
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
        ...{ created_by: request.user_id, taken_over_at: moment },
        // Its former creator may have left, with the secret.
        ...{ former_secret: null, former_secret_until: null },
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
