import { declaredOperations } from '@cardinal/contracts';
import { checkOf, type Following, type History, type ToldEvent } from '../history.ts';
import { cardsIn, viewOf, type Write } from '../view.ts';

const emitted = new Map(declaredOperations.map(({ http: { id, emits } }) => [id, emits ?? []]));

/** The log of each workspace, as read at the end of the run. */
const logsOf = ({ follows }: History): Following[] => follows.filter(({ by }) => by === 'log');

/**
 * Splits a log at rollbacks of databases: after one, the owners continue from an earlier state, and the same version may
 * exist twice.
 */
const erasOf = (events: readonly ToldEvent[]): ToldEvent[][] => {
  const eras: ToldEvent[][] = [[]];
  for (const event of events) {
    if (event.type === 'feed.reset') eras.push([]);
    else eras.at(-1)?.push(event);
  }
  return eras;
};

/** The faults during which the last release ran beside this build. It writes no events, so some writes may lack theirs. */
const unheardOf = ({ faults }: History) => faults.filter(({ kind }) => kind === 'two-versions');
const afterFaultMs = 10_000;

const nameOf = (subject: string, version: number | null) => `${subject} ${version}`;

/** The versions that an acknowledged write made; empty if nothing changed or the outcome is unknown. */
const madeBy = ({ acknowledged, ifMatch, operation, target }: Write): { id: string; version: number }[] => {
  if (!acknowledged?.answer) return [];
  const { card, resource } = acknowledged.answer.body;
  if (operation === 'adoptCards') return cardsIn(acknowledged).filter(({ version }) => version === 1);
  const made = card ?? resource;
  if (!made) return [];
  if (acknowledged.answer.status === 201) return [made];
  return ifMatch !== undefined && made.id === target && made.version > ifMatch ? [made] : [];
};

/** Every acknowledged change of a version is in the log once, and so is every acknowledged deletion. */
export const everyChangeIsTold = checkOf('the log has every acknowledged change once', (history, report) => {
  const unheard = unheardOf(history);
  const isHeard = ({ start, end }: Write) =>
    !unheard.some((fault) => fault.start <= end && fault.end + afterFaultMs >= start);
  const writes = viewOf(history).writes.filter(isHeard);
  let looked = 0;
  for (const { workspace, events } of logsOf(history)) {
    const byVersion = Map.groupBy(events, ({ subject, version }) => nameOf(subject, version));
    const deletions = new Map(events.filter(({ type }) => type.endsWith('.deleted')).map((one) => [one.subject, one]));
    for (const write of writes) {
      const { operation, acknowledged, target, ifMatch } = write;
      const types: readonly string[] = emitted.get(operation) ?? [];
      if (!acknowledged || write.workspace !== workspace || types.length === 0) continue;
      for (const { id, version } of madeBy(write)) {
        looked += 1;
        const told = (byVersion.get(nameOf(id, version)) ?? []).filter(({ type }) => types.includes(type));
        if (told.length !== 1)
          report(`${operation} made version ${version} of ${id}, logged ${told.length} times`, acknowledged);
      }
      if (acknowledged.answer?.status !== 204 || ifMatch === undefined) continue;
      looked += 1;
      if (!deletions.has(target)) report(`${operation} deleted ${target}, and the log lacks it`, acknowledged);
    }
  }
  return looked;
});

/** Events that clear a state, and those that set it. */
const opposites: Record<string, string> = {
  'dependency.removed': 'dependency.added',
  'cover.cleared': 'cover.set',
  'linked_file.cleared': 'linked_file.set',
  'member.removed': 'member.added',
};
const isState = new Set(Object.entries(opposites).flat());
/** The state that cannot be set twice. Others are replaced. */
const setOnce = 'dependency.added';

