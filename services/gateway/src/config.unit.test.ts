import { describe, expect, it } from 'vitest';
import { configSchema } from './config.ts';

const right = {
  NATS_URL: 'nats://localhost:4222',
  JWKS_FILE: '/etc/cardinal/jwks.json',
  TOKEN_ISSUER: 'https://issuer.example',
  TOKEN_AUDIENCE: 'cardinal',
};

const wrongNames = (env: Record<string, string | undefined>) => {
  const parsed = configSchema.safeParse(env);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
};

describe('the configuration', () => {
  it('needs no more than a broker, keys, an issuer and an audience', () => {
    expect(configSchema.parse(right)).toMatchObject({
      PORT: 8080,
      HOST: '127.0.0.1',
      RATE_LIMIT_MAX: 2000,
      BYTES_UNDER_WAY_PER_USER: 1_048_576,
    });
  });

  it('names everything that is missing or wrong at once', () => {
    const all = ['JWKS_URL', 'NATS_URL', 'PORT', 'TOKEN_AUDIENCE', 'TOKEN_ISSUER'];
    expect(wrongNames({ PORT: '70000' }).sort()).toEqual(all);
  });

  it('takes lists of origins and of proxies, and nobody where nothing is said', () => {
    expect(configSchema.parse(right)).toMatchObject({ CORS_ORIGINS: [], TRUST_PROXY: [] });
    const CORS_ORIGINS = 'https://app.example.com, http://localhost:3000';
    const TRUST_PROXY = 'loopback,10.0.0.0/8,2001:db8::1';
    expect(configSchema.parse({ ...right, CORS_ORIGINS, TRUST_PROXY })).toMatchObject({
      CORS_ORIGINS: ['https://app.example.com', 'http://localhost:3000'],
      TRUST_PROXY: ['loopback', '10.0.0.0/8', '2001:db8::1'],
    });
  });

  it.each(['*', 'app.example.com', 'https://app.example.com/', 'https://*.example.com', 'null'])(
    'takes %s for no origin',
    (CORS_ORIGINS) => {
      expect(wrongNames({ ...right, CORS_ORIGINS })).toEqual(['CORS_ORIGINS']);
    },
  );

  it.each(['true', '1', '10.0.0.0/33', '10.0.0.0/0', 'proxy.example.com', '::1/129'])(
    'takes %s for no proxy',
    (TRUST_PROXY) => {
      expect(wrongNames({ ...right, TRUST_PROXY })).toEqual(['TRUST_PROXY']);
    },
  );

  it('takes exactly one of a key file and a key server', () => {
    expect(wrongNames({ ...right, JWKS_URL: 'https://issuer.example/keys' })).toEqual(['JWKS_URL']);
    expect(wrongNames({ ...right, JWKS_FILE: undefined })).toEqual(['JWKS_URL']);
    expect(wrongNames({ ...right, JWKS_FILE: undefined, JWKS_URL: 'https://issuer.example/keys' })).toEqual([]);
  });
});
