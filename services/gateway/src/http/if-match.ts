import { CardinalError } from '@cardinal/contracts';
import { parseEntityTags } from './entity-tags.ts';

const malformed = () =>
  new CardinalError('invalid_request', 'If-Match must be a quoted version such as "3", or a list of them');

/**
 * The versions that a writer accepts (api-decisions, "If-Match"; RFC 9110 13.1.1).
 * @param header the field's value; several fields come joined by commas
 * @returns the versions named by strong tags, without those that no resource can have. Weak tags never match and are
 *   left out, so the list may be empty, and then no version matches.
 * @throws CardinalError `invalid_request` for `*`, an unquoted value, or a tag that is no integer
 */
export const parseIfMatch = (header: string): number[] => {
  const tags = parseEntityTags(header);
  if (!tags) throw malformed();
  const versions = new Set<number>();
  for (const { weak, opaque } of tags) {
    if (weak) continue;
    if (!/^[0-9]+$/.test(opaque)) throw malformed();
    const version = Number(opaque);
    // Tags are compared octet by octet: "07" is not the tag of version 7.
    if (Number.isSafeInteger(version) && version >= 1 && String(version) === opaque) versions.add(version);
  }
  return [...versions];
};
