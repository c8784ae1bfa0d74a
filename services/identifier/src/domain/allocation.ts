import { type Allocation, CardinalError, type Workstream } from '@cardinal/contracts';

/** An operation that asks for a number. */
export interface AllocationRequest {
  workspace_id: string;
  user_id: string;
  operation_id: string;
  card_id: string;
  /** Workstreams to try in order: the explicit or the board's one, the workspace's default, or the one and then the other. */
  candidates: string[];
}

/** A workstream whose row is locked, and the last number it gave out. */
export interface Counter {
  workspace_id: string;
  workstream: Workstream;
  last_number: number;
}

/** What an operation was answered before. */
export type Answered = { workspace_id: string; operation_id: string } & (
  | { number: number; workstream_id: string }
  | { reason: RefusalReason }
);

export type RefusalReason = Extract<Allocation, { result: 'refused' }>['reason'];

export interface NewNumber {
  workspace_id: string;
  prefix: string;
  number: number;
  workstream_id: string;
  card_id: string;
  operation_id: string;
  assigned_by: string;
}

export interface NewRefusal {
  workspace_id: string;
  operation_id: string;
  reason: RefusalReason;
}

/** What to answer, one for each request in its order, and what to write before. */
export interface AllocationPlan {
  answers: (Allocation | CardinalError)[];
  numbers: NewNumber[];
  refusals: NewRefusal[];
  /** Counters that move, at their new `last_number`. */
  counters: Counter[];
}

/** Ids are only unique inside their workspace. */
const keyOf = (workspaceId: string, id: string) => `${workspaceId}/${id}`;

const refused = (reason: RefusalReason): Allocation => ({ result: 'refused', reason });

const allocated = (counter: Counter, number: number): Allocation => ({
  result: 'allocated',
  number,
  workstream: counter.workstream,
});

/**
 * Step 2 of the allocation protocol for a batch of operations: whoever was answered gets the same answer, everybody else
 * the next number of the first candidate that is active, in order of arrival; where none is, the first one's fault is
 * the reason of the refusal (architecture, "One commit point").
 * @param counters the locked rows of all candidates that exist
 * @param answered numbers and refusals that operations of this batch already have
 */
export const planAllocations = (
  requests: AllocationRequest[],
  counters: Counter[],
  answered: Answered[],
): AllocationPlan => {
  const counterOf = new Map(counters.map((counter) => [keyOf(counter.workspace_id, counter.workstream.id), counter]));
  const last = new Map(counters.map((counter) => [counter, counter.last_number]));
  const answers = new Map<string, Allocation | CardinalError>();
  const plan: AllocationPlan = { answers: [], numbers: [], refusals: [], counters: [] };

  for (const known of answered) {
    answers.set(keyOf(known.workspace_id, known.operation_id), repeat(known, counterOf));
  }
  for (const request of requests) {
    const key = keyOf(request.workspace_id, request.operation_id);
    const answer = answers.get(key) ?? allocateNext(request, counterOf, last, plan);
    answers.set(key, answer);
    plan.answers.push(answer);
  }
  for (const [counter, number] of last) {
    if (number > counter.last_number) plan.counters.push({ ...counter, last_number: number });
  }
  return plan;
};

const repeat = (known: Answered, counterOf: Map<string, Counter>): Allocation | CardinalError => {
  if ('reason' in known) return refused(known.reason);
  const counter = counterOf.get(keyOf(known.workspace_id, known.workstream_id));
  if (counter) return allocated(counter, known.number);
  return new CardinalError('invalid_request', 'The operation has a number of a workstream that it does not name now');
};

const allocateNext = (
  request: AllocationRequest,
  counterOf: Map<string, Counter>,
  last: Map<Counter, number>,
  plan: AllocationPlan,
): Allocation => {
  const { workspace_id, operation_id, card_id } = request;
  const candidates = request.candidates.map((id) => counterOf.get(keyOf(workspace_id, id)));
  const counter = candidates.find((candidate) => candidate && candidate.workstream.archived_at === null);
  if (!counter) {
    const reason = candidates[0] ? 'archived' : 'not_found';
    plan.refusals.push({ workspace_id, operation_id, reason });
    return refused(reason);
  }
  const number = (last.get(counter) ?? 0) + 1;
  last.set(counter, number);
  plan.numbers.push({
    workspace_id,
    prefix: counter.workstream.prefix,
    number,
    workstream_id: counter.workstream.id,
    card_id,
    operation_id,
    assigned_by: request.user_id,
  });
  return allocated(counter, number);
};