const lookAtOrder = (
  { workspace, events, hasStates }: { workspace: string; events: readonly ToldEvent[]; hasStates: boolean },
  report: (message: string) => void,
) => {
  const versions = new Map<string, ToldEvent>();
  const states = new Map<string, string>();
  for (const event of events) {
    const { type, subject, version, seq } = event;
    const say = (what: string) => report(`event ${seq} of workspace ${workspace}, ${type} of ${subject}, ${what}`);
    if (isState.has(type)) {
      if (!hasStates) continue;
      const pair = [type.split('.')[0], event.card ?? event.board, subject].join();
      const state = states.get(pair);
      const isTwice = state === type && (type === setOnce || type in opposites);
      if (isTwice) say('repeats the present state');
      states.set(pair, type);
    } else if (version !== null) {
      const last = versions.get(subject);
      if (last?.type.endsWith('.deleted')) say(`comes after its deletion in ${last.seq}`);
      else if (last && version <= (last.version ?? 0) && !type.endsWith('.deleted')) {
        say(`is version ${version} after version ${last.version} in ${last.seq}`);
      }
      versions.set(subject, event);
    }
  }
};

/** The numbers of a log have a gap only before a `feed.reset`, and the versions of each resource are in order. */
export const inOrder = checkOf('the log is numbered without a gap, in the order of versions', (history, report) => {
  let looked = 0;
  for (const { workspace, events } of logsOf(history)) {
    const ids = new Set<string>();
    let last = 0;
    for (const { seq, id, type } of events) {
      looked += 1;
      if (seq <= last || (seq > last + 1 && type !== 'feed.reset')) {
        report(`event ${seq} of workspace ${workspace} follows ${last}`);
      }
      if (ids.has(id)) report(`event ${id} is twice in the log of workspace ${workspace}`);
      ids.add(id);
      last = seq;
    }
    const hasStates = unheardOf(history).length === 0;
    for (const era of erasOf(events)) lookAtOrder({ workspace, events: era, hasStates }, report);
  }
  return looked;
});

/** Whether the log still has an event. After a rollback, followers may have received events that the log lost. */
const isKept = (logged: ReadonlyMap<number, string>, { seq, id }: ToldEvent) => logged.get(seq) === id;

const byOf = ({ by, workspace }: Following) => `the ${by} of workspace ${workspace}`;

/** Each follower received every event of the log after the one it began at, and no number names two events. */
export const nobodyMisses = checkOf('a follower misses nothing, and a number names one event', (history, report) => {
  const hasRollback = history.faults.some(({ loses }) => loses);
  let looked = 0;
  for (const log of logsOf(history)) {
    const logged = new Map(log.events.map(({ seq, id }) => [seq, id]));
    const named = new Map(logged);
    const followers = history.follows.filter(({ by, workspace }) => by !== 'log' && workspace === log.workspace);
    for (const follower of followers) {
      const got = new Set<string>();
      let last = follower.after;
      for (const event of follower.events) {
        looked += 1;
        const { seq, id } = event;
        if ((named.get(seq) ?? id) !== id)
          report(`${byOf(follower)} received ${id} as ${seq}, which is ${named.get(seq)}`);
        if (!isKept(logged, event) && !hasRollback)
          report(`${byOf(follower)} received ${seq}, which is not in the log`);
        if (follower.by === 'stream' && seq <= last) report(`${byOf(follower)} received ${seq} after ${last}`);
        named.set(seq, id);
        got.add(id);
        last = seq;
      }
      if (follower.isStranger) continue;
      for (const { seq, id, type } of log.events) {
        if (seq > follower.after && !got.has(id)) report(`${byOf(follower)} never received ${seq}, ${type}`);
      }
    }
  }
  return looked;
});

/**
 * The receiver of a webhook gets the events of each card in the order of the log; events may be repeated. After a rollback a
 * webhook continues at an earlier position. Then it may send an event that it left out before, because its creator did not
 * see the board, followed by repetitions.
 */
export const orderedForEachCard = checkOf('a webhook gets the events of each card in order', (history, report) => {
  let looked = 0;
  for (const follower of history.follows.filter(({ by }) => by === 'webhook')) {
    const last = new Map<string, { id: string; seq: number }>();
    const got = new Set<string>();
    const lastAt = new Map(follower.events.map(({ id }, at) => [id, at]));
    for (const [at, { id, seq, card }] of follower.events.entries()) {
      if (got.has(id) || card === null) continue;
      got.add(id);
      looked += 1;
      const before = last.get(card);
      if (before && seq < before.seq) {
        const comesAgain = (lastAt.get(before.id) ?? 0) > at;
        if (!comesAgain) report(`${byOf(follower)} received ${seq} of card ${card} after ${before.seq}`);
      } else last.set(card, { id, seq });
    }
  }
  return looked;
});
