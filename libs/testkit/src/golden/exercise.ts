import { CardinalError, type RequestContract } from '@cardinal/contracts';
import { v7 } from 'uuid';
import type { GoldenRequest } from './files.ts';

/** Asks a service over the bus. */
type Call = (contract: RequestContract, request: unknown) => Promise<unknown>;

type Request = Record<string, unknown>;

/** A request that succeeds, and those that are refused for reasons of its own. */
export interface Exercise {
  request: Request;
  /** Further refusals by code, beside those that follow from what the request carries. */
  refused?: Record<string, Request | Request[]>;
  /** Ids of the request that may name nothing; no other unknown id is accepted. */
  free?: string[];
  /** What its repetition answers where that is something else. */
  again?: unknown;
}

const freshCommand = (request: Request): Request =>
  'command' in request ? { ...request, command: { id: v7(), fingerprint: 'f' } } : request;

const isAddress = (key: string) => /^(board|column|card|workstream|comment|label|subtask|file|depends_on_card)_id$/.test(key);

/** Refusals that follow from what a request carries: an unknown id, an old version, a cursor of another list. */
const derived = ({ subject }: RequestContract, { request, free = [] }: Exercise): [string, Request][] => {
  const addresses = Object.keys(request).filter((key) => isAddress(key) && !free.includes(key));
  const wrong = addresses.map((key): [string, Request] => ['not_found', { [key]: v7() }]);
  if ('if_match' in request) wrong.push(['precondition_failed', { if_match: [999] }]);
  if ('page' in request) {
    wrong.push(['invalid_request', { page: { ...(request.page as object), cursor: `not-of-${subject}` } }]);
  }
  return wrong.map(([code, otherwise]) => [code, freshCommand({ ...request, ...otherwise })]);
};

const refusal = async (call: Call, contract: RequestContract, expected: string, request: Request) => {
  const error = await call(contract, request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CardinalError) || error.code !== expected) {
    throw new Error(`${contract.subject} should be refused with ${expected}`, { cause: error });
  }
  const { code, message, details } = error;
  return { code, message, ...(details ? { details } : {}), request };
};

/** Provokes every refusal of a request and its success, repeats it, and answers what a golden file keeps. */
export const exercise = async (call: Call, contract: RequestContract, given: Exercise): Promise<GoldenRequest> => {
  const { request, refused = {} } = given;
  const [declared, provoked] = [contract.refusals, Object.keys(refused)].map((codes) => [...codes].sort().join());
  if (declared !== provoked) throw new Error(`${contract.subject} declares ${declared}, provoked are ${provoked}`);
  const own = Object.entries(refused).flatMap(([code, wrong]) => [wrong].flat().map((one) => [code, one] as const));
  const refusals: GoldenRequest['refusals'] = [];
  for (const [code, wrong] of [...derived(contract, given), ...own]) {
    refusals.push(await refusal(call, contract, code, wrong));
  }
  const reply = (await call(contract, request)) as object;
  const again = await call(contract, request);
  const expected = given.again ?? ('replayed' in reply ? { ...reply, replayed: true } : reply);
  if (JSON.stringify(again) !== JSON.stringify(expected)) throw new Error(`${contract.subject} was not repeated`);
  if ('command' in request) {
    const command = { ...(request.command as object), fingerprint: 'g' };
    refusals.push(await refusal(call, contract, 'idempotency_key_reused', { ...request, command }));
  }
  return { request, reply, refusals };
};
