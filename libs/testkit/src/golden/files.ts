import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode, ErrorDetails, EventContract, EventOf, RequestContract } from '@cardinal/contracts';
import { v7 } from 'uuid';

/** Where the golden files are, one per request and per version of an event. */
const goldenFolder = join(import.meta.dirname, '../../../contracts/golden');

/** What one service says to another: a request with its answer, and each refusal. */
export interface GoldenRequest {
  request: unknown;
  reply: unknown;
  refusals: { code: ErrorCode; message: string; details?: ErrorDetails; request: unknown }[];
}

/** `rpc.card.get-card` is in `card/get-card.json`. */
export const requestFile = ({ subject }: RequestContract) =>
  join(goldenFolder, `${subject.replace('rpc.', '').replace('.', '/')}.json`);

/** `card.deleted` is in `events/card.deleted.v1.json`. */
export const eventFile = ({ type, version }: EventContract) => join(goldenFolder, `events/${type}.v${version}.json`);

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** What the server of a request promised its callers. */
export const goldenRequest = (contract: RequestContract) => read(requestFile(contract)) as GoldenRequest;

/** What a test tells otherwise than the golden file. */
type About = Partial<Record<'workspace_id' | 'aggregate_id', string> & { aggregate_version: number; data: object }>;

/** What the emitter of an event promised its consumers, told anew: under an id of its own, about what a test made. */
export const goldenEvent = <Contract extends EventContract>(contract: Contract, about: About = {}) => {
  const told = contract.schema.parse(read(eventFile(contract)));
  return { ...told, id: v7(), ...about, data: { ...(told.data as object), ...about.data } } as EventOf<Contract>;
};
