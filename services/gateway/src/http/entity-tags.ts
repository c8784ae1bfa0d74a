export interface EntityTag {
  weak: boolean;
  opaque: string;
}

/** Blanks stand in one place for a member with a tag and in one without, so that nothing is tried twice. */
const member = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/**
 * Reads a list of entity tags (RFC 9110 8.8.3 and 5.6.1; empty members are skipped) in time that grows with its length.
 * @returns the tags, at least one, or undefined where the value is no such list
 */
export const parseEntityTags = (header: string): EntityTag[] | undefined => {
  const tags: EntityTag[] = [];
  member.lastIndex = 0;
  while (member.lastIndex < header.length) {
    const match = member.exec(header);
    if (!match) return undefined;
    if (match[2] !== undefined) tags.push({ weak: match[1] !== undefined, opaque: match[2] });
  }
  return tags.length > 0 ? tags : undefined;
};
