import { CardinalError } from '@cardinal/contracts';
import { parseEntityTags } from './entity-tags.ts';

/**
 * Says whether the client already has this version (RFC 9110 13.1.2; tags are compared weakly).
 * @param header the value of `If-None-Match`
 * @throws CardinalError `invalid_request` where it is neither `*` nor a list of entity tags
 */
export const alreadyHas = (header: string, version: number): boolean => {
  if (header.trim() === '*') return true;
  const tags = parseEntityTags(header);
  if (!tags) throw new CardinalError('invalid_request', 'If-None-Match must be * or a list of entity tags');
  return tags.some((tag) => tag.opaque === String(version));
};
