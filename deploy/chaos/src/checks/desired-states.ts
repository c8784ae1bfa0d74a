import type { HistoryCheck, Violation } from '../history.ts';
import { acknowledgedAt, pairsOf, surePut, sureRemoval } from '../pairs.ts';
import { idsOf } from '../view.ts';

const marks = [
  { put: 'putCardAssignee', remove: 'deleteCardAssignee', field: 'assignees' },
  { put: 'putCardLabel', remove: 'deleteCardLabel', field: 'labels' },
] as const;

/**
 * A desired state stays until a client sets another one. Such a write has no command that would identify its
 * repetition, so one that arrives late and undoes a later write shows here.
 */
export const statesStay: HistoryCheck = {
  rule: 'assignees and labels are as they were last set',
  check(history) {
    const reads = history.exchanges.filter(
      ({ method, answer }) => method === 'GET' && answer?.body.card?.assignees !== undefined,
    );
    const violations: Violation[] = [];
    for (const { put, remove, field } of marks) {
      const byCard = Map.groupBy(pairsOf(history, put, remove), ({ from }) => from);
      for (const exchange of reads) {
        const { answer, start, end } = exchange;
        const card = answer?.body.card;
        const there = new Set(card?.[field]);
        for (const pair of byCard.get(card?.id ?? '') ?? []) {
          const isThere = there.delete(pair.to);
          const wrong = isThere
            ? sureRemoval(pair, start, end, acknowledgedAt)
            : surePut(pair, start, end, acknowledgedAt);
          if (!wrong) continue;
          const message = `${pair.to} ${isThere ? 'is still' : 'is not'} among the ${field} of card ${card?.id}`;
          violations.push({ rule: this.rule, message, exchanges: idsOf(wrong.acknowledged, exchange) });
        }
        for (const id of there) {
          const message = `${id} is among the ${field} of card ${card?.id}, and nobody asked for that`;
          violations.push({ rule: this.rule, message, exchanges: idsOf(exchange) });
        }
      }
    }
    return { looked: reads.length, violations };
  },
};
