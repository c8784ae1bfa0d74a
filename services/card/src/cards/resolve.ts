import {
  type Caller,
  Document,
  findCardIds,
  formatIdentifier,
  type IdentifierReference,
  identifiersAtOnce,
  mainPrefix,
  maxOccurrences,
  maxReferencesBytes,
  type Occurrence,
  occurrencesIn,
  parseIdentifier,
  resolveIdentifiers,
  validationError,
} from '@cardinal/contracts';
import type { DocumentHandler } from '@cardinal/service';
import { sql } from 'kysely';
import type { ServiceContext } from '../context.ts';
import type { Reader } from '../database.ts';
import { type Reference, type ReferenceFinder, referenceFinder } from './references.ts';

/** A requested text with its place, and the identifier in it; null where it is not an identifier. */
type Asked = Pick<IdentifierReference, 'requested' | 'start' | 'end'> & { identifier: string | null };

const askedInList = (requested: string): Asked => {
  const parsed = parseIdentifier(requested);
  const identifier = parsed ? formatIdentifier(parsed.prefix, parsed.number) : null;
  return { requested, start: null, end: null, identifier };
};

/** Finds the prefixes that a workstream of the workspace has, archived or not. Every workspace has `MAIN`. */
const prefixesKnown = async (tx: Reader, workspaceId: string, prefixes: readonly string[]): Promise<Set<string>> => {
  const rows = await tx
    .selectFrom('workstreams')
    .select('prefix')
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`prefix = any (${[...prefixes]}::text[])`)
    .execute();
  return new Set([mainPrefix, ...rows.map(({ prefix }) => prefix)]);
};

/**
 * Makes the handler that resolves the identifiers of a list or of a text (CONTRACT 4.6). One query finds all
 * identifiers known here, and one request to the ledger all others.
 */
const identifierResolver = (
  { db }: Pick<ServiceContext, 'db'>,
  find: ReferenceFinder,
): DocumentHandler<typeof resolveIdentifiers> => {
  const askedInText = async ({ workspace_id }: Caller, text: string, anyCase: boolean): Promise<Occurrence[]> => {
    const found = occurrencesIn(text, anyCase);
    if (found.length === 0) return found;
    const prefixes = [...new Set(found.map(({ prefix }) => prefix))];
    const known = await db.read((tx) => prefixesKnown(tx, workspace_id, prefixes));
    const references = found.filter(({ prefix }) => known.has(prefix));
    if (references.length > maxOccurrences) {
      const message = `has ${references.length} references, and at most ${maxOccurrences} are resolved at once: send it in parts`;
      throw validationError([{ path: ['text'], message }]);
    }
    return references;
  };

  return async ({ body: { identifiers = [], text, any_case }, ...by }) => {
    const asked: Asked[] = text === undefined ? identifiers.map(askedInList) : await askedInText(by, text, any_case);
    const wanted = [...new Set(asked.flatMap(({ identifier }) => identifier ?? []))];
    if (wanted.length > identifiersAtOnce) {
      const message = `has ${wanted.length} different identifiers, and at most ${identifiersAtOnce} are resolved at once`;
      throw validationError([{ path: ['text'], message }]);
    }
    const references = await find(by, wanted);
    const ends = new Map(wanted.map((identifier, at) => [identifier, endOf(identifier, references[at])]));
    // A list has at most a hundred identifiers, so its answer always fits.
    let room = text === undefined ? Number.POSITIVE_INFINITY : maxReferencesBytes;
    const entries = asked.map(({ requested, start, end, identifier }) => {
      const place = JSON.stringify({ requested, start, end });
      const entry = `${place.slice(0, -1)},${ends.get(identifier ?? '') ?? unresolved}`;
      room -= Buffer.byteLength(entry) + 1;
      if (room < 0) {
        const message = 'has more references than an answer of 256 KiB holds: send them in parts';
        throw validationError([{ path: ['text'], message }]);
      }
      return entry;
    });
    return new Document({}, `[${entries.join(',')}]`);
  };
};

/** Makes the last part of an entry, which is the same for every spelling of an identifier. */
const endOf = (identifier: string | null, { card, issued = false }: Partial<Reference> = {}): string => {
  const is_alias = card !== undefined && card.identifier !== identifier;
  return JSON.stringify({ card: card ?? null, is_alias, current_identifier: card?.identifier ?? null, issued }).slice(
    1,
  );
};
const unresolved = endOf(null);

/** Serves the resolution of identifiers, for clients and for other services (CONTRACT 4.5, CONTRACT 4.6). */
export const serveReferences = (context: ServiceContext): void => {
  const find = referenceFinder(context);
  context.bus.serve(findCardIds, async ({ identifiers, ...by }) => {
    const different = [...new Set(identifiers)];
    const references = await find(by, different);
    const idOf = new Map(different.map((identifier, at) => [identifier, references[at]?.card?.id]));
    return { card_ids: identifiers.map((identifier) => idOf.get(identifier) ?? null) };
  });
  context.bus.serve(resolveIdentifiers, identifierResolver(context, find));
};
