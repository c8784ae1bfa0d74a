import { several } from '../../print.ts';
import type { Replay } from './replay.ts';
import type { Survey } from './survey.ts';

/** Describes an import, and what it cannot import, in lines. */
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
      `${several(renewed, 'card')} with too many identifiers to keep, or numbered after them: created today, by you, in the order of their numbers`,
    transferred > 0 && `${several(transferred, 'transfer')} made again`,
    gone.length > 0 &&
      `${several(gone.length, 'identifier')} of cards that are deleted or were hidden from the exporting user: reserved, never issued again`,
    fills > 0 && `${several(fills, 'number')} unused, between others: reserved too`,
    count('comment') + count('subtask') > 0 &&
      `${several(count('comment'), 'comment')} and ${several(count('subtask'), 'subtask')}: created today, by you`,
    owners > 0 && `${several(owners, 'private board')} of other users: these become owners, you are the creator`,
    count('unclean_file') > 0 && `${several(count('unclean_file'), 'file')} with unreadable bytes: not in the export`,
    missing + count('hidden_dependency') > 0 &&
      `${several(missing + count('hidden_dependency'), 'dependency', 'dependencies')} on cards that are not in the export: left out`,
  ].filter((note) => typeof note === 'string');
  return [
    `export of workspace ${about.workspace_id}, ${about.exported_at}`,
    `${several(cards.size, 'card')} on ${several(boards.length, 'board')} with ${several(columns.length, 'column')}, ${several(workstreams.length, 'workstream')}, ${several(labels.length, 'label')}, ${several(files.length, 'file')}`,
    `${several(cards.size - renewed, 'card keeps its', 'cards keep their')} identifiers and dates`,
    ...notes.map((note) => `  ${note}`),
  ];
};
