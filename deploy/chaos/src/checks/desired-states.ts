import { checkOf } from '../history.ts';
import { acknowledgedAt, pairsOf, surePut, sureRemoval } from '../pairs.ts';

const marks = [
  { put: 'putCardAssignee', remove: 'deleteCardAssignee', field: 'assignees' },
  { put: 'putCardLabel', remove: 'deleteCardLabel', field: 'labels' },
] as const;

/**
 * A desired state stays until a client sets another one. Such a write has no command that identifies its repetition, so
 * this check finds a late repetition that undoes a later write.
 */
export const statesStay = checkOf('assignees and labels are as they were last set', (history, report) => {
  const reads = history.exchanges.filter(
    ({ method, answer }) => method === 'GET' && answer?.body.card?.assignees !== undefined,
  );
  for (const { put, remove, field } of marks) {
    const byCard = Map.groupBy(pairsOf(history, put, remove), ({ from }) => from);
    for (const exchange of reads) {
      const { answer, start, end } = exchange;
      const card = answer?.body.card;
      const there = new Set(card?.[field]);
      for (const pair of byCard.get(card?.id ?? '') ?? []) {
        const isThere = there.delete(pair.to);
        const wrong = (isThere ? sureRemoval : surePut)(pair, start, end, acknowledgedAt);
        if (!wrong) continue;
        const message = `${pair.to} ${isThere ? 'is still' : 'is not'} among the ${field} of card ${card?.id}`;
        report(message, wrong.acknowledged, exchange);
      }
      for (const id of there)
        report(`${id} is among the ${field} of card ${card?.id}, and no request set it`, exchange);
    }
  }
  return reads.length;
});
