import { createClient } from '@cardinal/client/source';
import { ResponseBodyError, refreshTokenGrant, tokenRevocation } from 'openid-client';
import { CliError } from '../errors.ts';
import { explained, findIssuer } from './device.ts';
import type { Profile, Renewal } from './profiles.ts';

/**
 * A profile with a token that its issuer gave anew (RFC 6749, section 6).
 * @param keep is called with what to keep, first as soon as the issuer has answered: it may take the former refresh token no more,
 *   and with the new one the next command goes on where this one fails
 * @throws CliError where the issuer takes the refresh token no more, or cannot be asked
 */
export const renew = async (
  name: string,
  profile: Profile,
  renewal: Renewal,
  keep: (profile: Profile) => void,
): Promise<Profile> => {
  const config = await findIssuer(renewal.issuer, renewal.client_id);
  try {
    const { access_token, refresh_token = renewal.refresh_token } = await refreshTokenGrant(
      config,
      renewal.refresh_token,
      renewal.resource === undefined ? {} : { resource: renewal.resource },
    );
    const granted = { ...profile, token: access_token, renewal: { ...renewal, refresh_token } };
    keep(granted);
    const me = await createClient({ baseUrl: profile.url, token: access_token }).me.get();
    const fresh = { ...granted, ...me };
    keep(fresh);
    return fresh;
  } catch (error) {
    if (!(error instanceof ResponseBodyError)) throw explained(renewal.issuer, error);
    const resource = renewal.resource === undefined ? '' : ` --resource ${renewal.resource}`;
    throw new CliError(
      `the login of profile "${name}" has ended (${error.error}); "cardinal login --profile ${name} --issuer ${renewal.issuer} --client-id ${renewal.client_id}${resource}" starts another one`,
    );
  }
};

/**
 * Has an issuer take a refresh token no more, nor the access tokens that came of it, where it can (RFC 7009, section 2.1).
 * @returns whether its metadata have a `revocation_endpoint`; false: nothing was revoked
 * @throws CliError where it cannot be asked, or refuses
 */
export const revoke = async ({ issuer, client_id, refresh_token }: Renewal): Promise<boolean> => {
  const config = await findIssuer(issuer, client_id);
  if (config.serverMetadata().revocation_endpoint === undefined) return false;
  try {
    await tokenRevocation(config, refresh_token, { token_type_hint: 'refresh_token' });
    return true;
  } catch (error) {
    throw explained(issuer, error);
  }
};
