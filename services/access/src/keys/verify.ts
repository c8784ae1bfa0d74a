import * as contracts from '@cardinal/contracts';
import { prepared } from '@cardinal/db';
import { coalesce } from '@cardinal/runtime';
import type { ServiceContext } from '../context.ts';
import type { Revocations } from './revocations.ts';

interface Asked {
  workspace_id: string;
  hash: string;
}

interface Found {
  id: string;
  version: number;
  user_id: string;
  name: string;
  scope: contracts.Scope;
  /** The end of the key, or of its former text where that is earlier. */
  expires_at: string | null;
}

/** $1 workspaces, $2 hashes of texts, $3 the time. A row for each text, in their order; null where it is no key now. */
const findKeys = prepared<{ key: Found | null }>(
  'find-api-keys',
  `select found.key
from unnest($1::uuid[], $2::text[]) with ordinality as asked (workspace_id, hash, ordinal)
left join lateral (
  select json_build_object('id', id, 'version', version, 'user_id', user_id, 'name', name, 'scope', scope,
    'expires_at', case when api_keys.hash = asked.hash then expires_at else least(expires_at, former_until) end) as key
  from api_keys
  where api_keys.workspace_id = asked.workspace_id and revoked_at is null
    and (expires_at is null or expires_at > $3)
    and (api_keys.hash = asked.hash or api_keys.former_hash = asked.hash and former_until > $3)
  limit 1) as found on true
order by ordinal`,
);

/** Serves the verification of keys to gateways, many in one statement. */
export const serveVerification = ({
  bus,
  db,
  now,
  revocations,
}: ServiceContext & { revocations: Revocations }): void => {
  /** A rollback of less than a second is not recognized: the register is asked for each key as well. */
  const accepted = async (key: Found, asked: Asked): Promise<contracts.VerifiedKey | null> =>
    (await revocations.isTakenAway({ ...asked, ...key })) ? null : contracts.verifiedKey.parse(key);

  const finding = coalesce<Asked, contracts.VerifiedKey | null>({
    name: 'api_keys_verified',
    concurrency: 2,
    run: async (asked) => {
      await revocations.upToDate();
      const values = [asked.map(({ workspace_id }) => workspace_id), asked.map(({ hash }) => hash), now()];
      const rows = await db.read((tx) => findKeys.run(tx, values));
      return Promise.all(rows.map(({ key }, at) => key && accepted(key, asked[at] as Asked)));
    },
  });
  bus.serve(contracts.verifyApiKeys, async ({ texts }) => ({
    keys: await Promise.all(texts.map((text) => finding.submit(text))),
  }));
};
