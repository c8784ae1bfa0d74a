import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { PeerCertificate } from 'node:tls';
import { busUrlProblem, connectionProblem, ServerProblem } from '@cardinal/runtime';
import { ErrorCode, type NatsError } from 'nats';
import { apiCodes } from './api-errors.ts';
import { type Broker, connectionOptions } from './broker.ts';
import { onBroker } from './connection.ts';

/**
 * Connects once and checks that the broker can be used.
 * @param options.jetStream whether the user of the URL must be able to create streams
 * @throws ServerProblem where it cannot, within a few seconds
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
  const refuse = (text: string, cause: unknown) => {
    throw new ServerProblem('wrong', `NATS_CA: ${file} ${text}`, { cause });
  };
  const pem = await readFile(file).catch((error) => refuse(`cannot be read (${error.code}); correct it`, error));
  try {
    if (pem) new X509Certificate(pem);
  } catch (error) {
    refuse('holds no certificate; it must be PEM', error);
  }
};

/** Certificate errors: OpenSSL's codes (manual of `verify`) as Node names them, and Node's own about names. */
const isOfCertificate = (code: string) =>
  /^(CERT_|UNABLE_TO_(GET|VERIFY|DECODE|DECRYPT)_|SELF_SIGNED_CERT|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|PATH_LENGTH)/.test(
    code,
  );

/** The problem of a server that answers, with the remedy; undefined for other errors. */
const faultOf = (
  { code = '', cert, api_error }: Partial<NatsError> & { cert?: PeerCertificate },
  { ca }: Broker,
): string | undefined => {
  const refused = api_error?.err_code ?? 0;
  switch (code) {
    case ErrorCode.AuthorizationViolation:
    case ErrorCode.BadAuthentication:
      return 'refuses user and password; correct them';
    case ErrorCode.ServerOptionNotAvailable:
      return 'offers no TLS; give it a certificate, or write nats:// and leave NATS_CA out';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `has a certificate for other names (${cert?.subjectaltname}); use one of them, or correct the certificate`;
    case 'CERT_HAS_EXPIRED':
      return 'has a certificate that has expired; renew it';
  }
  if (code === ErrorCode.JetStreamNotEnabled || apiCodes.notEnabled.includes(refused)) {
    return 'has no JetStream for this user; start it as: nats-server --jetstream';
  }
  if (!isOfCertificate(code)) return undefined;
  return ca === undefined
    ? `has a certificate that is not trusted here (${code}); name the file of its authority in NATS_CA`
    : `has a certificate that NATS_CA does not vouch for (${code}); correct the file or the certificate`;
};

/** Makes an error of the broker a problem for the operator, who set `NATS_URL`. */
export const brokerProblem = (error: unknown, broker: Broker): ServerProblem => {
  if (error instanceof ServerProblem) return error;
  const servers = [connectionOptions(broker).servers ?? []].flat();
  const server = servers.map((one) => (/:\d+$/.test(one) ? one : `${one}:4222`)).join(', ');
  const problem = (kind: ServerProblem['kind'], text: string) =>
    new ServerProblem(kind, `NATS_URL: ${text}`, { cause: error });
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const fault = faultOf(error as NatsError, broker);
  if (fault) return problem('wrong', `NATS at ${server} ${fault}`);
  if (code === ErrorCode.Timeout || code === ErrorCode.ConnectionTimeout || /unexpected response/.test(message)) {
    return problem('away', `${server} does not greet as NATS does; correct host and port (NATS itself is at 4222)`);
  }
  const closed = code === ErrorCode.ConnectionRefused ? 'ECONNREFUSED' : code;
  return (
    connectionProblem('NATS_URL', server, closed) ??
    problem('wrong', `NATS at ${server} cannot be used: ${message}; correct the URL or the server`)
  );
};
