import {
  allowInsecureRequests,
  ClientError,
  type Configuration,
  discovery,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  ResponseBodyError,
} from 'openid-client';
import { CliError } from '../errors.ts';
import type { Renewal } from './profiles.ts';

/** What a device flow asks for. */
export interface DeviceOptions {
  issuer: string;
  clientId: string;
  scope: string;
  audience?: string | undefined;
  /** The service that the token is for (RFC 8707). */
  resource?: string | undefined;
}

/** What an issuer gave: an access token, and a refresh token where it gives one. */
export interface Granted {
  token: string;
  renewal?: Renewal | undefined;
}

const isOfThisMachine = ({ hostname }: URL) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** What an issuer refused, or why it cannot be asked, in one line. */
export const explained = (issuer: string, error: unknown): unknown => {
  if (error instanceof ResponseBodyError) {
    const said = error.error_description ? `${error.error} (${error.error_description})` : error.error;
    return new CliError(`${issuer} refused: ${said}`);
  }
  if (error instanceof ClientError || error instanceof TypeError) {
    const cause = error.cause instanceof Error ? error.cause.message : '';
    return new CliError(`${issuer} is no issuer that can be asked: ${error.message}${cause && ` (${cause})`}`);
  }
  return error;
};

/**
 * What an issuer says of itself (OpenID Connect Discovery 1.0). Only one on this machine may do without TLS.
 * @throws CliError where none answers there
 */
export const findIssuer = async (issuer: string, clientId: string): Promise<Configuration> => {
  const url = new URL(issuer);
  const execute = url.protocol === 'http:' && isOfThisMachine(url) ? [allowInsecureRequests] : [];
  try {
    return await discovery(url, clientId, undefined, None(), { execute });
  } catch (error) {
    throw explained(issuer, error);
  }
};

/** Shown to the user, who confirms the login in a browser. */
const invitation = (address: string, complete: string | undefined, code: string) =>
  complete === undefined
    ? `Open ${address} and enter the code ${code}`
    : `Open ${complete} and compare the code ${code} (or enter it at ${address})`;

/**
 * Has the user confirm in a browser, wherever that is, and waits for it (RFC 8628).
 * @param say gets the address and the code for the user
 * @throws CliError where the issuer has no such flow, the user declines, or takes longer than the code is valid
 */
export const authorizeDevice = async (
  { issuer, clientId, scope, audience, resource }: DeviceOptions,
  say: (line: string) => void,
): Promise<Granted> => {
  const config = await findIssuer(issuer, clientId);
  if (config.serverMetadata().device_authorization_endpoint === undefined) {
    throw new CliError(`${issuer} has no device flow; get a token in another way and give it to "cardinal login"`);
  }
  try {
    const target = resource === undefined ? {} : { resource };
    const device = await initiateDeviceAuthorization(config, { scope, ...(audience && { audience }), ...target });
    say(invitation(device.verification_uri, device.verification_uri_complete, device.user_code));
    const { access_token, refresh_token } = await pollDeviceAuthorizationGrant(config, device, target);
    const renewal = refresh_token === undefined ? undefined : { issuer, client_id: clientId, refresh_token, ...target };
    return { token: access_token, renewal };
  } catch (error) {
    const code = error instanceof ResponseBodyError ? error.error : undefined;
    const isLate = error instanceof ClientError && (error.cause as Error | undefined)?.name === 'TimeoutError';
    if (code === 'expired_token' || isLate) {
      throw new CliError('nobody confirmed the login while its code was valid; "cardinal login" starts another one');
    }
    if (code === 'access_denied') throw new CliError('the login was declined in the browser');
    throw explained(issuer, error);
  }
};
