import { busUrlProblem, connectionProblem, ServerProblem } from '@cardinal/runtime';
import { connect, ErrorCode, NatsError } from 'nats';
import { connectionOptions, isWrongCredentials } from './connection.ts';

const answerMs = 3_000;

/**
 * Connects once and looks whether the broker will do.
 * @param options.jetStream whether the user of the URL must be able to make streams
 * @throws ServerProblem where it will not, within a few seconds
 */
export const checkBroker = async (url: string, { jetStream = false, variable = 'NATS_URL' } = {}): Promise<void> => {
  const misspelt = busUrlProblem(url);
  if (misspelt) throw new ServerProblem('wrong', `${variable}: ${misspelt}`);
  try {
    const nats = await connect({
      ...connectionOptions(url),
      name: 'cardinal-check',
      timeout: answerMs,
      reconnect: false,
    });
    try {
      if (jetStream) await nats.jetstreamManager({ timeout: answerMs });
    } finally {
      await nats.close();
    }
  } catch (error) {
    throw brokerProblem(error, url, variable);
  }
};

/** Error codes of JetStream's API (server/errors.json): no room on the server or for the account. */
const noRoom = [10_002, 10_023, 10_028, 10_047];
const notEnabled = [10_039, 10_076];

/** What an error of a broker means for whoever set the variable. */
export const brokerProblem = (error: unknown, url: string, variable = 'NATS_URL'): ServerProblem => {
  if (error instanceof ServerProblem) return error;
  const servers = [connectionOptions(url).servers ?? []].flat();
  const server = servers.map((one) => (/:\d+$/.test(one) ? one : `${one}:4222`)).join(', ');
  const problem = (kind: ServerProblem['kind'], text: string) =>
    new ServerProblem(kind, `${variable}: ${text}`, { cause: error });
  const { code, message = String(error) } = error as { code?: string; message?: string };
  const jetStream = error instanceof NatsError ? error.api_error : undefined;
  if (isWrongCredentials(error)) return problem('wrong', `NATS at ${server} refuses user and password; correct them`);
  if (code === ErrorCode.JetStreamNotEnabled || notEnabled.includes(jetStream?.err_code ?? 0)) {
    return problem('wrong', `NATS at ${server} has no JetStream for this user; start it as: nats-server --jetstream`);
  }
  if (noRoom.includes(jetStream?.err_code ?? 0)) {
    const words = jetStream?.description;
    return problem(
      'wrong',
      `NATS at ${server} has no room for the stream of events (${words}); raise max_file_store, or lower EVENT_STREAM_BYTES`,
    );
  }
  if (code === ErrorCode.Timeout || code === ErrorCode.ConnectionTimeout || /unexpected response/.test(message)) {
    return problem('away', `${server} does not greet as NATS does; correct host and port (NATS itself is at 4222)`);
  }
  const closed = code === ErrorCode.ConnectionRefused ? 'ECONNREFUSED' : code;
  return (
    connectionProblem(variable, server, closed) ??
    problem('wrong', `NATS at ${server} cannot be used: ${message}; correct the URL or the server`)
  );
};
