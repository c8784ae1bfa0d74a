import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventContract, RequestContract } from '@cardinal/contracts';

/** Where the golden files are, one per request and per version of an event. */
const goldenFolder = join(import.meta.dirname, '../../../contracts/golden');

/** What one service says to another: a request with its answer, and each refusal. */
export interface GoldenRequest {
  request: unknown;
  reply: unknown;
  refusals: { code: string; message: string; details?: unknown; request: unknown }[];
}

/** `rpc.card.get-card` is in `card/get-card.json`. */
export const requestFile = ({ subject }: RequestContract) =>
  join(goldenFolder, `${subject.replace('rpc.', '').replace('.', '/')}.json`);

/** `card.created` is in `events/card.created.v1.json`. */
export const eventFile = ({ type, version }: EventContract) => join(goldenFolder, `events/${type}.v${version}.json`);

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** What the server of a request promised its callers. */
export const goldenRequest = (contract: RequestContract) => read(requestFile(contract)) as GoldenRequest;

/** What the emitter of an event promised its consumers. */
export const goldenEvent = (contract: EventContract) => read(eventFile(contract));
