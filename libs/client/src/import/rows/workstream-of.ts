import { prefix as prefixSchema } from '@cardinal/contracts';

/** Which workstream a title names. Neither field: none, so the card goes to the default one. */
export interface NamedWorkstream {
  /** As the API keeps it, in upper case. */
  prefix?: string;
  /** What the pattern matched though the API takes no such prefix. */
  unusable?: string;
}

/**
 * Applies the pattern to a title: the first capture group that took part names the prefix, the whole match where the
 * pattern has no group. A match that cannot be a prefix (one letter, say) counts as none.
 */
export const workstreamOf = (title: string, pattern: RegExp | undefined): NamedWorkstream => {
  const match = pattern?.exec(title);
  if (!match) return {};
  const found = match.length > 1 ? match.slice(1).find((group) => group !== undefined) : match[0];
  if (!found) return {};
  const parsed = prefixSchema.safeParse(found);
  return parsed.success ? { prefix: parsed.data } : { unusable: found };
};
