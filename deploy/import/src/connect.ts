import { createClient } from '@cardinal/client/source';
import { ImportError } from './report.ts';

// A move outlives a restart of the service or a full rate limit; what it waits for is bounded all the same.
const patience = { attempts: 10, capMs: 10_000 };

/**
 * A client that waits, the workspace and the scopes that its token has.
 * @throws ImportError without a token; CardinalError for a wrong address or token, before any long work
 */
export const connect = async ({ url, token }: { url: string; token: string | undefined }) => {
  if (!token) {
    throw new ImportError(
      'no token; set CARDINAL_TOKEN or say --token ("npm start" prints one for the demo workspace)',
    );
  }
  const access = { baseUrl: url, token };
  const { workspace_id, scopes } = await createClient(access).me.get();
  return { client: createClient({ ...access, retry: patience }), workspace: workspace_id, scopes };
};
