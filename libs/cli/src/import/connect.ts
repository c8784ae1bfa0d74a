import { connect, type Session } from '../session.ts';

// A move outlives a restart of the service or a full rate limit; what it waits for is bounded all the same.
const patience = { attempts: 10, capMs: 10_000 };

/**
 * A client that waits, the workspace and the scopes that its token has.
 * @throws CliError without a token; CardinalError for a wrong address or token, before any long work
 */
export const connectPatiently = async (session: Session) => {
  const { workspace_id, scopes } = await connect(session).me.get();
  return { client: connect(session, { retry: patience }), workspace: workspace_id, scopes };
};
