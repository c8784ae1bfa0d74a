import { type Caller, resolveIdentifier } from '@cardinal/contracts';
import { LRUCache } from 'lru-cache';
import type { BusCaller } from '../endpoint/endpoint.ts';

/** Identifiers known at once. */
const cacheSize = 50_000;

/** `workspace/IDENTIFIER` to card id. An identifier is bound to its card for ever, so an entry never goes stale. */
const bindings = new LRUCache<string, string>({ max: cacheSize });

/**
 * Which card an identifier was issued to.
 * @param identifier in its canonical spelling
 * @throws CardinalError `not_found` where it was never issued
 */
export const cardIdOf = async (bus: BusCaller, by: Caller, identifier: string): Promise<string> => {
  const key = `${by.workspace_id}/${identifier}`;
  const known = bindings.get(key);
  if (known !== undefined) return known;
  const { card_id } = await bus.call(resolveIdentifier, { ...by, identifier });
  bindings.set(key, card_id);
  return card_id;
};
