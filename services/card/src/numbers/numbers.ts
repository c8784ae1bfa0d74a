import * as contracts from '@cardinal/contracts';
import { requireFound } from '@cardinal/contracts';
import { applyOnce, rowsFor } from '@cardinal/db';
import { serveProjection } from '@cardinal/service';
import { readCards } from '../cards/statements/read-cards.ts';
import type { ServiceContext } from '../context.ts';
import type { Tx } from '../database.ts';
import { unrecordedOfCard } from './issued.ts';
import { closeRange, projectWorkstream } from './workstreams.ts';

/** What the identifier service asks and tells of workstreams and of the numbers that were issued from them. */
export const serveNumbers = (context: ServiceContext): void => {
  const { bus, db } = context;

  /** Whoever issues from the range at this moment ends first: both hold its row. */
  bus.serve(contracts.closeRange, async ({ workspace_id, workstream }) => {
    await db.statement((tx) => closeRange(tx, workspace_id, workstream));
    return { closed: true } as const;
  });

  /**
   * The card's half of its history. The current identifier is read first: one that is issued after that is in
   * `unrecorded` or in the ledger, and is left out as younger than the card that was read.
   */
  bus.serve(contracts.listUnrecorded, async (request) => {
    const card = requireFound('Card', (await db.read((tx) => rowsFor(tx, readCards, [request])))[0]);
    const unrecorded = await db.read((tx) => unrecordedOfCard(tx, request.workspace_id, request.card_id));
    return { current_identifier: card.identifier, unrecorded };
  });

  /** The projection of names, from which cards show those of their workstreams. */
  serveProjection(context, {
    told: contracts.projectWorkstream,
    consumer: contracts.consumers.cardOfWorkstreams,
    project: async (event) => {
      const apply = (tx: Tx) => applyOnce(tx, event, () => projectWorkstream(tx, event.workspace_id, event.data));
      return { applied: await db.transaction(apply) };
    },
  });
};
