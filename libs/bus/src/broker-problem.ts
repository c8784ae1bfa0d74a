import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PeerCertificate } from 'node:tls';
import { busUrlProblem, connectionProblem, ServerProblem } from '@cardinal/runtime';
import { ErrorCode, NatsError } from 'nats';
import { type Broker, connectionOptions, isWrongCredentials } from './broker.ts';
import { onBroker } from './connection.ts';

/**
 * Connects once and looks whether the broker will do.
 * @param options.jetStream whether the user of the URL must be able to make streams
 * @throws ServerProblem where it will not, within a few seconds
 */
export const checkBroker = async (broker: Broker, { jetStream = false } = {}): Promise<void> => {
  const misspelt = busUrlProblem(broker.url);
  if (misspelt) throw new ServerProblem('wrong', `NATS_URL: ${misspelt}`);
  if (broker.ca !== undefined) await checkAuthority(broker.ca);
  const timeout = 3_000;
  await onBroker(broker, { name: 'cardinal-check', timeout }, async (nats) => {
    if (jetStream) await nats.jetstreamManager({ timeout });
  }).catch((error) => Promise.reject(brokerProblem(error, broker)));
};

/** @throws ServerProblem where a file holds no certificates */
const checkAuthority = async (file: string): Promise<void> => {
  const problem = (text: string, cause: unknown) => new ServerProblem('wrong', `NATS_CA: ${file} ${text}`, { cause });
  const pem = await readFile(file).catch((error) =>
    Promise.reject(problem(`cannot be read (${error.code}); correct it`, error)),
  );
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw problem('holds no certificate; it must be PEM', error);
  }
};

/** Error codes of JetStream's API (server/errors.json): no room on the server or for the account. */
const noRoom = [10_002, 10_023, 10_028, 10_047];
const notEnabled = [10_039, 10_076];

/** Codes of OpenSSL's checks of a certificate (its manual of `verify`), as Node names them, and of Node's own of its names. */
const isOfCertificate = (code: string) =>
  /^(CERT_|UNABLE_TO_(GET|VERIFY|DECODE|DECRYPT)_|SELF_SIGNED_CERT|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|PATH_LENGTH)/.test(
    code,
  );

/** What is wrong with TLS at a server, and the way out; undefined where nothing is. */
const certificateProblem = (error: { code?: string; cert?: PeerCertificate }, { ca }: Broker): string | undefined => {
  const { code = '', cert } = error;
  if (code === ErrorCode.ServerOptionNotAvailable) {
    return 'offers no TLS; give it a certificate, or write nats:// and leave NATS_CA out';
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `has a certificate for other names (${cert?.subjectaltname}); use one of them, or correct the certificate`;
  }
  if (!isOfCertificate(code)) return undefined;
  if (code === 'CERT_HAS_EXPIRED') return 'has a certificate that has expired; renew it';
  return ca === undefined
    ? `has a certificate that is not trusted here (${code}); name the file of its authority in NATS_CA`
    : `has a certificate that NATS_CA does not vouch for (${code}); correct the file or the certificate`;
};

/** What an error of the broker means for the operator who set `NATS_URL`. */
export const brokerProblem = (error: unknown, broker: Broker): ServerProblem => {
  if (error instanceof ServerProblem) return error;
  const servers = [connectionOptions(broker).servers ?? []].flat();
  const server = servers.map((one) => (/:\d+$/.test(one) ? one : `${one}:4222`)).join(', ');
  const problem = (kind: ServerProblem['kind'], text: string) =>
    new ServerProblem(kind, `NATS_URL: ${text}`, { cause: error });
  const { code, message = String(error) } = error as { code?: string; message?: string };
  const refused = error instanceof NatsError ? error.api_error : undefined;
  if (isWrongCredentials(error)) return problem('wrong', `NATS at ${server} refuses user and password; correct them`);
  if (code === ErrorCode.JetStreamNotEnabled || notEnabled.includes(refused?.err_code ?? 0)) {
    return problem('wrong', `NATS at ${server} has no JetStream for this user; start it as: nats-server --jetstream`);
  }
  if (refused && noRoom.includes(refused.err_code ?? 0)) {
    const cause = `has no room for the stream of events (${refused.description})`;
    return problem('wrong', `NATS at ${server} ${cause}; raise max_file_store, or lower EVENT_STREAM_BYTES`);
  }
  if (code === ErrorCode.Timeout || code === ErrorCode.ConnectionTimeout || /unexpected response/.test(message)) {
    return problem('away', `${server} does not greet as NATS does; correct host and port (NATS itself is at 4222)`);
  }
  const certificate = certificateProblem(error as { code?: string; cert?: PeerCertificate }, broker);
  if (certificate) return problem('wrong', `NATS at ${server} ${certificate}`);
  const closed = code === ErrorCode.ConnectionRefused ? 'ECONNREFUSED' : code;
  return (
    connectionProblem('NATS_URL', server, closed) ??
    problem('wrong', `NATS at ${server} cannot be used: ${message}; correct the URL or the server`)
  );
};
