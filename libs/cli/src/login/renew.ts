import { createClient } from '@cardinal/client/source';
import { ResponseBodyError, refreshTokenGrant } from 'openid-client';
import { CliError } from '../errors.ts';
import { findIssuer } from './device.ts';
import type { Profile, Renewal } from './profiles.ts';

/**
 * A profile with a token that its issuer gave anew (RFC 6749, section 6).
 * @throws CliError where the issuer takes the refresh token no more
 */
export const renew = async (name: string, profile: Profile, renewal: Renewal): Promise<Profile> => {
  const config = await findIssuer(renewal.issuer, renewal.client_id);
  try {
    const { access_token, refresh_token } = await refreshTokenGrant(config, renewal.refresh_token);
    const me = await createClient({ baseUrl: profile.url, token: access_token }).me.get();
    const next = { ...renewal, refresh_token: refresh_token ?? renewal.refresh_token };
    return { ...profile, ...me, token: access_token, renewal: next };
  } catch (error) {
    if (!(error instanceof ResponseBodyError)) throw error;
    throw new CliError(
      `the login of profile "${name}" has ended (${error.error}); "cardinal login --profile ${name} --issuer ${renewal.issuer} --client-id ${renewal.client_id}" starts another one`,
    );
  }
};
