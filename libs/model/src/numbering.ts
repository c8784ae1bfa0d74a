import { type Model, type Step, send } from './explore.ts';

/** Rules of numbering that can be broken, and the fault then. */
export const mutants = {
  staleGrant: 'a late grant opens a closed range',
  archiveUnasked: 'an archive is answered before the range is closed',
  forgetEarly: 'an issued identifier is forgotten before the ledger has it',
  ledgerFirst: 'readers ask the ledger first, and then the card service',
  counterApart: 'the number is taken in one transaction and the card written in another',
  skipToGranted: 'a counter continues above what was granted before, though it was not rolled back',
} as const;
export type Mutant = keyof typeof mutants | 'none';

type Card = { version: number; identifiers: string[]; deleted: number };
type Range = { last: number; through: number; version: number; closed: number };
type Workstream = { through: number; version: number; closing: number; archived: number };
/** Nothing is done twice: `done` has finished writes, and `taken` a number that is not on its card yet. */
export type State = {
  cards: { old: Card; new: Card; newer: Card };
  ranges: { A: Range; B: Range };
  workstreams: { A: Workstream; B: Workstream };
  /** On their way to the ledger, and in it: `identifier card`. */
  unrecorded: string[];
  ledger: string[];
  messages: string[];
  done: string[];
  taken: string[];
  conflict: number;
  /** The last number of B when its archive was answered, plus one; 0 before. */
  lastAtArchive: number;
  /** Readers: identifiers that the first service did not know; those that neither knew; a history in two halves. */
  looked: string[];
  unknown: string[];
  history: { half: number; wanted: string[]; found: string[] };
};

/** The writes of clients; `version` is their If-Match, 0 for a create. */
const allWrites = {
  transfer: { card: 'old', to: 'B', version: 1 },
  transferBack: { card: 'old', to: 'A', version: 2 },
  create: { card: 'new', to: 'B', version: 0 },
  createMore: { card: 'newer', to: 'B', version: 0 },
} as const;
type Name = keyof typeof allWrites;

export interface World {
  writes: readonly Name[];
  /** Also edits and deletions, and an archive of B. */
  edits: boolean;
  archive: boolean;
  reads: boolean;
  /** Numbers per grant. */
  grantSize: number;
}

/** Parts of the model, and the mutants with a fault in each. */
export const worlds = {
  /** Writes of all kinds while B is archived. */
  writes: {
    world: { writes: ['transfer', 'create'], edits: true, archive: true, reads: false, grantSize: 2 },
    mutants: ['staleGrant', 'archiveUnasked', 'forgetEarly', 'counterApart'],
  },
  /** More numbers than one grant. */
  grants: {
    world: { writes: ['create', 'createMore'], edits: false, archive: false, reads: false, grantSize: 1 },
    mutants: ['skipToGranted'],
  },
  /** Also look-ups and a history. */
  reads: {
    world: { writes: ['transfer', 'transferBack'], edits: false, archive: false, reads: true, grantSize: 2 },
    mutants: ['ledgerFirst'],
  },
} as const satisfies Record<string, { world: World; mutants: readonly Mutant[] }>;
/** Everything at once. */
export const wide: World = {
  writes: ['transfer', 'create', 'createMore'],
  edits: true,
  archive: true,
  reads: false,
  grantSize: 2,
};

const maxGranted = 3;
const none: Card = { version: 0, identifiers: [], deleted: 0 };

export const numberingModel = (world: World, mutant: Mutant = 'none'): Model<State> => ({
  initial: {
    cards: { old: { version: 1, identifiers: ['A-1'], deleted: 0 }, new: none, newer: none },
    ranges: { A: { last: 1, through: 3, version: 1, closed: 0 }, B: { last: 0, through: 0, version: 0, closed: 0 } },
    workstreams: {
      A: { through: 3, version: 1, closing: 0, archived: 0 },
      B: { through: 0, version: 1, closing: 0, archived: 0 },
    },
    unrecorded: [],
    ledger: ['A-1 old'],
    messages: [],
    done: [],
    taken: [],
    conflict: 0,
    lastAtArchive: 0,
    looked: [],
    unknown: [],
    history: { half: 0, wanted: [], found: [] },
  },
  steps: (state, step) => {
    for (const name of world.writes) if (!state.done.includes(name)) write(state, name, mutant, step);
    others(state, world, mutant, step);
    for (const message of state.messages) deliver(message, world, mutant, step);
    if (world.reads) read(state, mutant, step);
  },
  broken,
  finished: ({ done, unrecorded, workstreams: { B } }) =>
    world.writes.every((name) => done.includes(name)) &&
    unrecorded.length === 0 &&
    (!world.archive || !done.includes('archive') || B.archived === 1),
});

