import { connect, type Session } from '../session.ts';

// An import survives a restart of the service and a full rate limit; its waits are bounded.
const patience = { attempts: 10, capMs: 10_000 };

/**
 * Connects a client that waits and retries. @returns it, with the workspace and the scopes of its token
 * @throws CliError without a token; CardinalError for a wrong address or token, before any long work
 */
export const connectPatiently = async (session: Session) => {
  const { workspace_id, scopes } = await connect(session).me.get();
  return { client: connect(session, { retry: patience }), workspace: workspace_id, scopes };
};
