/** What an attacker knows: where, as whom, and what of his own to ask for. */
export interface Target {
  port: number;
  token: string;
  /** Of twenty users of his workspace, himself among them. */
  tokens: string[];
  /** A board of a hundred large cards, one of them, and a board of ten thousand cards whose titles look alike to a search. */
  board: string;
  card: string;
  searched: string;
}

/** What the process of an attack counts, and whom it asks for tokens. */
export interface Attack {
  target: Target;
  count: (what: number | string) => void;
  /** A token of a user of the attacked workspace, made now. */
  freshToken: (user: string) => Promise<string>;
}

export const api = '/api/kanban/v1';