/**
 * One transaction: version, number, card, answer and the row to record. Without room in the range, it requests more.
 */
const write = (state: State, name: Name, mutant: Mutant, step: Step<State>): void => {
  const { card, to, version } = allWrites[name];
  const { last, through, closed } = state.ranges[to];
  const taken = state.taken.find((one) => one.startsWith(`${name} `));
  const end = (draft: State) => void send(draft.done, name);
  if (taken) {
    step(`${name} is written`, (draft) => issue(draft, name, taken.slice(name.length + 1), mutant));
    step(`${name} is lost`, (draft) => {
      draft.taken = [];
      end(draft);
    });
  } else if (closed || state.messages.includes(`refused ${to}`)) step(`${name} is refused`, end);
  else if (last >= through) step(`${name} asks`, (draft) => send(draft.messages, `ask ${to} ${last}`));
  else
    step(name, (draft) => {
      if (version > 0 && (draft.cards[card].version !== version || draft.cards[card].deleted)) return end(draft);
      draft.ranges[to].last += 1;
      const identifier = `${to}-${draft.ranges[to].last}`;
      if (mutant === 'counterApart') send(draft.taken, `${name} ${identifier}`);
      else issue(draft, name, identifier, mutant);
    });
};

const issue = (draft: State, name: Name, identifier: string, mutant: Mutant): void => {
  const card = allWrites[name].card;
  const own = draft.cards[card];
  draft.taken = draft.taken.filter((one) => one !== `${name} ${identifier}`);
  own.version += 1;
  own.identifiers.push(identifier);
  send(draft.done, name);
  if (mutant !== 'forgetEarly') send(draft.unrecorded, `${identifier} ${card}`);
  send(draft.messages, `record ${identifier} ${card}`);
};

const others = (state: State, { edits, archive }: World, mutant: Mutant, step: Step<State>): void => {
  const once = (name: string, change: (draft: State) => void) => {
    if (state.done.includes(name)) return;
    step(name, (draft) => {
      send(draft.done, name);
      change(draft);
    });
  };
  if (edits && !state.cards.old.deleted) {
    once('edit', (draft) => {
      draft.cards.old.version += 1;
    });
    once('delete', (draft) => {
      draft.cards.old.deleted = 1;
    });
  }
  if (archive)
    once('archive', (draft) => {
      if (mutant === 'archiveUnasked') answerArchive(draft);
      else draft.workstreams.B.closing = 1;
      send(draft.messages, 'close B');
    });
};

const answerArchive = (draft: State): void => {
  Object.assign(draft.workstreams.B, { archived: 1, closing: 0, version: 2 });
  draft.lastAtArchive = draft.ranges.B.last + 1;
};

/** The effect of a message. Each may arrive late, again or never. */
const deliver = (message: string, { grantSize }: World, mutant: Mutant, step: Step<State>): void => {
  const [what, subject = '', ...rest] = message.split(' ');
  const prefix = subject as 'A' | 'B';
  const on = (name: string, change: (draft: State) => unknown) => {
    if (what === name) step(message, change);
  };
  on('ask', (draft) => grant(draft, prefix, Number(rest[0]) + grantSize));
  on('granted', ({ ranges }) => apply(ranges[prefix], rest.map(Number), mutant));
  on('close', (draft) => {
    draft.ranges.B.closed = 1;
    send(draft.messages, 'closed B');
  });
  on('closed', (draft) => !draft.workstreams.B.archived && answerArchive(draft));
  on('record', (draft) => {
    if (draft.ledger.some((one) => one.startsWith(`${subject} `) && one !== `${subject} ${rest[0]}`))
      draft.conflict = 1;
    send(draft.ledger, `${subject} ${rest[0]}`);
    send(draft.messages, `recorded ${subject} ${rest[0]}`);
  });
  on('recorded', (draft) => {
    draft.unrecorded = draft.unrecorded.filter((one) => one !== `${subject} ${rest[0]}`);
  });
};

