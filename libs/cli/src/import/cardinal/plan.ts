import { grouped } from '../report.ts';
import type { Replay } from './replay.ts';
import type { Survey } from './survey.ts';

const some = (number: number, one: string, many = `${one}s`) => `${grouped(number)} ${number === 1 ? one : many}`;

/** What an import would do, and what cannot come along, in lines. */
export const describePlan = (
  { about, workstreams, labels, boards, columns, files, cards, gone, counts }: Survey,
  replay: Replay,
): string[] => {
  const heads = [...cards.values()];
  const renewed = heads.filter(({ id }) => (replay.adopted.get(id) ?? 0) === 0).length;
  const transferred = replay.steps.filter(({ isFirst, isGone }) => !isFirst && !isGone).length;
  const missing = heads.flatMap(({ depends_on }) => depends_on).filter(({ card_id }) => !cards.has(card_id)).length;
  const count = (type: string) => counts[type] ?? 0;
  const owners = boards.filter(({ visibility, created_by, deleted_at }) => {
    return visibility === 'private' && deleted_at === null && created_by !== about.user_id;
  }).length;
  const fills =
    replay.all.filter(({ isGone }) => isGone).flatMap(({ identifiers }) => identifiers).length - gone.length;
  const notes = [
    renewed > 0 &&
      `${some(renewed, 'card')} with more identifiers than come along, or in numbers behind theirs: created today, by you, in the order of their numbers`,
    transferred > 0 && `${some(transferred, 'transfer')} repeated`,
    gone.length > 0 &&
      `${some(gone.length, 'identifier')} of cards that are deleted or were hidden from the exporting user: taken, never to come again`,
    fills > 0 && `${some(fills, 'number')} that nobody has, between others: taken too`,
    count('comment') + count('subtask') > 0 &&
      `${some(count('comment'), 'comment')} and ${some(count('subtask'), 'subtask')}: by you and of today`,
    owners > 0 && `${some(owners, 'private board')} of other users: these become owners, you are the creator`,
    count('unclean_file') > 0 &&
      `${some(count('unclean_file'), 'file')} whose bytes could not be read: not in the export`,
    missing + count('hidden_dependency') > 0 &&
      `${some(missing + count('hidden_dependency'), 'dependency', 'dependencies')} on cards that are not in the export: left out`,
  ].filter((note) => typeof note === 'string');
  return [
    `export of workspace ${about.workspace_id}, ${about.exported_at}`,
    `${some(cards.size, 'card')} on ${some(boards.length, 'board')} with ${some(columns.length, 'column')}, ${some(workstreams.length, 'workstream')}, ${some(labels.length, 'label')}, ${some(files.length, 'file')}`,
    `${some(cards.size - renewed, 'card')} bring identifiers and dates along`,
    ...notes.map((note) => `  ${note}`),
  ];
};
