import { defaultUrl, type Environment, urlIn } from '../config.ts';
import { CliError } from '../errors.ts';
import type { Access } from '../session.ts';
import { changeProfile, type Profile, readProfile, usualProfile, writeProfile } from './profiles.ts';

/** What the command line says of all commands. */
export interface Named {
  url?: string;
  token?: string;
  profile?: string;
}

/** A token is renewed so long before it ends, ms: the request is still to travel. */
const early = 30_000;

const hasEnded = ({ token_expires_at }: Profile) =>
  token_expires_at !== null && Date.parse(token_expires_at) - early < Date.now();

const isSame = (url: string, other: string) => new URL(url).href === new URL(other).href;

/**
 * The token of a profile, called before each request: renewed where it has ended and its issuer gave a refresh token. Of
 * several commands at once one renews it, and the others use what that one wrote: an issuer may take a refresh token used
 * twice for a stolen one, and end the login (RFC 9700, section 4.14.2).
 */
const tokenOf = (folder: string, name: string, kept: Profile): (() => Promise<string>) => {
  let current = kept;
  const renewed = async (): Promise<Profile> => {
    const profile = readProfile(folder, name);
    if (profile === undefined || !isSame(profile.url, kept.url)) {
      throw new CliError(`profile "${name}" is another one since the command began, or gone; run it again`);
    }
    if (!hasEnded(profile)) return profile;
    if (profile.renewal === undefined) {
      throw new CliError(
        `the ${profile.api_key ? 'API key' : 'token'} of profile "${name}" ended at ${profile.token_expires_at}; "cardinal login --profile ${name}" takes a new one`,
      );
    }
    const { renew } = await import('./renew.ts');
    return renew(name, profile, profile.renewal, (fresh) => writeProfile(folder, name, fresh));
  };
  return async () => {
    if (hasEnded(current)) current = await changeProfile(folder, name, renewed);
    return current.token;
  };
};

/** Which profile a command line means, and whether it names it. */
export const profileNameOf = (named: Named, { profile }: Environment): string =>
  named.profile ?? profile ?? usualProfile;

/**
 * The address and the token: from options, then the environment, then the profile, then the default address. A profile
 * that an option names goes before the environment. The token of a profile goes to no other address than its own.
 * @throws CliError where a profile is named that is not there, or is damaged; UsageError where the environment's address is none
 */
export const findAccess = (named: Named, environment: Environment): Access => {
  const { token: tokenOfEnvironment, profiles: folder } = environment;
  const isNamed = named.profile !== undefined;
  const url = named.url ?? (isNamed ? undefined : urlIn(environment));
  const token = named.token ?? (isNamed ? undefined : tokenOfEnvironment);
  if (folder === undefined || (url !== undefined && token !== undefined)) return { url: url ?? defaultUrl, token };
  const name = profileNameOf(named, environment);
  const profile = readProfile(folder, name);
  if (profile === undefined) {
    if (isNamed || environment.profile !== undefined) {
      throw new CliError(`there is no profile "${name}"; "cardinal login --profile ${name}" makes it`);
    }
    return { url: url ?? defaultUrl, token };
  }
  const of = { name, url: profile.url };
  if (token !== undefined) return { url: url ?? profile.url, token };
  if (url !== undefined && !isSame(url, profile.url)) return { url, profile: of };
  return { url: profile.url, token: tokenOf(folder, name, profile), profile: of };
};
