import { type Scope, scopes } from '@cardinal/contracts';

export const rankOf = (scope: Scope): number => scopes.indexOf(scope) + 1;

/** Rank of the highest scope among words; 0 for none. Unknown words are ignored. */
export const highestRank = (words: readonly string[]): number =>
  words.reduce((rank, word) => Math.max(rank, scopes.indexOf(word as Scope) + 1), 0);

/** Whom a verified token stands for. */
export interface Principal {
  caller: { workspace_id: string; user_id: string };
  /** The caller in one word, by which what he uses is counted. */
  key: string;
  /** Rank of its highest scope. */
  rank: number;
  /** epoch ms */
  expiresAt: number;
}
