import { defaultUrl, type Environment } from '../config.ts';
import { CliError } from '../errors.ts';
import type { Access } from '../session.ts';
import { type Profile, readProfile, usualProfile, writeProfile } from './profiles.ts';

/** What the command line says of all commands. */
export interface Named {
  url?: string;
  token?: string;
  profile?: string;
}

/** A token is renewed so long before it ends, ms: the request is still to travel. */
const early = 30_000;

const hasEnded = ({ token_expires_at }: Profile) => Date.parse(token_expires_at) - early < Date.now();

/** The token of a profile, called before each request: renewed where it has ended and its issuer gave a refresh token. */
const tokenOf = (folder: string, name: string, kept: Profile): (() => Promise<string>) => {
  let renewing: Promise<Profile> | undefined;
  const renewed = async (ended: Profile): Promise<Profile> => {
    // Another command may have been faster.
    const profile = readProfile(folder, name) ?? ended;
    if (!hasEnded(profile)) return profile;
    if (profile.renewal === undefined) {
      throw new CliError(
        `the token of profile "${name}" ended at ${profile.token_expires_at}; "cardinal login --profile ${name}" takes a new one`,
      );
    }
    const { renew } = await import('./renew.ts');
    const fresh = await renew(name, profile, profile.renewal);
    writeProfile(folder, name, fresh);
    return fresh;
  };
  return async () => {
    let profile = await (renewing ?? kept);
    if (hasEnded(profile)) {
      renewing = renewed(profile);
      profile = await renewing;
    }
    return profile.token;
  };
};

/** Which profile a command line means, and whether it names it. */
export const profileNameOf = (named: Named, { profile }: Environment): string =>
  named.profile ?? profile ?? usualProfile;

const isSame = (url: string, other: string) => new URL(url).href === new URL(other).href;

/**
 * Where the service is, and who asks: options, then the environment, then the profile, then the usual address. A profile
 * that an option names goes before the environment. The token of a profile goes to no other address than its own.
 * @throws CliError where a profile is named that is not there, or is damaged
 */
export const findAccess = (named: Named, environment: Environment): Access => {
  const { url: urlOfEnvironment, token: tokenOfEnvironment, profiles: folder } = environment;
  const isNamed = named.profile !== undefined;
  const url = named.url ?? (isNamed ? undefined : urlOfEnvironment);
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
