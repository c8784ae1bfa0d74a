import * as contracts from '@cardinal/contracts';
import { formatIdentifier, type IdentifierHistoryEntry, parseIdentifier, unavailable } from '@cardinal/contracts';
import { coalesce, cursorRefused, openPage, sortKey } from '@cardinal/runtime';
import { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import { findCards, type IssuedNumber, type NumberKey, type PlaceInHistory, readHistory } from './queries.ts';

const keyOf = ({ workspace_id, prefix, number }: NumberKey) => `${workspace_id}/${prefix}-${number}`;
const identifierOf = ({ prefix, number }: IssuedNumber) => formatIdentifier(prefix, number);

/**
 * Serves the reads of the ledger: the card of an identifier (CONTRACT 4.3), and the history of a card (CONTRACT 4.4).
 */
export const serveLedgerReads = ({ bus, db }: ServiceContext): void => {
  /**
   * Reads that arrive in one tick share a query. Two queries can run at once, so that one slow query does not delay all
   * reads.
   */
  const lookups = coalesce<NumberKey, string | undefined>({
    name: 'ledger_lookups',
    concurrency: 2,
    run: async (keys) => {
      const found = await db.read((tx) => findCards(tx, keys));
      const cardOf = new Map(found.map((one) => [keyOf(one), one.card_id]));
      return keys.map((key) => cardOf.get(keyOf(key)));
    },
  });

  const cardOf = async (workspace_id: string, identifier: string) => {
    const parsed = parseIdentifier(identifier);
    return (parsed && (await lookups.submit({ workspace_id, ...parsed }))) ?? null;
  };

  bus.serve(contracts.resolveIdentifier, async ({ workspace_id, identifier }) => {
    return { card_id: await cardOf(workspace_id, identifier) };
  });

  bus.serve(contracts.resolveRecorded, async ({ workspace_id, identifiers }) => ({
    card_ids: await Promise.all(identifiers.map((identifier) => cardOf(workspace_id, identifier))),
  }));

  /**
   * Reads a page of a card's history up to its current identifier. The card service is asked first, and also checks
   * visibility. It keeps an identifier as unrecorded until the ledger has it, so in this order none is missed. 503
   * where the ledger lacks the current identifier, as after a restore, until it is repaired.
   */
  bus.serve(contracts.listIdentifiers, async ({ page: asked, ...ofCard }) => {
    const { workspace_id, card_id } = ofCard;
    const page = openPage(['identifiers', workspace_id, card_id], cursorKeys, asked);
    const after = page.after && placeOf(...page.after);
    // The limit counts the page and one more, the current identifier, and one of the same version as the page before's
    // last.
    const wanted = { from_version: after?.card_version ?? 1, limit: page.limit + 3 };
    const { current_identifier, unrecorded } = await bus.call(contracts.listUnrecorded, { ...ofCard, ...wanted });
    const current = parseIdentifier(current_identifier);
    const history = current && { workspace_id, card_id, current, unrecorded };
    const issued = history && (await db.read((tx) => readHistory(tx, history, { limit: page.limit, after })));
    if (!issued) throw unavailable(`The ledger does not know ${current_identifier} yet`);
    const entryOf = (one: IssuedNumber) => toEntry(one, current_identifier);
    return page.cut(issued, entryOf, (one) => [one.card_version, identifierOf(one)]);
  });
};

const cursorKeys = [sortKey.version, z.string().regex(contracts.identifierPattern)] as const;

const placeOf = (card_version: number, identifier: string): PlaceInHistory => {
  const parsed = parseIdentifier(identifier);
  if (!parsed) throw cursorRefused();
  return { card_version, ...parsed };
};

/** Makes an entry of a history (CONTRACT 4.4). */
const toEntry = (issued: IssuedNumber, current: string): IdentifierHistoryEntry => {
  const { prefix, workstream_id: id, name, assigned_at, superseded_at, assigned_by, adopted } = issued;
  const identifier = identifierOf(issued);
  return {
    identifier,
    workstream: { id, name, prefix },
    is_current: identifier === current,
    assigned_at: assigned_at?.toISOString() ?? null,
    superseded_at: superseded_at?.toISOString() ?? null,
    assigned_by,
    adopted,
  };
};
