import type { Workstream } from '@cardinal/contracts';
import { ApiError } from '../../api-error.ts';
import type { CardinalClient } from '../../client.ts';
import { ImportError } from '../import-error.ts';
import { thingKey } from '../rows/row-key.ts';

/** The workspace's active workstreams by prefix; makes sure that none of those needed is archived. */
export const knownWorkstreams = async (
  client: CardinalClient,
  needed: Iterable<string>,
): Promise<Map<string, Workstream>> => {
  const wanted = new Set(needed);
  for await (const { prefix } of client.workstreams.list({ archived: true })) {
    if (!wanted.has(prefix)) continue;
    throw new ImportError(`workstream ${prefix} is archived and takes no cards; leave it out of --workstream-pattern`);
  }
  const known = new Map<string, Workstream>();
  for await (const workstream of client.workstreams.list()) known.set(workstream.prefix, workstream);
  return known;
};

/**
 * Makes a workstream that is named as its prefix.
 * @throws ImportError where the prefix was taken in the meantime by one that takes no cards
 */
export const makeWorkstream = async (client: CardinalClient, prefix: string): Promise<Workstream> => {
  try {
    return await client.workstreams.create(
      { name: prefix, prefix },
      { idempotencyKey: thingKey('workstream', prefix) },
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'conflict') throw error;
    const made = (await knownWorkstreams(client, [prefix])).get(prefix);
    if (made) return made;
    throw new ImportError(`the prefix ${prefix} is taken, but no workstream has it`, { cause: error });
  }
};
