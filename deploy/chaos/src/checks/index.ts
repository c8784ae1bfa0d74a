import type { History, HistoryCheck } from '../history.ts';
import type { Verdict } from '../report.ts';
import { ofWhatIsLeft } from '../rollbacks.ts';
import { documented, inTime } from './answers.ts';
import { revokedForEver } from './api-keys.ts';
import { everyStepWasAsked, writesWhatItSays } from './contents.ts';
import { countsAreTrue, listsAreTrue } from './dependencies.ts';
import { statesStay } from './desired-states.ts';
import { everyChangeIsTold, inOrder, nobodyMisses, orderedForEachCard } from './events.ts';
import { historyGrows, oneCard, oneCurrent, resolves } from './identifiers.ts';
import { equalReplays, refusalsChangeNothing, repetitionsAreAnswered } from './keys.ts';
import { archivedForEver, deletedForEver, nothingIsLost } from './lives.ts';
import { dense, inRealTime, noneAdoptedAfter, noneAfterArchive } from './numbers.ts';
import { neverBack, oneRepresentation, oneWriteEach, refusedForAReason, rises } from './versions.ts';
import { strangersAreToldNothing } from './visibility.ts';

/** Rules that hold even when databases lose data. */
const always: HistoryCheck[] = [
  ...[oneCard, dense, documented, inTime],
  ...[inOrder, nobodyMisses, orderedForEachCard, revokedForEver],
];

/** Rules about what was not lost. */
const unlessLost: HistoryCheck[] = [
  resolves,
  oneCurrent,
  historyGrows,
  inRealTime,
  noneAfterArchive,
  noneAdoptedAfter,
  oneRepresentation,
  neverBack,
  oneWriteEach,
  rises,
  refusedForAReason,
  writesWhatItSays,
  everyStepWasAsked,
  equalReplays,
  repetitionsAreAnswered,
  refusalsChangeNothing,
  nothingIsLost,
  everyChangeIsTold,
  strangersAreToldNothing,
  deletedForEver,
  archivedForEver,
  listsAreTrue,
  countsAreTrue,
  statesStay,
];

/** The rules that a history is judged by. */
export const checks: HistoryCheck[] = [...always, ...unlessLost.map(ofWhatIsLeft)];

/** Judges a history by every rule. */
export const judge = (history: History): Verdict[] =>
  checks.map((check) => ({ rule: check.rule, ...check.check(history) }));
