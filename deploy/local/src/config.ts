import { ConfigError, stateFolder, tokenAudience } from '@cardinal/servers';

/** What the user chose through the environment; undefined where the local default serves. */
export type LocalConfig = ReturnType<typeof readConfig>;

export type TokenRules = LocalConfig['tokens'];

const given = (name: string) => process.env[name] || undefined;

const numberOf = (name: string, byDefault: number, least: number, most: number): number => {
  const number = Number(given(name) ?? byDefault);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new ConfigError(`${name} must be a number from ${least} to ${most}`);
};

/**
 * Reads what `npm start` itself needs to know.
 * @throws ConfigError when a number is none
 */
export const readConfig = () => {
  const [JWKS_URL, TOKEN_ISSUER = ''] = [given('JWKS_URL'), given('TOKEN_ISSUER')];
  const natsUrl = given('NATS_URL');
  const keysFrom = (['JWKS_URL', 'JWKS_FILE', 'TOKEN_ISSUER'] as const).find(given);
  return {
    /** Holds everything `npm start` keeps: data, keys, logs. */
    stateFolder: stateFolder(),
    /** The same as the user named it; undefined where it is the usual one. */
    chosenState: given('CARDINAL_STATE'),
    port: numberOf('PORT', 8080, 0, 65_535),
    /** Where the gateway and the files' listener listen. */
    host: given('HOST') ?? '127.0.0.1',
    /** Where a stack elsewhere answers, and the operator key of the stack: for `npm run key`. */
    apiUrl: given('API_URL'),
    operatorKey: given('OPERATOR_KEY'),
    databaseUrl: given('DATABASE_URL'),
    broker: natsUrl === undefined ? undefined : { url: natsUrl, ca: given('NATS_CA') },
    /** Where the issuer of tokens publishes its keys. */
    keysPlace: keysFrom && keysFrom !== 'JWKS_FILE' ? { JWKS_URL, TOKEN_ISSUER } : undefined,
    tokens: {
      audience: (given('TOKEN_AUDIENCE') ?? tokenAudience).split(',')[0]?.trim() ?? tokenAudience,
      /** The variable that names keys of the user's own, or their issuer; without one the development key signs. */
      keysFrom,
      /** How long a token may be good for, in seconds. */
      maxLifetimeS: numberOf('TOKEN_MAX_LIFETIME_S', 86_400, 1, Number.MAX_SAFE_INTEGER),
    },
  };
};

const seconds = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Reads `3600`, `90s`, `15m`, `1h` or `2d` as seconds; undefined for anything else and for zero. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d{1,9})([smhd]?)$/.exec(text);
  const total = match ? Number(match[1]) * seconds[match[2] as keyof typeof seconds] : 0;
  return total > 0 ? total : undefined;
};
