import { CardinalError } from '@cardinal/contracts';
import { type EntityTag, parseEntityTags } from './entity-tags.ts';

/** What a client says that it has: some versions, or whichever there is. */
export type KnownVersions = EntityTag[] | '*';

/**
 * Reads `If-None-Match` (RFC 9110 13.1.2).
 * @throws CardinalError `invalid_request` where it is neither `*` nor a list of entity tags
 */
export const parseIfNoneMatch = (header: string): KnownVersions => {
  if (header.trim() === '*') return '*';
  const tags = parseEntityTags(header);
  if (!tags) throw new CardinalError('invalid_request', 'If-None-Match must be * or a list of entity tags');
  return tags;
};

/** Whether the client already has this version; tags are compared weakly. */
export const alreadyHas = (known: KnownVersions, version: number): boolean =>
  known === '*' || known.some((tag) => tag.opaque === String(version));