/** The answer has the present and the former end of the range, and the highest number in the ledger. */
const grant = (draft: State, prefix: 'A' | 'B', wanted: number): unknown => {
  const workstream = draft.workstreams[prefix];
  if (workstream.archived) return send(draft.messages, `refused ${prefix}`);
  if (workstream.closing) return false;
  const before = workstream.through;
  workstream.through = Math.max(before, Math.min(wanted, maxGranted));
  const recorded = draft.ledger
    .filter((one) => one.startsWith(`${prefix}-`))
    .map((one) => Number.parseInt(one.slice(2), 10));
  send(
    draft.messages,
    `granted ${prefix} ${workstream.through} ${before} ${Math.max(0, ...recorded)} ${workstream.version}`,
  );
};

/**
 * A counter below the ledger's highest number was rolled back. Without a rollback that cannot happen, however late the
 * grant arrives.
 */
const apply = (range: Range, granted: readonly number[], mutant: Mutant): unknown => {
  const [through = 0, before = 0, highest = 0, version = 0] = granted;
  if (mutant === 'staleGrant') range.closed = 0;
  else if (range.closed || version < range.version) return false;
  const isRolledBack = range.last < highest || mutant === 'skipToGranted';
  return Object.assign(range, {
    last: isRolledBack ? Math.max(range.last, before, highest) : range.last,
    through: Math.max(range.through, through),
    version: Math.max(range.version, version),
  });
};

/** Look-ups of answered identifiers, and the history of a card: the card service first, then the ledger. */
const read = (state: State, mutant: Mutant, step: Step<State>): void => {
  const swapped = mutant === 'ledgerFirst';
  const cardKnows = ({ cards, unrecorded }: State, identifier: string) =>
    Object.values(cards).some(({ identifiers }) => identifiers.at(-1) === identifier) ||
    unrecorded.some((one) => one.startsWith(`${identifier} `));
  const ledgerKnows = ({ ledger }: State, identifier: string) => ledger.some((one) => one.startsWith(`${identifier} `));
  for (const identifier of issuedIn(state)) {
    if (!state.looked.includes(identifier))
      step(`${identifier} is looked up`, (draft) => {
        if ((swapped ? ledgerKnows : cardKnows)(draft, identifier)) return false;
        return send(draft.looked, identifier);
      });
    else if (!(swapped ? cardKnows : ledgerKnows)(state, identifier))
      step(`${identifier} is unknown`, (draft) => send(draft.unknown, identifier));
  }
  const { half } = state.history;
  if (half < 2)
    step(`half ${half + 1} of the history`, ({ history, ...draft }) => {
      if (half === 0) history.wanted = [...draft.cards.old.identifiers];
      const source = (half === 0) === swapped ? draft.ledger : draft.unrecorded;
      history.half += 1;
      for (const one of source) if (one.endsWith(' old')) send(history.found, one.slice(0, one.indexOf(' ')));
    });
};

const issuedIn = ({ cards }: State): string[] => Object.values(cards).flatMap(({ identifiers }) => identifiers);

const broken = (state: State): string[] => {
  const { ranges, workstreams, ledger, unrecorded, taken, history, lastAtArchive } = state;
  const issued = issuedIn(state);
  const known = new Set([...issued, ...taken.map((one) => one.slice(one.indexOf(' ') + 1))]);
  const wrong: string[] = [];
  const say = (what: string, isSo: boolean) => isSo && wrong.push(what);
  say('one identifier, two cards', new Set(issued).size < issued.length || state.conflict > 0);
  for (const prefix of ['A', 'B'] as const) {
    const { last } = ranges[prefix];
    say('issued beyond the grant', last > workstreams[prefix].through);
    say(
      'a gap',
      Array.from({ length: last }, (_, at) => `${prefix}-${at + 1}`).some((one) => !known.has(one)),
    );
  }
  say('issued after the archive was answered', lastAtArchive > 0 && ranges.B.last >= lastAtArchive);
  const kept = new Set([...ledger, ...unrecorded].map((one) => one.slice(0, one.indexOf(' '))));
  say(
    'neither in the ledger nor on its way',
    issued.some((one) => !kept.has(one)),
  );
  say('an answered identifier is not found', state.unknown.length > 0);
  say(
    'a history lacks an identifier',
    history.half === 2 && history.wanted.some((one) => !history.found.includes(one)),
  );
  return wrong;
};
