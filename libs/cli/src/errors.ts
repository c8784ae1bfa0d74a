import { CardinalError, type DetailsByCode } from '@cardinal/client/source';
import { type Proxies, proxyBefore } from './proxy.ts';

/** Why a command cannot go on, in one line for the person who typed it. */
export class CliError extends Error {}

/** A mistake in the command line, and the way out. */
export class UsageError extends CliError {}

/** The exit code of a stopped command. */
export const stopped = 130;
/** That of a command line which the program does not understand. */
export const wrongUsage = 2;

// Codes of Node and OpenSSL for certificates that are not trusted.
const untrusted = /^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/;
// The server speaks no TLS, or another version.
const noTls = /^(?:ERR_SSL_|EPROTO)/;

const unanswered = (url: string, reason: string, proxies: Proxies): string => {
  if (untrusted.test(reason)) {
    return `the certificate of ${url} is not trusted (${reason}); name the file of its authority in NODE_EXTRA_CA_CERTS, or the host that it is for in --url`;
  }
  if (noTls.test(reason)) return `${url} speaks no TLS that is understood here (${reason}); is it http:// there?`;
  const proxy = proxyBefore(url, proxies);
  if (proxy !== undefined)
    return `no answer from ${url} (${reason}), by way of the proxy that ${proxy} names; NO_PROXY takes a host out`;
  return `no answer from ${url} (${reason}); start Cardinal with "npm start", or name it with --url or CARDINAL_URL`;
};

const refused = ({ message, requestId }: CardinalError): string =>
  `the service refused: ${message}${requestId ? `, request ${requestId}` : ''}`;

/** Most changes of others that are shown. */
const shownChanges = 5;

const stale = ({ current_version, changes = [], patched = [] }: DetailsByCode['precondition_failed']): string => {
  const shown = changes.slice(-shownChanges).map(({ version, type, user_id, changed }) => {
    const what = changed.length > 0 ? changed.join(', ') : type;
    return `version ${version} by ${user_id}: ${what}`;
  });
  const both = patched.filter((field) => changes.some(({ changed }) => changed.includes(field)));
  return [
    `it was changed since${shown.length > 0 ? ` (${shown.join('; ')})` : ''}`,
    ...(both.length > 0 ? [`this changes ${both.join(', ')} too`] : []),
    `read it again, then say the version that it has now: --version ${current_version}`,
  ].join('; ');
};

/** The address of the request, and the proxy. */
interface Explained {
  access: () => { url: string };
  environment: { proxies?: Proxies };
}

/** The cause and the way out in one line; undefined for an unforeseen error, whose stack says more. */
export const explain = (error: unknown, session: Explained): string | undefined => {
  if (error instanceof CliError) return error.message;
  // An error of the system, such as that of a file.
  if (error instanceof Error && 'syscall' in error) return error.message;
  if (!(error instanceof CardinalError)) return undefined;
  const { url } = session.access();
  switch (error.code) {
    case 'connection_failed':
    case 'timed_out':
      return unanswered(url, error.details.reason, session.environment.proxies ?? {});
    case 'unauthenticated':
      return 'the token was not accepted, it may have expired, or be a revoked API key; "cardinal login" takes another one ("npm run --silent key" makes a key for the demo workspace)';
    case 'insufficient_scope':
      // Of what is somebody else's the service says so itself.
      if (!error.message.includes('the scope')) return refused(error);
      return 'the token lacks a scope; reading needs kanban:read, writing kanban:write, and an import that brings identifiers along, workstreams and webhooks kanban:admin';
    case 'precondition_failed':
      return stale(error.details);
    case 'unexpected_response':
      return `${url} answered (${error.status}), but it is not Cardinal; name Cardinal with --url or CARDINAL_URL`;
    default:
      return refused(error);
  }
};
